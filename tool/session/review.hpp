#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "session/session.hpp"

namespace drydock::session {

/// Something in a log that no loader minds and a reader of it should know.
struct Finding {
    std::size_t line{0};
    std::uint64_t seq{0};
    std::string code;  ///< `unmarked`, `gap`, `repeat`, `too-long`, `truncated`, `unknown-key`,
                       ///< `unknown-kind`, `malformed`, `assembled-text`; `written`: of no line (0)
    std::string message;
};

/// What a log's `subagent/stream` events tell of one out-of-process child.
struct ChildSummary {
    std::string child_id;
    std::string provider;
    std::uint64_t steps{0};
    std::uint64_t truncated{0};  ///< steps of which something was cut
    std::uint64_t next_index{0};
};

/// The text of the one answer that is being streamed.
class AnswerText {
  public:
    /// An `assistant/chunk` event, or a row of them.
    void take_chunks(const Row& row);

    /// Whether an `assistant/message` says the text of the chunks before it; true where there are none.
    bool take_message(base::JsonView data);

    [[nodiscard]] std::size_t remembered() const;

  private:
    struct Block {
        double index{0};
        bool is_text{false};
        bool complete{false};
        std::string text;
    };
    void begin(base::JsonView data);
    Block& block(double index, bool is_text);
    void take_chunk(base::JsonView chunk);

    std::vector<Block> blocks_;
    double turn_{0};
    double step_{0};
    bool finished_{true};
};

/// Looks for findings while a log is read.
class Review final : public Observer {
  public:
    /// More are counted, not kept.
    static constexpr std::size_t most_findings = 10'000;

    void on_row(const Row& row) override;

    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
    [[nodiscard]] std::size_t unlisted() const { return unlisted_; }
    /// By the first step's place.
    [[nodiscard]] const std::vector<ChildSummary>& children() const { return children_; }

  private:
    void find(const Row& row, std::string_view code, std::string message);
    void take_step(const Row& row);
    void check_data(const Row& row, base::JsonView data);
    void check_item(const Row& row, base::JsonView item);
    void count_step(const Row& row, base::JsonView data);

    std::vector<Finding> findings_;
    std::size_t unlisted_{0};
    std::vector<ChildSummary> children_;
    std::map<std::string, std::size_t, std::less<>> places_;  ///< of children by their ids
    AnswerText answer_;
};

}  // namespace drydock::session
