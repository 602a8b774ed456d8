#include "session/store.hpp"

#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "session/frames.hpp"
#include "session/header.hpp"
#include "session/lines.hpp"
#include "session/reader.hpp"

namespace drydock::session {
namespace {

using base::Directory;
using base::Error;
using base::ErrorKind;
using base::FileDescriptor;
using base::Result;
using base::Sys;

std::string_view name_of(Encoding encoding) {
    return encoding == Encoding::zstd ? "session.jsonl.zstd" : "session.jsonl";
}

bool is_project_name(std::string_view name) {
    return name == "_no-cwd" || (name.size() > 4 && name.starts_with("--") && name.ends_with("--"));
}

/// The first line of a log; nothing where it is not whole.
Result<std::optional<std::string>> first_line(const FileDescriptor& file, Encoding encoding) {
    const auto failed = [](base::Errno reason) {
        return base::fail(base::io_error(reason, "cannot read the log"));
    };
    const Sys<base::FileInfo> info = base::info_of(file);
    if (!info) return failed(info.error());
    Reader reader(file, info->size);
    if (encoding == Encoding::plain) {
        LineSplitter lines;
        std::optional<std::string> first;
        for (std::uint64_t at = 0; at < reader.size() && !first;) {
            const Sys<std::string_view> bytes = reader.at(at, 1);
            if (!bytes) return failed(bytes.error());
            at += bytes->size();
            lines.write(*bytes, [&first](std::string_view text, bool too_long) {
                first = too_long ? std::string() : std::string(text);
                return false;
            });
        }
        return first;
    }
    if (reader.size() == 0) return std::nullopt;
    const Sys<Frame> frame = find_frame(reader, 0);
    if (!frame) return failed(frame.error());
    if (frame->state == FrameState::broken) return base::fail(ErrorKind::check, frame->reason);
    if (frame->state == FrameState::torn) return std::nullopt;
    std::string text;
    FrameDecoder decoder;
    const auto wrong = decoder.decode(reader, *frame, [&text](std::string_view piece) {
        text += piece;
        return text.find('\n') >= text.size() - 1;
    });
    if (!wrong) return failed(wrong.error());
    if (*wrong) return base::fail(ErrorKind::check, **wrong);
    if (text.empty() || text.find('\n') != text.size() - 1)
        return base::fail(ErrorKind::check, "the first zstd frame is not exactly the header line");
    text.pop_back();
    return text;
}

constexpr std::string_view retired_key = "the header has a retired key: sandboxMode or approvalPolicy";

/// What a listing makes of a log's first line; nothing where that is not whole.
Result<std::optional<ListedHeader>> read_listed(const FileDescriptor& file, Encoding encoding) {
    const Result<std::optional<std::string>> line = first_line(file, encoding);
    if (!line) return base::fail(line.error());
    if (!*line) return std::nullopt;
    return list_header(**line);
}

class Listing {
  public:
    Listing(std::string path, Directory root) : path_(std::move(path)), root_(std::move(root)) {
        while (path_.ends_with('/')) path_.pop_back();
    }

    Store run() {
        const Sys<std::vector<std::string>> names = root_.names();
        if (!names) cannot_read(path_, names.error());
        for (const std::string& name : names.value_or(std::vector<std::string>())) {
            const Sys<base::FileType> type = type_of(name);
            if (!type) {
                cannot_read(path_, type.error());
                break;
            }
            if (*type == base::FileType::directory) list_project(name);
        }
        if (!first_plain_.empty() && !first_zstd_.empty()) {
            refuse("mixed-encodings", first_plain_,
                   "lies in one store with " + first_zstd_ + "; a harness is set to one encoding");
        }
        return std::move(store_);
    }

  private:
    void refuse(std::string code, std::string path, std::string message) {
        store_.refusals.push_back({std::move(code), std::move(path), std::move(message)});
    }

    void cannot_read(std::string path, base::Errno reason) {
        base::Error error = base::io_error(reason, "cannot read " + path);
        store_.unreadable.push_back({std::move(path), std::move(error)});
    }

    [[nodiscard]] Sys<base::FileType> type_of(const std::string& name) const {
        const Sys<std::optional<base::FileInfo>> info = root_.info(name);
        if (!info) return tl::unexpected(info.error());
        return *info ? (*info)->type : base::FileType::other;
    }

    void list_project(const std::string& project) {
        const Sys<Directory> folder = root_.open_directory(project);
        const Sys<std::vector<std::string>> names = folder ? folder->names() : tl::unexpected(folder.error());
        if (!names) return cannot_read(path_ + '/' + project, names.error());
        for (const std::string& name : *names) {
            const std::string below = fmt::format("{}/{}", project, name);
            const Sys<base::FileType> kind = type_of(below);
            // Of a folder that may not be searched nothing in it can be read.
            if (!kind) return cannot_read(path_ + '/' + project, kind.error());
            const bool log = name.ends_with(".jsonl") || name.ends_with(".jsonl.zstd");
            if (*kind == base::FileType::regular && log) {
                refuse("flat-layout", path_ + '/' + below,
                       "lies in a project's folder, as in old stores; a log has a folder of its own there");
            }
            if (*kind == base::FileType::directory) list_session(below);
        }
    }

    /// `place`: the project's and the session's folder.
    void list_session(const std::string& place) {
        for (const Encoding encoding : {Encoding::plain, Encoding::zstd}) {
            const std::string name = fmt::format("{}/{}", place, name_of(encoding));
            if (const Sys<base::FileType> type = type_of(name); !type)
                return cannot_read(path_ + '/' + place, type.error());
            list_log(place, encoding);
        }
    }

    void list_log(const std::string& place, Encoding encoding) {
        const std::string path = fmt::format("{}/{}/{}", path_, place, name_of(encoding));
        const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (!file.valid() && errno == ENOENT) return;
        if (!file.valid()) return cannot_read(path, {errno});
        std::string& first = encoding == Encoding::zstd ? first_zstd_ : first_plain_;
        if (first.empty()) first = path;
        Result<std::optional<ListedHeader>> listed = read_listed(file, encoding);
        if (!listed && listed.error().kind != ErrorKind::check) {
            listed.error().file = path;
            store_.unreadable.push_back({path, listed.error()});
        } else if (!listed) {
            refuse("broken-header", path, listed.error().message);
        } else if (*listed && (*listed)->retired) {
            refuse("retired-header", path, std::string(retired_key));
        } else if (*listed && (*listed)->header) {
            take(path, place, encoding, *std::move((*listed)->header));
        } else {
            store_.skipped.push_back(path);
        }
    }

    void take(const std::string& path, const std::string& place, Encoding encoding, Header header) {
        const std::optional<std::string> expected = place_of(header);
        if (!expected) {
            refuse("identity", path,
                   "the header has an empty id or cwd, for which there is no place in a store");
        } else if (*expected != place && !is_same_file(path, *expected, encoding)) {
            refuse("identity", path,
                   fmt::format("the header's id and cwd belong into {}, and the log lies in {}", *expected,
                               place));
        }
        const auto [known, fresh] = ids_.emplace(header.id, path);
        if (!fresh) {
            refuse("duplicate-id", path, fmt::format("has the id {}, as {} has", header.id, known->second));
        }
        store_.logs.push_back({path, encoding, std::move(header)});
    }

    [[nodiscard]] bool is_same_file(const std::string& path, const std::string& place,
                                    Encoding encoding) const {
        const std::string other = fmt::format("{}/{}/{}", path_, place, name_of(encoding));
        const Sys<std::string> one = base::real_path(path);
        const Sys<std::string> two = base::real_path(other);
        return one && two && *one == *two;
    }

    std::string path_;
    Directory root_;
    Store store_;
    std::string first_plain_;
    std::string first_zstd_;
    std::map<std::string, std::string, std::less<>> ids_;  ///< the paths of the logs that have them
};

}  // namespace

bool is_store(const std::string& path) {
    const Sys<Directory> root = Directory::open(path);
    const Sys<std::vector<std::string>> names = root ? root->names() : tl::unexpected(root.error());
    if (!names) return false;
    for (const std::string& name : *names) {
        if (!is_project_name(name)) continue;
        const auto info = root->info(name);
        if (info && *info && (*info)->type == base::FileType::directory) return true;
    }
    return false;
}

Store read_store(const std::string& path) {
    Sys<Directory> root = Directory::open(path);
    if (root) return Listing(path, *std::move(root)).run();
    Store store;
    store.unreadable.push_back({path, base::io_error(root.error(), "cannot read " + path)});
    return store;
}

Result<std::optional<Header>> listed_header(const FileDescriptor& file, Encoding encoding) {
    Result<std::optional<ListedHeader>> listed = read_listed(file, encoding);
    if (!listed) return base::fail(listed.error());
    if (!*listed) return std::nullopt;
    if ((*listed)->retired) return base::fail(ErrorKind::check, std::string(retired_key));
    return std::move((*listed)->header);
}

}  // namespace drydock::session
