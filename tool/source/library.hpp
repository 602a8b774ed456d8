#pragma once

#include <memory>
#include <string>

namespace drydock::source {

/// Owns something of libgit2's; the header that declares it stays in the sources.
template <class T, void (*release)(T*)>
struct Release {
    void operator()(T* held) const { release(held); }
};
template <class T, void (*release)(T*)>
using Handle = std::unique_ptr<T, Release<T, release>>;

/// Makes libgit2 ready, once, deaf to all configuration but a repository's own format, which it must know. To
/// be called before anything else of it.
void prepare_library();

/// What libgit2 said last, in lower case at its beginning and on one line, for the inside of a message.
std::string library_words();

}  // namespace drydock::source
