#include "base/scratch.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <stdlib.h>
#include <sys/stat.h>

#include "base/directory.hpp"

namespace drydock::base {

Result<Scratch> Scratch::make(const std::string& folder, bool keep) {
    const Sys<std::string> real = real_path(folder);
    if (!real) return fail(io_error(real.error(), "cannot make a scratch folder in " + folder));
    std::string path = *real + "/drydock-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
        return fail(io_error(Errno{errno}, "cannot make a scratch folder in " + folder));
    }
    return Scratch(path, keep);
}

Scratch::~Scratch() {
    remove();
}

void Scratch::remove() {
    const std::string path = std::exchange(path_, std::string());
    if (path.empty() || keep_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

Result<std::string> Scratch::directory(const std::string& name) const {
    std::string path = path_ + "/" + name;
    if (mkdir(path.c_str(), 0777) != 0) {
        return fail(io_error(Errno{errno}, "cannot make " + path));
    }
    return path;
}

}  // namespace drydock::base
