#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/children.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// A time in milliseconds since 1970, as events have it; nothing where it is no safe integer.
std::optional<std::int64_t> time_of(const Row& row);

/// The first and the last time of something.
struct Span {
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> last;
    void take(std::optional<std::int64_t> time);
    /// From the first to the last, at least 0.
    [[nodiscard]] std::uint64_t milliseconds() const;
};

/// A child that a log tells of, by its id, wherever that stands.
struct ChildFacts {
    std::string child_id;
    std::string provider;              ///< empty: not told
    std::optional<std::string> label;  ///< from a catalog or a workflow
    std::optional<ChildMode> mode;     ///< as the catalog has it
    std::string workflow;              ///< the name of the workflow that started it
    bool in_workflow{false};
    bool in_catalog{false};
    std::uint64_t steps{0};      ///< its `subagent/stream` events
    std::uint64_t truncated{0};  ///< those of which something was cut
    std::uint64_t errors{0};     ///< those that say that something failed
    Span span;                   ///< of the steps
    Link link;
};

/// What one log tells of its session and of its children.
class Family final : public Observer {
  public:
    void on_header(const Header& header) override;
    void on_row(const Row& row) override;

    /// From its own descriptor, the last one there is; nothing where that cannot be used, or there is none.
    /// What stands in the seed of a fork is its ancestor's, and counts until its own comes, as the harness
    /// has it.
    [[nodiscard]] const std::optional<Descriptor>& descriptor() const { return descriptor_; }

    [[nodiscard]] const std::string& title() const { return title_; }
    [[nodiscard]] std::uint64_t turns() const { return turns_; }
    /// Turns that ended in an error, and tool results that say they failed.
    [[nodiscard]] std::uint64_t errors() const { return errors_; }
    /// Spent in turns; one that is open counts up to the last event.
    [[nodiscard]] std::uint64_t milliseconds() const;

    /// In the catalog's order, then in the order in which they were first told of.
    [[nodiscard]] std::vector<const ChildFacts*> children() const;
    /// What is wrong with its catalogs.
    [[nodiscard]] const std::vector<std::string>& catalog_faults() const { return catalog_faults_; }

  private:
    ChildFacts& child(std::string_view id);
    void take_step(const Row& row);
    void take_catalog(const Row& row);
    void take_workflow(base::JsonView data);
    void take_turn(const Row& row);

    std::uint64_t seed_{0};  ///< how many events are another log's
    std::optional<Descriptor> descriptor_;
    std::string title_;
    std::uint64_t turns_{0};
    std::uint64_t errors_{0};
    std::uint64_t settled_{0};
    std::optional<Span> open_turn_;
    Delegations delegations_;
    std::vector<ChildFacts> children_;
    std::map<std::string, std::size_t, std::less<>> places_;     ///< of children by their ids
    std::map<std::string, std::string, std::less<>> workflows_;  ///< names by run ids
    std::vector<std::size_t> catalog_order_;
    std::vector<std::string> catalog_faults_;
};

}  // namespace drydock::session
