// session/children.cpp and session/family.cpp: children that only their parent's log tells of.
#include "session/children.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "session/family.hpp"
#include "session/tree.hpp"
#include "tests/session/loader.hpp"

namespace drydock::test {
namespace {

using Lines = std::vector<std::string>;

std::string event(std::string_view type, std::string_view data, std::string_view more = {}) {
    return fmt::format(R"({{"type":"{}",#,"data":{}{}}})"
                       "\n",
                       type, data, more);
}

std::string call(std::string_view id, std::string_view tool = "subagent") {
    return event(
        "tool/call",
        fmt::format(R"({{"turn":1,"step":1,"callId":"{}","name":"{}","arguments":"{{}}"}})", id, tool));
}

std::string result(std::string_view id, std::string_view text, bool failed = false) {
    return event(
        "tool/result",
        fmt::format(
            R"({{"message":{{"id":"r{0}","role":"user","source":{{"kind":"tool","callId":"{0}"}},"content":)"
            R"([{{"type":"tool-result","toolCallId":"{0}","content":[{{"type":"text","text":"{1}"}}],"isError":{2}}}]}}}})",
            id, text, failed),
        R"(,"surfaceOp":"append")");
}

std::string step(std::string_view child, std::size_t index, std::string_view more = {}) {
    return event("subagent/stream",
                 fmt::format(R"({{"childId":"{}","provider":"acp","index":{},"item":{{"kind":"plan"{}}}}})",
                             child, index, more),
                 R"(,"ignorable":true)");
}

std::string notice(std::string_view text) {
    return event("user/message",
                 fmt::format(R"({{"id":"n","role":"user","source":{{"kind":"plugin","plugin":"tool-jobs"}},)"
                             R"("content":[{{"type":"text","text":"{}"}}]}})",
                             text),
                 R"(,"surfaceOp":"append")");
}

session::Judgement read(const std::string& body, session::Family& family,
                        const std::string& header = usual_header()) {
    const LogFile log{"", ".jsonl", header + "\n" + written_out(body)};
    return judge_log(log, &family);
}

/// The children of a log: `id how calls`.
Lines links(const std::string& body) {
    session::Family family;
    EXPECT_EQ(read(body, family).stock.reason, "");
    Lines lines;
    for (const session::ChildFacts* child : family.children()) {
        lines.push_back(fmt::format("{} {} {}", child->child_id, session::link_name(child->link.how),
                                    fmt::join(child->link.calls, ",")));
    }
    return lines;
}

TEST(Links, OneOpenDelegationIsMeant) {
    EXPECT_EQ(links(call("c1") + step("k", 0) + step("k", 1) + result("c1", "done") + call("c2") +
                    step("l", 0) + result("c2", "done")),
              (Lines{"k only-open c1", "l only-open c2"}));
    EXPECT_EQ(links(step("k", 0)), (Lines{"k none "}));
    EXPECT_EQ(links(call("c1", "bash") + step("k", 0)), (Lines{"k none "}));
    EXPECT_EQ(links(call("c1", "subagent_codex") + step("k", 0)), (Lines{"k only-open c1"}));
}

TEST(Links, ADelegationIsKnownByItsArgumentsToo) {
    EXPECT_EQ(
        links(
            event("tool/call",
                  R"({"callId":"c1","name":"ask","arguments":"{\"description\":\"d\",\"prompt\":\"p\"}"})") +
            step("k", 0)),
        (Lines{"k only-open c1"}));
    EXPECT_EQ(links(event("tool/call", R"({"callId":"c1","name":"ask","arguments":"{\"prompt\":\"p\"}"})") +
                    step("k", 0)),
              (Lines{"k none "}));
}

TEST(Links, SeveralOpenDelegationsAreNotGuessedAt) {
    EXPECT_EQ(links(call("c1") + call("c2") + step("k", 0) + step("l", 0)),
              (Lines{"k ambiguous c1,c2", "l ambiguous c1,c2"}));
    // The one that is open by itself has its child already.
    EXPECT_EQ(links(call("c1") + step("k", 0) + call("c2") + step("l", 0)),
              (Lines{"k only-open c1", "l only-open c2"}));
}

TEST(Links, ADelegationInTheBackgroundStaysOpenUntilItsNotice) {
    const std::string begun = call("c1") + result("c1", "started background subagent job subagent-1");
    EXPECT_EQ(links(begun + step("k", 0)), (Lines{"k only-open c1"}));
    EXPECT_EQ(links(begun + call("c2") + step("k", 0)), (Lines{"k ambiguous c1,c2"}));
    EXPECT_EQ(links(begun + notice("background job subagent-10 (x) finished [status: completed]") +
                    call("c2") + step("k", 0)),
              (Lines{"k ambiguous c1,c2"}));
    EXPECT_EQ(links(begun + notice("background job subagent-1 (x) finished [status: completed]") +
                    call("c2") + step("k", 0)),
              (Lines{"k only-open c2"}));
    EXPECT_EQ(links(begun +
                    event("agent/inbox/spliced",
                          R"({"inserted":[{"source":{"plugin":"tool-jobs"},"content":[{"type":"text",)"
                          R"("text":"background job subagent-1 (x) finished"}]}]})") +
                    step("k", 0)),
              (Lines{"k none "}));
}

TEST(Links, ManyOpenDelegationsAreCounted) {
    std::string body;
    for (int i = 0; i < 20; ++i) body += call(fmt::format("c{}", i));
    session::Family family;
    read(body + step("k", 0), family);
    const session::Link& link = family.children().front()->link;
    EXPECT_EQ(link.how, session::Link::How::ambiguous);
    EXPECT_EQ(link.calls.size(), 16U);
    EXPECT_EQ(link.unlisted, 4U);
}

TEST(Family, CountsWhatChildrenDid) {
    session::Family family;
    read(call("c1") + step("k", 0) + step("k", 1, R"(,"isError":true)") +
             event("subagent/stream",
                   R"({"childId":"k","provider":"acp","index":2,"item":{"kind":"result"},"truncated":true})",
                   R"(,"ignorable":true)") +
             event("subagent/stream", "5", R"(,"ignorable":true)"),
         family);
    ASSERT_EQ(family.children().size(), 1U);
    const session::ChildFacts& child = *family.children().front();
    EXPECT_EQ(child.provider, "acp");
    EXPECT_EQ(child.steps, 3U);
    EXPECT_EQ(child.errors, 1U);
    EXPECT_EQ(child.truncated, 1U);
    EXPECT_EQ(child.span.milliseconds(), 2U);
}

TEST(Family, CountsTurnsErrorsAndTheirTime) {
    session::Family family;
    read("$B\n" + result("c1", "x", true) + "$E\n$B\n" +
             event("turn/end", R"({"turn":1,"reason":{"kind":"error","error":{"message":"m","code":"c"}}})") +
             event("session/title", R"({"title":"T"})") + "$B\n" + event("step/start", "{}"),
         family);
    EXPECT_EQ(family.turns(), 3U);
    EXPECT_EQ(family.errors(), 2U);
    EXPECT_EQ(family.title(), "T");
    EXPECT_EQ(family.milliseconds(), 2U + 1U + 1U);
}

TEST(Family, WhatAForkTookOverIsNotItsOwn) {
    session::Family family;
    std::string header = usual_header();
    header.insert(header.rfind('}'), R"(,"seedLength":4)");
    read("$B\n" + call("c1") + step("k", 0) + "$E\n$B\n" + step("l", 0), family, header);
    EXPECT_EQ(family.turns(), 1U);
    ASSERT_EQ(family.children().size(), 1U);
    EXPECT_EQ(family.children().front()->child_id, "l");
    EXPECT_EQ(family.children().front()->link.how, session::Link::How::none);
}

TEST(Family, AWorkflowTellsWhoseItsChildrenAre) {
    session::Family family;
    read(event("tool-workflow/run-start", R"({"runId":"w","name":"audit"})") +
             event("tool-workflow/agent-start",
                   R"({"runId":"w","seq":0,"label":"first","phase":"p","childId":"k"})") +
             event("tool-workflow/agent-start", R"({"runId":"w","seq":1,"label":"second","childId":"l"})") +
             event("tool-workflow/agent-end", R"({"runId":"w","seq":1,"outcome":"ok"})") + call("c1") +
             step("k", 0),
         family);
    ASSERT_EQ(family.children().size(), 2U);
    const session::ChildFacts& child = *family.children().front();
    EXPECT_EQ(child.child_id, "k");
    EXPECT_EQ(child.label, "first");
    EXPECT_EQ(child.workflow, "audit");
    EXPECT_EQ(child.link.how, session::Link::How::told);
    EXPECT_EQ(child.steps, 1U);
    EXPECT_EQ(family.children().back()->label, "second");
}

// ---- Catalogs

std::string catalog(std::string_view version, std::string_view children) {
    return event("subagent/catalog", fmt::format(R"({{"version":{},"children":[{}]}})", version, children),
                 R"(,"ignorable":true)");
}

/// `id mode provider label`, then the faults.
Lines catalog_of(const std::string& body) {
    session::Family family;
    read(body, family);
    Lines lines;
    for (const session::ChildFacts* child : family.children()) {
        lines.push_back(fmt::format("{} {} {} {}", child->child_id,
                                    child->mode ? session::mode_name(*child->mode) : "-", child->provider,
                                    child->label.value_or("-")));
    }
    for (const std::string& fault : family.catalog_faults()) lines.push_back(fault);
    return lines;
}

TEST(Catalog, EachVersionHasItsModes) {
    const std::string children = R"({"childId":"a","mode":"one-shot","provider":"p","label":"l"},)"
                                 R"({"childId":"b","mode":"continuable"},)"
                                 R"({"childId":"c","mode":"unknown"},)"
                                 R"({"childId":"d","mode":"external","provider":"acp"})";
    EXPECT_EQ(catalog_of(catalog("0", children)), (Lines{"a one-shot p l", "b continuable  -",
                                                         "line 2: 2 entries in the catalog cannot be read"}));
    EXPECT_EQ(catalog_of(catalog("1", children)), (Lines{"a one-shot p l", "b continuable  -", "c unknown  -",
                                                         "line 2: an entry in the catalog cannot be read"}));
    EXPECT_EQ(catalog_of(catalog("2", children)),
              (Lines{"a one-shot p l", "b continuable  -", "c unknown  -", "d external acp -"}));
}

TEST(Catalog, WhatItCannotReadIsSaidAndHarmsNothing) {
    EXPECT_EQ(catalog_of(catalog("3", "")), (Lines{"line 2: the catalog has version 3; expected 0, 1 or 2"}));
    EXPECT_EQ(catalog_of(catalog("\"2\"", "")),
              (Lines{"line 2: the catalog has version \"2\"; expected 0, 1 or 2"}));
    EXPECT_EQ(catalog_of(event("subagent/catalog", "null", R"(,"ignorable":true)")),
              (Lines{"line 2: the catalog has no version"}));
    EXPECT_EQ(catalog_of(event("subagent/catalog", R"({"version":0})", R"(,"ignorable":true)")),
              (Lines{"line 2: the catalog has no list of children"}));
    EXPECT_EQ(catalog_of(catalog("2", R"(null,5,{},{"childId":"a"},{"childId":"","mode":"unknown"},)"
                                      R"({"childId":"b","mode":"unknown","provider":5,"label":5,"callId":5},)"
                                      R"({"childId":"b","mode":"external"})")),
              (Lines{"b unknown  -", "line 2: 6 entries in the catalog cannot be read"}));
}

TEST(Catalog, LaterOnesAddToIt) {
    EXPECT_EQ(
        catalog_of(step("x", 0) + catalog("0", R"({"childId":"b","mode":"one-shot"})") +
                   catalog("2", R"({"childId":"a","mode":"external"},{"childId":"b","mode":"unknown"})")),
        (Lines{"b unknown  -", "a external  -", "x - acp -"}));
}

TEST(Catalog, TellsTheCall) {
    EXPECT_EQ(links(call("c1") + call("c2") + step("k", 0) +
                    catalog("2", R"({"childId":"k","mode":"external","callId":"c2"})")),
              (Lines{"k told c2"}));
}

/// The tree of logs: `depth relation id`.
Lines tree(const std::vector<std::pair<std::string, std::string>>& logs) {
    std::vector<session::Header> headers;
    std::vector<std::unique_ptr<session::Family>> families;
    for (const auto& [header, body] : logs) {
        families.push_back(std::make_unique<session::Family>());
        const session::Judgement judgement = read(body, *families.back(), header);
        headers.push_back(judgement.header.value());
    }
    std::vector<session::TreeSession> sessions;
    for (std::size_t i = 0; i < logs.size(); ++i) sessions.push_back({&headers[i], families[i].get()});
    Lines lines;
    for (const session::TreeRow& row : session::tree_of(sessions)) {
        lines.push_back(fmt::format(
            "{} {} {}", row.depth, session::relation_name(row.relation),
            row.session == session::TreeRow::none ? row.child->child_id : headers[row.session].id));
    }
    return lines;
}

std::string header_of(std::string_view id, std::string_view parent, unsigned created) {
    return fmt::format(
        R"({{"type":"session","version":0,"id":"{}","createdAt":{},"delegationDepth":0{}}})", id, created,
        parent.empty() ? "" : fmt::format(R"(,"parentSession":"{}","origin":"subagent")", parent));
}

TEST(Tree, ChildrenStandInTheCatalogsOrder) {
    const std::string body =
        step("seen", 0) +
        catalog("2", R"({"childId":"late","mode":"one-shot"},{"childId":"out","mode":"external"},)"
                     R"({"childId":"gone","mode":"continuable"})");
    EXPECT_EQ(tree({{header_of("p", "", 1), body},
                    {header_of("early", "p", 2), ""},
                    {header_of("late", "p", 3), ""},
                    {header_of("below", "late", 4), ""}}),
              (Lines{"0 root p", "1 subagent late", "2 subagent below", "1 external out", "1 unseen gone",
                     "1 subagent early", "1 external seen"}));
}

TEST(Tree, WhatACatalogClaimsOfAnothersChildIsALeaf) {
    EXPECT_EQ(tree({{header_of("a", "", 1), catalog("1", R"({"childId":"x","mode":"unknown"},)"
                                                         R"({"childId":"a","mode":"unknown"})")},
                    {header_of("b", "", 2), ""},
                    {header_of("x", "b", 3), ""},
                    {header_of("y", "x", 4), ""}}),
              (Lines{"0 root a", "1 foreign x", "1 foreign a", "0 root b", "1 subagent x", "2 subagent y"}));
}

TEST(Tree, AnExternalEntryIsALeafThoughASessionHasItsId) {
    EXPECT_EQ(tree({{header_of("a", "", 1), catalog("2", R"({"childId":"x","mode":"external"})")},
                    {header_of("x", "", 3), ""},
                    {header_of("y", "x", 4), ""}}),
              (Lines{"0 root a", "1 external x", "0 root x", "1 subagent y"}));
}

TEST(Tree, ASessionOfAWorkflowIsTheSessionItself) {
    EXPECT_EQ(
        tree({{header_of("a", "", 1),
               event("tool-workflow/agent-start", R"({"runId":"w","seq":0,"label":"l","childId":"x"})") +
                   event("tool-workflow/agent-start", R"({"runId":"w","seq":1,"label":"l","childId":"z"})")},
              {header_of("x", "a", 3), ""}}),
        (Lines{"0 root a", "1 subagent x", "1 unseen z"}));
}

TEST(Content, IsTextInLines) {
    const auto text = [](std::string_view content) {
        base::JsonDocument document;
        return session::content_text(document.parse(content).value());
    };
    EXPECT_EQ(text(R"([{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"},{}])"),
              "a\n[image]\nb\n[block]");
    EXPECT_EQ(text(R"([{"type":"tool-result","content":[{"type":"text","text":"a"},{"type":"image"}]}])"),
              "a\n[image]");
    EXPECT_EQ(text(R"("plain")"), "plain");
    EXPECT_EQ(text("5"), "");
}

}  // namespace
}  // namespace drydock::test
