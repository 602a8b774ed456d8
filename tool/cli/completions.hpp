#pragma once

#include <string>
#include <string_view>

namespace drydock::cli {

/// Scripts that complete the command line: templates from the folder completions, with the tables that help
/// is made of in place of their marks (`@OPTIONS@`). Names of packages, roots and versions they ask drydock
/// itself for (`drydock __names`).
std::string bash_completion(std::string_view text);
std::string zsh_completion(std::string_view text);
std::string fish_completion(std::string_view text);

}  // namespace drydock::cli
