#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "patch/apply_hunks.hpp"
#include "patch/names.hpp"

namespace drydock::patch {
namespace {

/// The tree as the patch has made it so far.
class Tree {
  public:
    Tree(const Patch& patch, const Reader& reader, const ApplyOptions& options)
        : patch_(patch), reader_(reader), options_(options) {}

    tl::expected<std::vector<Change>, Errors> run();

  private:
    /// A file at some point; no bytes: there is none. Versions share bytes, since files may be large.
    struct Version {
        std::shared_ptr<std::string> bytes;
        bool executable{false};
        std::string attributes_from;
    };
    struct Entry {
        Version original;
        Version before;  ///< before the commit at hand
        Version now;
        bool touched{false};             ///< by the commit
        std::optional<bool> executable;  ///< what the patch said last
        std::vector<Placement> placements;
    };

    void begin_commit(std::size_t first);
    Entry* entry(const std::string& path);
    void one(const FilePatch& file);
    void modify(const FilePatch& file);
    void remove(const FilePatch& file);
    void create(const FilePatch& file);
    void move(const FilePatch& file);
    bool refuse_links(const FilePatch& file);
    bool is_free(const FilePatch& file, const Entry& target);
    void set_mode(const FilePatch& file, Entry& target);
    std::optional<std::string> result_of(const FilePatch& file, std::string_view text, Entry& target);

    const Patch& patch_;
    const Reader& reader_;
    const ApplyOptions& options_;
    std::map<std::string, Entry> entries_;
    std::vector<std::string> order_;
    std::vector<std::string> unreadable_;
    std::map<std::string, bool> leaving_;  ///< paths that the commit at hand takes away
    Errors errors_;
};

tl::expected<std::vector<Change>, Errors> Tree::run() {
    for (std::size_t i = 0; i < patch_.files.size(); ++i) {
        if (i == 0 || patch_.files[i].commit != patch_.files[i - 1].commit) begin_commit(i);
        one(patch_.files[i]);
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    std::vector<Change> changes;
    for (const std::string& path : order_) {
        Entry& entry = entries_.at(path);
        const Version& was = entry.original;
        Version& is = entry.now;
        const bool same = was.bytes == is.bytes || (was.bytes && is.bytes && *was.bytes == *is.bytes);
        if (same && was.executable == is.executable) continue;
        Change change;
        change.path = path;
        change.placements = std::move(entry.placements);
        if (is.bytes) {
            change.executable = entry.executable;
            change.attributes_from = std::move(is.attributes_from);
            entry.before.bytes.reset();
            change.bytes = is.bytes.use_count() == 1 ? std::move(*is.bytes) : *is.bytes;
            is.bytes.reset();
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

void Tree::begin_commit(std::size_t first) {
    for (auto& [path, entry] : entries_) {
        entry.before = entry.now;
        entry.touched = false;
    }
    leaving_.clear();
    for (std::size_t i = first;
         i < patch_.files.size() && patch_.files[i].commit == patch_.files[first].commit; ++i) {
        const FilePatch& file = patch_.files[i];
        if (file.operation == Operation::remove || file.operation == Operation::rename)
            leaving_[file.old_path] = true;
    }
}

/// The file at a path, read when it is first asked for; null when it can't be read, which is said once.
Tree::Entry* Tree::entry(const std::string& path) {
    const auto known = entries_.find(path);
    if (known != entries_.end()) return &known->second;
    if (std::find(unreadable_.begin(), unreadable_.end(), path) != unreadable_.end()) return nullptr;
    base::Result<std::optional<SourceFile>> file = reader_(path);
    if (!file) {
        errors_.push_back(std::move(file.error()));
        unreadable_.push_back(path);
        return nullptr;
    }
    Entry entry;
    if (*file) {
        entry.original.bytes = std::make_shared<std::string>(std::move((*file)->bytes));
        entry.original.executable = (*file)->executable;
        entry.original.attributes_from = path;
    }
    entry.before = entry.original;
    entry.now = entry.original;
    order_.push_back(path);
    return &entries_.emplace(path, std::move(entry)).first->second;
}

void Tree::one(const FilePatch& file) {
    if (!refuse_links(file)) return;
    switch (file.operation) {
        case Operation::modify:
            modify(file);
            break;
        case Operation::create:
            create(file);
            break;
        case Operation::remove:
            remove(file);
            break;
        case Operation::rename:
        case Operation::copy:
            move(file);
            break;
    }
}

bool Tree::refuse_links(const FilePatch& file) {
    for (const std::optional<unsigned> mode : {file.old_mode, file.new_mode}) {
        const unsigned type = mode.value_or(0100000U) & 0170000U;
        if (type == 0100000U) continue;
        base::Error error =
            conflict(path_of(file), type == 0120000U ? "the patch makes, changes or removes a symbolic link"
                                                     : "the patch makes, changes or removes a submodule");
        error.message +=
            fmt::format(" ({}:{}); drydock patches regular files only", file.patch_name, file.line);
        error.kind = base::ErrorKind::usage;
        errors_.push_back(std::move(error));
        return false;
    }
    return true;
}

std::optional<std::string> Tree::result_of(const FilePatch& file, std::string_view text, Entry& target) {
    tl::expected<Applied, Errors> applied = apply_hunks(file, text, options_);
    if (!applied) {
        std::move(applied.error().begin(), applied.error().end(), std::back_inserter(errors_));
        return std::nullopt;
    }
    if (target.placements.empty()) {
        target.placements = std::move(applied->placements);
    } else {
        std::move(applied->placements.begin(), applied->placements.end(),
                  std::back_inserter(target.placements));
    }
    return std::move(applied->text);
}

void Tree::set_mode(const FilePatch& file, Entry& target) {
    target.touched = true;
    if (!file.new_mode || file.old_mode == file.new_mode) return;
    target.executable = (*file.new_mode & 0111U) != 0;
    target.now.executable = *target.executable;
}

void Tree::modify(const FilePatch& file) {
    Entry* const target = entry(file.new_path);
    if (target == nullptr) return;
    if (!target->now.bytes) {
        errors_.push_back(conflict(file.new_path, "is not there; the patch changes it"));
        return;
    }
    std::optional<std::string> result = result_of(file, *target->now.bytes, *target);
    if (!result) return;
    target->now.bytes = std::make_shared<std::string>(*std::move(result));
    set_mode(file, *target);
}

void Tree::remove(const FilePatch& file) {
    Entry* const target = entry(file.old_path);
    if (target == nullptr) return;
    if (!target->now.bytes) {
        errors_.push_back(
            conflict(file.old_path, "is not there; the patch removes it, so that it seems applied already"));
        return;
    }
    if (!result_of(file, *target->now.bytes, *target)) return;
    target->now = {};
    target->touched = true;
}

/// Whether a file may be made at a path: nothing is there, or what is there goes with the same commit.
bool Tree::is_free(const FilePatch& file, const Entry& target) {
    if (!target.now.bytes || (!target.touched && leaving_.contains(file.new_path))) return true;
    errors_.push_back(
        conflict(file.new_path, fmt::format("is already there; the patch makes it ({}, {}:{})",
                                            operation_name(file.operation), file.patch_name, file.line)));
    return false;
}

void Tree::create(const FilePatch& file) {
    Entry* const target = entry(file.new_path);
    if (target == nullptr) return;
    if (!is_free(file, *target)) {
        const std::optional<base::Result<Applied>> would_be = apply(file, {}, options_);
        if (*would_be && (*would_be)->text == *target->now.bytes) {
            errors_.back().details.emplace_back("it seems applied already: the file has the very bytes");
        }
        return;
    }
    std::optional<std::string> result = result_of(file, {}, *target);
    if (!result) return;
    target->now = {std::make_shared<std::string>(*std::move(result)), false, {}};
    target->executable = false;
    set_mode(file, *target);
}

void Tree::move(const FilePatch& file) {
    Entry* const source = entry(file.old_path);
    Entry* const target = entry(file.new_path);
    if (source == nullptr || target == nullptr) return;
    if (!source->before.bytes) {
        errors_.push_back(
            conflict(file.old_path, fmt::format("is not there; the patch makes {} from it ({})",
                                                shown(file.new_path), operation_name(file.operation))));
        return;
    }
    if (!is_free(file, *target)) return;
    std::optional<std::string> result = result_of(file, *source->before.bytes, *target);
    if (!result) return;
    target->now = {std::make_shared<std::string>(*std::move(result)), source->before.executable,
                   source->before.attributes_from};
    target->executable = std::nullopt;
    set_mode(file, *target);
    if (file.operation == Operation::rename && !source->touched) source->now = {};
}

}  // namespace

tl::expected<std::vector<Change>, std::vector<base::Error>> apply_all(const Patch& patch,
                                                                      const Reader& reader,
                                                                      const ApplyOptions& options) {
    return Tree(patch, reader, options).run();
}

}  // namespace drydock::patch
