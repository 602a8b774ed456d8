#pragma once

#include <string>
#include <string_view>

#include "cli/report.hpp"

namespace drydock::cli {

/// A CycloneDX 1.6 document of what a report found: a component for each copy of a package, with its files
/// and their SHA-256, and, where a patch made them, that patch as its pedigree. No clock and no chance: the
/// same report gives the same bytes, and the serial number is made from them.
std::string sbom_document(const SetReport& report);

/// `pkg:npm/%40scope/name@version`; without a version where that is empty.
std::string package_url(std::string_view name, std::string_view version);

}  // namespace drydock::cli
