#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

/// The event `subagent/stream`: one observed step of an out-of-process child, in its parent's log. Written
/// from the description of the deployed event; the JavaScript of our patches does the same, byte for byte.
/// Texts are WTF-8 (base/utf.hpp).
namespace drydock::stream {

inline constexpr std::string_view event_type = "subagent/stream";

enum class Kind : std::uint8_t { system, assistant, thought, tool_call, tool_result, result, plan, other };

/// `tool-call`, ...
std::string_view kind_name(Kind kind);

/// The kind of that name.
std::optional<Kind> kind_of(std::string_view name);

/// One step of a child. What is absent is left out where the item is written.
struct Item {
    Kind kind{Kind::other};
    std::optional<std::string> text;
    std::optional<std::string> name;     ///< a tool's name or title
    std::optional<std::string> call_id;  ///< the child's own id of the tool call
    std::optional<bool> is_error;
    std::optional<std::string> meta;  ///< an object, as JSON.stringify writes it
};

bool operator==(const Item& a, const Item& b);

/// The item as JSON, appended to `target`.
void write_item(std::string& target, const Item& item);

// ---- Bounds: a child cannot grow its parent's log without limit.

inline constexpr std::size_t largest_text = 16'384;  ///< bytes of UTF-8, the marker among them
inline constexpr std::size_t largest_meta = 2'048;   ///< bytes of JSON
inline constexpr std::size_t largest_label = 256;    ///< UTF-16 units of a name or call id
inline constexpr std::string_view truncation_marker = "\n[stream text truncated]";

struct BoundedItem {
    Item item;
    bool truncated{false};  ///< the text was cut or meta dropped; a label that was cut does not count
};

/// Brings an item within the bounds: a longer text is cut where a character begins and the marker put at its
/// end, larger meta is dropped, longer labels are cut. Of a text that is cut, lone surrogates become U+FFFD.
BoundedItem bound_item(Item item);

// ---- Sink: numbers a child's items, bounds them, and appends them to the parent's log.

/// What a sink writes to.
class Log {
  public:
    Log() = default;
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    virtual ~Log() = default;

    /// The level of its `ignorable` option; nothing where it has none and would write events unmarked.
    [[nodiscard]] virtual std::optional<double> ignorable_level() const = 0;

    /// Appends an event with `ignorable: true`. `data` is JSON.
    virtual base::Result<void> append_ignorable(std::string_view type, std::string_view data) = 0;
};

class Sink {
  public:
    /// `on_error` is told once why recording ended, or cannot begin.
    Sink(Log& log, std::string child_id, std::string provider,
         std::function<void(const base::Error&)> on_error);

    /// Records an item. Where the log does not mark events, or at the first append that fails, this is told,
    /// and the sink is silent from then on.
    void push(Item item);

    /// Ends the recording; the first reason is told.
    void stop(const base::Error& reason);

  private:
    Log& log_;
    std::string child_id_;
    std::string provider_;
    std::function<void(const base::Error&)> on_error_;
    bool recording_{true};
    std::size_t index_{0};
    std::string data_;  ///< its memory serves every event
};

// ---- Coalescer: joins the fragments of a child that streams.

inline constexpr std::size_t coalesce_units = 1'024;  ///< UTF-16 units at which a joined text is emitted

class Coalescer {
  public:
    using Emit = std::function<void(Item)>;
    explicit Coalescer(Emit emit) : emit_(std::move(emit)) {}

    /// An assistant's or a thought's bare text joins what is pending of its kind, and is emitted once it has
    /// `coalesce_units`; every other item is emitted at once, after what is pending.
    void push(Item item);

    /// Emits what is pending.
    void flush();

  private:
    Emit emit_;
    std::optional<Item> pending_;
    std::size_t pending_units_{0};
};

// ---- Mappers: any field may be missing or of another type.

/// How far values are written out: those whose items go through the bounds need no more of a text than that
/// it is longer than them.
enum class Extent : std::uint8_t { whole, bounded };

/// One message of the Claude Agent SDK.
std::vector<Item> map_claude_message(base::JsonView message, Extent extent = Extent::whole);

/// The `update` of one `session/update` notification of ACP.
std::optional<Item> map_acp_update(base::JsonView update, Extent extent = Extent::whole);

// ---- A recording: a child's messages, mapped, and for ACP coalesced, into a sink.

enum class Source : std::uint8_t { claude_code, acp };

class Recording {
  public:
    /// `sink` outlives it.
    Recording(Source source, Sink& sink);

    /// One message; for ACP an update.
    void record(base::JsonView message);

    /// Writes what is pending. Nothing is recorded from then on.
    void close();

  private:
    Source source_;
    Sink& sink_;
    Coalescer coalescer_;
    bool open_{true};
};

}  // namespace drydock::stream
