#include "cli/arguments.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "manifest/manifest.hpp"

namespace drydock::cli {

class Arguments::Parser {
  public:
    Parser(const CommandHelp& command, std::span<const std::string> words)
        : command_(command), words_(words) {}

    base::Result<Arguments> parse() {
        bool options_ended = false;
        while (!words_.empty()) {
            const std::string& word = next();
            base::Result<void> taken;
            if (options_ended || word.size() < 2 || word[0] != '-') {
                taken = take_operand(word);
            } else if (word == "--") {
                options_ended = true;
            } else if (word[1] == '-') {
                taken = take_long(word);
            } else {
                taken = take_short(word);
            }
            if (!taken) return tl::unexpected(taken.error());
        }
        return std::move(arguments_);
    }

  private:
    const std::string& next() {
        const std::string& word = words_.front();
        words_ = words_.subspan(1);
        return word;
    }

    base::Result<void> take_operand(const std::string& word) {
        if (command_.operands.empty()) {
            return base::fail(base::ErrorKind::usage, fmt::format("unexpected argument '{}'", word));
        }
        arguments_.operands_.push_back(word);
        return {};
    }

    base::Result<void> take_long(std::string_view word) {
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const OptionHelp* option = find([name](const OptionHelp& each) { return each.name == name; });
        if (option == nullptr) return unknown(name, name);
        if (equals == std::string_view::npos) return take(*option);
        if (option->value.empty()) {
            return base::fail(base::ErrorKind::usage, fmt::format("option '{}' takes no value, found '{}'",
                                                                  name, word.substr(equals + 1)));
        }
        arguments_.options_.emplace_back(option, word.substr(equals + 1));
        return {};
    }

    /// One word of short options: flags, and at its end one that takes a value, which may be the word's rest.
    base::Result<void> take_short(std::string_view word) {
        for (std::size_t at = 1; at < word.size(); ++at) {
            const std::string name = {'-', word[at]};
            const OptionHelp* option =
                find([&name](const OptionHelp& each) { return each.short_name == name; });
            if (option == nullptr) return unknown(word.size() == 2 ? word : name, word);
            if (!option->value.empty() && at + 1 < word.size()) {
                arguments_.options_.emplace_back(option, word.substr(at + 1));
                return {};
            }
            if (base::Result<void> taken = take(*option); !taken) return taken;
        }
        return {};
    }

    /// An option with nothing of its value in the same word.
    base::Result<void> take(const OptionHelp& option) {
        if (option.value.empty()) {
            arguments_.options_.emplace_back(&option, std::string());
            return {};
        }
        if (words_.empty()) {
            return base::fail(base::ErrorKind::usage,
                              fmt::format("option '{}' needs a value ({})", option.name, option.value));
        }
        const std::string& value = words_.front();
        if (value.size() > 1 && value[0] == '-') {
            return base::fail(
                base::ErrorKind::usage,
                fmt::format("option '{0}' needs a value ({1}), found '{2}'; if that is meant: '{0}={2}'",
                            option.name, option.value, value));
        }
        arguments_.options_.emplace_back(&option, next());
        return {};
    }

    template <class Predicate>
    const OptionHelp* find(Predicate predicate) const {
        const auto found = std::find_if(command_.options.begin(), command_.options.end(), predicate);
        return found == command_.options.end() ? nullptr : &*found;
    }

    /// The dashes are left out of the comparison: all options have them.
    base::Result<void> unknown(std::string_view name, std::string_view typed) const {
        static constexpr std::size_t dashes = 2;
        std::vector<std::string> names;
        for (const OptionHelp& option : command_.options) names.emplace_back(option.name.substr(dashes));
        typed.remove_prefix(typed.find_first_not_of('-'));
        const std::optional<std::string> meant = base::nearest(typed, names);
        const std::string hint = meant ? fmt::format(" (did you mean '--{}'?)", *meant) : std::string();
        return base::fail(base::ErrorKind::usage, fmt::format("unknown option '{}'{}", name, hint));
    }

    const CommandHelp& command_;
    std::span<const std::string> words_;
    Arguments arguments_;
};

base::Result<Arguments> Arguments::parse(const CommandHelp& command, std::span<const std::string> words) {
    return Parser(command, words).parse();
}

bool Arguments::has(std::string_view name) const {
    return last(name).has_value();
}

std::optional<std::string> Arguments::last(std::string_view name) const {
    const auto found = std::find_if(options_.rbegin(), options_.rend(),
                                    [name](const auto& option) { return option.first->name == name; });
    if (found == options_.rend()) return std::nullopt;
    return found->second;
}

base::Result<void> Arguments::expect_paths(const CommandHelp& command) const {
    const bool at_boot = last("--stage") == std::string(manifest::stage_boot);
    for (const auto& [option, value] : options_) {
        const bool of_set = option->name == "--manifest" || option->name == "--root";
        if (at_boot && of_set) continue;
        const std::string_view values = option->completion;
        const bool is_path = values == "<files>" || values == "<directories>";
        if (is_path && value.empty()) return base::fail(empty_path(option->name, option->value));
        if (values == "<roots>" && value.find('=') + 1 == value.size() && value.size() > 1)
            return base::fail(
                empty_path(fmt::format("the path of {} {}", option->name, value), option->value));
    }
    const auto empty = std::find(operands_.begin(), operands_.end(), std::string());
    if (empty == operands_.end()) return {};
    return base::fail(
        empty_path(operands_.size() == 1
                       ? "the argument"
                       : fmt::format("argument {} of {}", empty - operands_.begin() + 1, operands_.size()),
                   command.operands));
}

base::Error empty_path(std::string_view which, std::string_view expected) {
    return base::error_at(base::ErrorKind::usage, {}, 0,
                          fmt::format("{} is empty; expected {}", which, expected));
}

std::vector<std::string> Arguments::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [option, value] : options_) {
        if (option->name == name) values.push_back(value);
    }
    return values;
}

}  // namespace drydock::cli
