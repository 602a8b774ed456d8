#include "source/library.hpp"

#include <algorithm>
#include <cctype>

#include <git2.h>

namespace drydock::source {
namespace {

struct Library {
    Library() {
        git_libgit2_init();
        for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
                                GIT_CONFIG_LEVEL_GLOBAL})
            git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
        // Its question is whether a repository's hooks and programs may be run, and we run none.
        git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
        git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
        // These change nothing for one who only reads; objects that a partial clone lacks are errors of ours.
        const char* extensions[] = {"partialclone", "worktreeconfig", "preciousobjects"};
        git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, std::size(extensions));
    }
    ~Library() { git_libgit2_shutdown(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
};

}  // namespace

void prepare_library() {
    static const Library library;
}

std::string library_words() {
    const git_error* error = git_error_last();
    std::string words = error != nullptr && error->message != nullptr ? error->message : "no reason given";
    std::replace(words.begin(), words.end(), '\n', ' ');
    const auto is_upper = [&words](std::size_t at) {
        return at < words.size() && std::isupper(static_cast<unsigned char>(words[at])) != 0;
    };
    if (is_upper(0) && !is_upper(1))
        words.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(words.front())));
    return words;
}

}  // namespace drydock::source
