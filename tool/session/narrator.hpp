#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "session/children.hpp"
#include "session/feed.hpp"
#include "session/review.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// Who speaks in a line of the console.
enum class Role : std::uint8_t {
    user,
    context,  ///< what plugins tell the model
    thought,
    assistant,
    call,
    result,
    stream,  ///< a step of a child
    system,
    error,
    turn,
};

/// `USER`, `CTX`, `THINK`, `ASSIST`, `CALL`, `RESULT`, `STREAM`, `SYS`, `ERROR`, `TURN`.
std::string_view role_name(Role role);

/// The role of that name, in whatever case.
std::optional<Role> role_of(std::string_view name);

/// What an event is, by itself.
struct Label {
    Role role{Role::system};
    std::string_view kind;   ///< of a child's step
    std::string_view child;  ///< whose step it is
    bool is_error{false};
};

/// Good as long as the row.
Label label_of(const Row& row);

/// A line of the console. Texts are WTF-8, as they stand in the log.
struct ConsoleLine {
    Label label;
    std::string_view type;     ///< of the event
    std::size_t line{0};       ///< in the file; of several, the first
    std::size_t last_line{0};  ///< of a run of lines that cannot be read; 0 for no run
    std::uint64_t seq{0};
    std::optional<std::int64_t> time;  ///< milliseconds since 1970
    std::string_view provider;         ///< of a child
    std::string head;                  ///< what it is about: a tool's name, a step's kind
    std::string text;
    std::string note;       ///< in brackets behind the head: how long it took, that it was cut
    bool minor{false};      ///< of interest only to those who want all
    bool continued{false};  ///< goes on with the text of the entry of this role before it
};

/// Tells a log as a person reads it: an entry for each event, the pieces of a streamed answer joined, in the
/// order of the log, an answer not told again by the message that it ends in, and lines that cannot be read
/// one after the other told together.
class Narrator final : public FeedObserver {
  public:
    using Give = std::function<void(const ConsoleLine&)>;

    /// Joined texts that get longer than this are given in several entries.
    static constexpr std::size_t longest_piece = std::size_t{256} * 1024;

    /// An entry is good during the call only.
    explicit Narrator(Give give) : give_(std::move(give)) {}

    void on_header(const Header& header) override;
    void on_row(const Row& row) override;
    void on_unreadable(std::size_t line, std::string_view why) override;

    /// Gives the lines that could not be read so far; those that follow are told by themselves.
    void settle();

    /// Gives what is joined so far; more of it will be `continued`.
    void pause();

    /// Gives what is left at the log's end.
    void finish();

    /// The ids of the children that had steps.
    [[nodiscard]] const std::set<std::string, std::less<>>& children() const { return children_; }

  private:
    /// A text that is streamed.
    struct Joined {
        Role role{Role::assistant};
        double index{0};
        std::size_t line{0};
        std::uint64_t seq{0};
        std::optional<std::int64_t> time;
        std::string text;
        bool continued{false};
    };
    /// A call that is streamed, and may never be made.
    struct StreamedCall {
        double index{0};
        std::size_t line{0};
        std::uint64_t seq{0};
        std::optional<std::int64_t> time;
        std::string name;
        std::string arguments;
    };
    struct OpenCall {
        std::string name;
        std::string description;
        std::optional<std::int64_t> time;
    };

    /// Lines that cannot be read, one after the other.
    struct Unread {
        std::size_t first{0};
        std::size_t last{0};
        std::string why;  ///< of the first
    };

    void take_chunks(const Row& row);
    void take_chunk(const Row& row, base::JsonView chunk);
    void take_block(const Row& row, double index, base::JsonView block);
    void take_finish(const Row& row, base::JsonView reason);
    void begin_answer(base::JsonView data);
    void join(const Row& row, Role role, double index, std::string_view text);
    StreamedCall* streamed_call(const Row& row, double index);
    void drop_joined();
    void give_streamed_calls();
    void take_message(const Row& row, ConsoleLine& entry);
    void take_call(const Row& row, ConsoleLine& entry);
    void take_result(const Row& row, ConsoleLine& entry);
    void take_step(const Row& row, ConsoleLine& entry);
    void introduce(const Row& row, const ConsoleLine& entry);
    void take_turn(const Row& row, ConsoleLine& entry);
    void take_usage(base::JsonView usage);
    [[nodiscard]] std::string call_text(const std::string& id) const;

    Give give_;
    std::optional<Unread> unread_;
    std::optional<Joined> joined_;
    std::vector<double> begun_;  ///< indices of the blocks of this answer of which pieces came
    std::vector<double> ended_;  ///< indices of the blocks of this answer that are complete
    std::vector<StreamedCall> streamed_calls_;
    AnswerText answer_;
    double turn_{0};
    double step_{0};
    bool answer_finished_{true};
    bool text_told_{false};
    bool thoughts_told_{false};
    std::map<std::string, OpenCall, std::less<>> open_calls_;
    Delegations delegations_;
    std::set<std::string, std::less<>> children_;
    std::optional<std::int64_t> turn_begin_;
    double tokens_in_{0};
    double tokens_out_{0};
};

}  // namespace drydock::session
