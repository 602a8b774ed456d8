#pragma once

// The whole engine: its users rarely need a part of it.
#include "patch/apply.hpp"    // IWYU pragma: export
#include "patch/model.hpp"    // IWYU pragma: export
#include "patch/parse.hpp"    // IWYU pragma: export
#include "patch/print.hpp"    // IWYU pragma: export
#include "patch/reverse.hpp"  // IWYU pragma: export
