#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "cli/help.hpp"

namespace drydock::cli {

/// The words behind a command's name, told apart by the options that its help names: `--name VALUE`,
/// `--name=VALUE`,
/// `-n VALUE`, `-nVALUE`, flags together as `-qv`, and `--` before operands that look like options.
class Arguments {
  public:
    /// Errors: usage, for an unknown option (with the nearest one), a value that is missing or not wanted, an
    /// operand where the command takes none. A value that looks like an option must be given as
    /// `--name=VALUE`: it is far more often the next option after an empty variable.
    static base::Result<Arguments> parse(const CommandHelp& command, std::span<const std::string> words);

    /// Whether an option was given. `name` is the long one, as for all of these.
    [[nodiscard]] bool has(std::string_view name) const;

    /// An option's value; the last one, if it was given several times.
    [[nodiscard]] std::optional<std::string> last(std::string_view name) const;

    /// An option's values in the order they were given.
    [[nodiscard]] std::vector<std::string> all(std::string_view name) const;

    [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }

    /// Whether no path among options and operands is empty, as one from a variable that is not set. At a boot
    /// those of the set are passed over: select() tells of them, and what is unsafe is taken back all the
    /// same. Errors: usage.
    [[nodiscard]] base::Result<void> expect_paths(const CommandHelp& command) const;

  private:
    std::vector<std::pair<const OptionHelp*, std::string>> options_;
    std::vector<std::string> operands_;

    class Parser;
};

/// That a path is empty, as a usage error.
base::Error empty_path(std::string_view which, std::string_view expected);

}  // namespace drydock::cli
