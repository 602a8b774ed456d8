#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::test {

/// Runs a JavaScript module in one node process over many records of bytes. `script` is the text of a module
/// that sees `records`, an array of Buffers, and calls `give(bytes)` (a Buffer, or a string that is written
/// as UTF-8) or `give(null)` once for each, in order. Gives what was given; a test failure when node fails.
std::vector<std::optional<std::string>> in_node(std::string_view script,
                                                const std::vector<std::string>& records);

/// The folder whose node_modules hold node, typescript and tsdown, which tests/run.sh prepares; a test
/// failure when it is not there.
std::string toolchain();

}  // namespace drydock::test
