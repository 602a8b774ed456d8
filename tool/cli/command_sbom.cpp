#include "cli/command_sbom.hpp"

#include "cli/command_status.hpp"

namespace drydock::cli {

SetReport sbom(const SbomOptions& options, const manifest::Environment& environment) {
    return status({options.selection, false}, environment);
}

}  // namespace drydock::cli
