#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

/// The harness's session log: one file with a header line and one line for each event, or for a run of
/// `assistant/chunk` events that is packed into one row. What is said of a log here is what the harness's own
/// loader says of it. Texts are WTF-8 (base/utf.hpp).
namespace drydock::session {

/// How a log lies on disk.
enum class Encoding : std::uint8_t {
    plain,  ///< `session.jsonl`: lines
    zstd,   ///< `session.jsonl.zstd`: zstd frames one after the other, the first of them the header line
};

/// By the name's end, as the loader goes by it; by the first bytes where the name tells nothing.
Encoding encoding_of(std::string_view name, std::string_view first_bytes);

/// The first line of a log.
struct Header {
    std::string id;
    std::uint64_t created_at{0};  ///< milliseconds since 1970
    std::optional<std::string> cwd;
    std::optional<std::string> parent;         ///< `parentSession`
    std::optional<std::uint64_t> seed_length;  ///< events that were taken over from another log
    bool is_subagent{false};                   ///< `origin`
    std::uint64_t delegation_depth{0};
    std::optional<std::string> agent_preset;
};

/// Where the harness keeps this session's log below its root: `<project>/<session>`. Nothing for a session
/// that has no place: one with an empty id or an empty cwd.
std::optional<std::string> place_of(const Header& header);

/// A line of a log that holds events of the log's accepted part.
struct Row {
    std::size_t line{0};      ///< in the file, from 1; the header's is 1
    std::uint64_t seq{0};     ///< of its first event
    std::uint64_t events{1};  ///< more than one only in a packed row
    bool packed{false};       ///< `value` is a packed row, not an event
    std::string_view type;    ///< of the line
    base::JsonView value;     ///< the whole line
    std::string_view text;    ///< its bytes, without the newline
};

/// Sees a log while it is read. Everything it is given is good during the call only.
class Observer {
  public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    virtual void on_header(const Header& header);
    virtual void on_row(const Row& row);
};

enum class Verdict : std::uint8_t {
    opens,
    truncated,  ///< opens, and what is behind the accepted part is dropped
    refused,
};

/// `opens`, `truncated`, `refused`.
std::string_view verdict_name(Verdict verdict);

/// What a harness makes of a log.
struct Opening {
    Verdict verdict{Verdict::opens};
    std::string reason;   ///< why it is truncated or refused
    std::size_t line{0};  ///< that the reason is about; 0 for none
    friend bool operator==(const Opening&, const Opening&) = default;
};

struct Judgement {
    Opening stock;
    Opening patched;  ///< the same, but for events that only a patched harness knows
    std::optional<Header> header;
    std::uint64_t events{0};    ///< accepted
    std::uint64_t lost{0};      ///< dropped: events of complete lines behind the accepted part, a line that
                                ///< cannot be read counted as one, and one for a last line that is cut
    std::uint64_t closers{0};   ///< events that the loader adds to end an interrupted turn
    std::size_t remembered{0};  ///< bytes that had to be kept to the end: the surface and the open calls
    bool headless{false};       ///< refused since not even the header is whole: it may still be written
    std::string meanwhile;      ///< what another process did to the file while it was read: all else may hold
                                ///< for neither state of it; empty: nothing that can be seen
};

struct JudgeOptions {
    Encoding encoding{Encoding::plain};
    /// `<project>/<session>`, the directories that the log lies in; empty where that does not count.
    std::string place;
    /// The event types that the harness of the chosen version knows.
    std::set<std::string, std::less<>> known_types;
    /// Those that only the patched one knows.
    std::set<std::string, std::less<>> patched_types;
    /// No version is chosen: every type is taken for known, but those of the patched harness.
    bool any_type{false};
};

/// Reads a log from its beginning to the size that it has now, and judges it. Memory: one line, or what zstd
/// needs for a window, and `remembered`. Errors: io.
base::Result<Judgement> judge(const base::FileDescriptor& file, const JudgeOptions& options,
                              Observer* observer = nullptr);

/// A log as the harness lays it down with Encoding::zstd: a frame with the header line, and one with the
/// lines of a batch of events. Errors: io, when memory runs out.
base::Result<std::string> make_log(std::string_view header_line, std::string_view event_lines);

/// How events are appended.
enum class AppendRules : std::uint8_t {
    stock,    ///< the option `ignorable` is dropped without a word
    patched,  ///< exactly `true` marks the event
};

}  // namespace drydock::session
