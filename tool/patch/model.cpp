#include "patch/model.hpp"

namespace drydock::patch {

std::string_view operation_name(Operation operation) {
    switch (operation) {
        case Operation::modify:
            return "modify";
        case Operation::create:
            return "create";
        case Operation::remove:
            return "remove";
        case Operation::rename:
            return "rename";
        case Operation::copy:
            return "copy";
    }
    return "modify";
}

}  // namespace drydock::patch
