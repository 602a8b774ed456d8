#include "session/tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace drydock::session {
namespace {

constexpr std::array<std::string_view, 8> relation_names = {"root", "orphan",   "looped", "subagent",
                                                            "fork", "external", "unseen", "foreign"};

class Planting {
  public:
    explicit Planting(const std::vector<TreeSession>& sessions) : sessions_(sessions) {
        for (std::size_t i = 0; i < sessions.size(); ++i) places_.emplace(sessions[i].header->id, i);
        order_.resize(sessions.size());
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
        std::sort(order_.begin(), order_.end(),
                  [this](std::size_t a, std::size_t b) { return is_before(a, b); });
        for (const std::size_t each : order_) {
            const std::size_t parent = parent_of(each);
            if (parent != TreeRow::none) below_[parent].push_back(each);
        }
        seen_.resize(sessions.size());
    }

    std::vector<TreeRow> run() {
        for (const std::size_t each : order_) {
            if (parent_of(each) != TreeRow::none) continue;
            grow(sessions_[each].header->parent ? Relation::orphan : Relation::root, each);
        }
        for (const std::size_t each : order_) {
            if (!seen_[each]) grow(Relation::looped, first_in_loop(each));
        }
        return std::move(rows_);
    }

  private:
    [[nodiscard]] bool is_before(std::size_t a, std::size_t b) const {
        const Header& one = *sessions_[a].header;
        const Header& two = *sessions_[b].header;
        if (one.created_at != two.created_at) return one.created_at < two.created_at;
        return one.id != two.id ? one.id < two.id : a < b;
    }

    [[nodiscard]] std::size_t parent_of(std::size_t session) const {
        const std::optional<std::string>& parent = sessions_[session].header->parent;
        const auto place = parent ? places_.find(*parent) : places_.end();
        return place == places_.end() ? TreeRow::none : place->second;
    }

    /// Of the loop that the session's ancestors lead into.
    [[nodiscard]] std::size_t first_in_loop(std::size_t session) const {
        std::set<std::size_t> passed;
        while (passed.insert(session).second) session = parent_of(session);
        std::set<std::size_t> loop;
        while (loop.insert(session).second) session = parent_of(session);
        return *std::min_element(loop.begin(), loop.end(),
                                 [this](std::size_t a, std::size_t b) { return is_before(a, b); });
    }

    void grow(Relation relation, std::size_t session) {
        std::vector<TreeRow> pending = {{relation, 0, session, TreeRow::none, nullptr}};
        while (!pending.empty()) {
            const TreeRow row = pending.back();
            pending.pop_back();
            const bool leaf = row.session == TreeRow::none || row.relation == Relation::foreign;
            if (!leaf && seen_[row.session]) continue;
            rows_.push_back(row);
            if (leaf) continue;
            seen_[row.session] = true;
            std::vector<TreeRow> children = children_of(row);
            pending.insert(pending.end(), children.rbegin(), children.rend());
        }
    }

    [[nodiscard]] std::vector<TreeRow> children_of(const TreeRow& parent) const {
        const auto below = below_.find(parent.session);
        std::vector<TreeRow> listed;
        std::vector<TreeRow> others;
        std::map<std::size_t, const ChildFacts*> told;
        for (const ChildFacts* child : sessions_[parent.session].family->children()) {
            TreeRow row{relation_of(*child), parent.depth + 1, TreeRow::none, parent.session, child};
            const auto place = places_.find(child->child_id);
            if (row.relation != Relation::external && place != places_.end()) {
                row.session = place->second;
                row.relation = Relation::foreign;
                if (parent_of(row.session) == parent.session) {
                    row.relation = own_relation(row.session);
                    told[row.session] = child;
                    if (!child->in_catalog) continue;
                }
            }
            (child->in_catalog ? listed : others).push_back(row);
        }
        if (below != below_.end()) {
            for (const std::size_t session : below->second) {
                const auto facts = told.find(session);
                if (facts != told.end() && facts->second->in_catalog) continue;
                listed.push_back({own_relation(session), parent.depth + 1, session, parent.session,
                                  facts == told.end() ? nullptr : facts->second});
            }
        }
        listed.insert(listed.end(), others.begin(), others.end());
        return listed;
    }

    [[nodiscard]] Relation own_relation(std::size_t session) const {
        return sessions_[session].header->is_subagent ? Relation::subagent : Relation::fork;
    }

    /// As far as the parent's log tells.
    static Relation relation_of(const ChildFacts& child) {
        const bool external = child.mode ? child.mode == ChildMode::external : child.steps > 0;
        return external ? Relation::external : Relation::unseen;
    }

    const std::vector<TreeSession>& sessions_;
    std::map<std::string_view, std::size_t> places_;  ///< of sessions by their ids
    std::vector<std::size_t> order_;                  ///< as the harness sorts them
    std::map<std::size_t, std::vector<std::size_t>> below_;
    std::vector<bool> seen_;
    std::vector<TreeRow> rows_;
};

}  // namespace

std::string_view relation_name(Relation relation) {
    return relation_names[static_cast<std::size_t>(relation)];
}

std::vector<TreeRow> tree_of(const std::vector<TreeSession>& sessions) {
    return Planting(sessions).run();
}

}  // namespace drydock::session
