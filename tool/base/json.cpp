#include "base/json.hpp"

#include <bit>
#include <cstring>

#include "base/json_words.hpp"

namespace drydock::base {

JsonView JsonDocument::root() const {
    return root_ ? JsonView(this, *root_) : JsonView();
}

std::string_view JsonDocument::string_at(std::size_t at) const {
    const char* place = strings_.data() + json::payload_of(words_[at]);
    std::uint32_t size = 0;
    std::memcpy(&size, place, sizeof size);
    return {place + sizeof size, size};
}

/// The word behind a value.
std::size_t JsonDocument::after(std::size_t at) const {
    const std::uint64_t word = words_[at];
    switch (json::tag_of(word)) {
        case json::Tag::array:
        case json::Tag::object:
        case json::Tag::ordered:
            return json::payload_of(word);
        case json::Tag::number:
            return at + 2;
        default:
            return at + 1;
    }
}

JsonKind JsonView::kind() const {
    if (document_ == nullptr) return JsonKind::undefined;
    switch (json::tag_of(document_->words_[at_])) {
        case json::Tag::null:
            return JsonKind::null;
        case json::Tag::yes:
        case json::Tag::no:
            return JsonKind::boolean;
        case json::Tag::number:
            return JsonKind::number;
        case json::Tag::string:
            return JsonKind::string;
        case json::Tag::array:
            return JsonKind::array;
        default:
            return JsonKind::object;
    }
}

bool JsonView::is_true() const {
    return document_ != nullptr && json::tag_of(document_->words_[at_]) == json::Tag::yes;
}

bool JsonView::is_false() const {
    return document_ != nullptr && json::tag_of(document_->words_[at_]) == json::Tag::no;
}

double JsonView::number() const {
    return is_number() ? std::bit_cast<double>(document_->words_[at_ + 1]) : 0;
}

std::string_view JsonView::string() const {
    return is_string() ? document_->string_at(at_) : std::string_view();
}

std::size_t JsonView::size() const {
    if (!is_array() && !is_object()) return 0;
    const std::size_t second = document_->words_[at_ + 1];
    return json::tag_of(document_->words_[at_]) == json::Tag::ordered ? document_->orders_[second] : second;
}

JsonView JsonView::operator[](std::string_view key) const {
    for (const JsonMember member : members()) {
        if (member.key == key) return member.value;
    }
    return {};
}

JsonElements JsonView::elements() const {
    if (!is_array()) return {nullptr, 0, 0};
    return {document_, at_ + json::container_words, document_->after(at_)};
}

JsonMembers JsonView::members() const {
    using Iterator = JsonMembers::Iterator;
    if (!is_object()) return {Iterator(nullptr, 0, nullptr), Iterator(nullptr, 0, nullptr)};
    if (json::tag_of(document_->words_[at_]) == json::Tag::ordered) {
        const std::size_t* list = document_->orders_.data() + document_->words_[at_ + 1];
        return {Iterator(document_, 0, list + 1), Iterator(document_, 0, list + 1 + *list)};
    }
    return {Iterator(document_, at_ + json::container_words, nullptr),
            Iterator(document_, document_->after(at_), nullptr)};
}

JsonElements::Iterator& JsonElements::Iterator::operator++() {
    at_ = document_->after(at_);
    return *this;
}

JsonMember JsonMembers::Iterator::operator*() const {
    const std::size_t key = order_ == nullptr ? at_ : *order_;
    return {document_->string_at(key), JsonView(document_, key + 1)};
}

JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
    if (order_ != nullptr) {
        ++order_;
    } else {
        at_ = document_->after(at_ + 1);
    }
    return *this;
}

}  // namespace drydock::base
