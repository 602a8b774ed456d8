// session/store.cpp, session/tree.cpp and session/family.cpp, against the published listing.
#include "session/store.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "session/family.hpp"
#include "session/frames.hpp"
#include "session/tree.hpp"
#include "tests/session/loader.hpp"
#include "tests/support/house.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

using nlohmann::json;
using session::Relation;
using session::TreeRow;

/// A log of a store, read.
struct ReadLog {
    session::StoredLog stored;
    session::Judgement judgement;
    std::unique_ptr<session::Family> family = std::make_unique<session::Family>();
};

struct ReadStore {
    session::Store store;
    std::vector<ReadLog> logs;
    std::vector<TreeRow> rows;
};

ReadStore read_all(const std::string& root) {
    ReadStore read;
    read.store = session::read_store(root);
    EXPECT_TRUE(read.store.unreadable.empty());
    std::vector<session::TreeSession> sessions;
    for (const session::StoredLog& stored : read.store.logs) {
        ReadLog& log = read.logs.emplace_back();
        log.stored = stored;
        const base::FileDescriptor file(open(stored.path.c_str(), O_RDONLY | O_CLOEXEC));
        session::JudgeOptions options = options_for(stored.path);
        const base::Result<session::Judgement> judgement = session::judge(file, options, log.family.get());
        EXPECT_TRUE(judgement);
        if (judgement) log.judgement = *judgement;
    }
    for (const ReadLog& log : read.logs) sessions.push_back({&log.stored.header, log.family.get()});
    read.rows = session::tree_of(sessions);
    return read;
}

/// A row in the words of the published listing, as far as both have them.
json in_its_words(const ReadStore& read, const TreeRow& row, std::size_t depth) {
    const ReadLog& log = read.logs[row.session];
    json entry = {
        {"id", log.stored.header.id}, {"depth", depth}, {"parentId", read.logs[row.parent].stored.header.id}};
    const std::optional<session::Descriptor>& descriptor = log.family->descriptor();
    if (log.judgement.stock.verdict == session::Verdict::refused || !descriptor) {
        entry["kind"] = "diagnostic";
        entry["reason"] = descriptor || log.judgement.stock.verdict == session::Verdict::refused
                              ? "unavailable"
                              : "corrupt";
        return entry;
    }
    entry["kind"] = "child";
    entry["mode"] = session::mode_name(descriptor->mode);
    if (descriptor->label) entry["label"] = *descriptor->label;
    return entry;
}

/// What is below the sessions that are below none, by their ids.
std::map<std::string, json> trees_of(const ReadStore& read) {
    std::map<std::string, json> trees;
    json* tree = nullptr;
    for (const TreeRow& row : read.rows) {
        if (row.depth == 0) {
            tree = &(trees[read.logs[row.session].stored.header.id] = json::array());
        } else if (row.relation == Relation::subagent) {
            tree->push_back(in_its_words(read, row, row.depth));
        }
    }
    return trees;
}

/// The ids of all sessions below none.
json roots_of(const ReadStore& read) {
    json roots = json::array();
    for (const auto& [id, tree] : trees_of(read)) roots.push_back(id);
    return roots;
}

json list_command(const std::string& root, bool zstd, const json& of) {
    return {{"list", root}, {"compression", zstd ? "zstd" : "none"}, {"of", of}};
}

/// Ours and the listing's must be the same; whether the listing refused the store.
bool compare(const ReadStore& read, const json& answer, const std::string& what) {
    const bool refused = answer.contains("refused");
    std::string reasons;
    for (const session::StoreFault& fault : read.store.refusals)
        reasons += fmt::format("{}: {}: {}\n", fault.code, fault.path, fault.message);
    EXPECT_EQ(refused, !read.store.refusals.empty()) << what << '\n' << answer.dump() << '\n' << reasons;
    if (refused || !read.store.refusals.empty()) return refused;
    std::set<std::string> ids;
    for (const session::StoredLog& log : read.store.logs) ids.insert(log.header.id);
    EXPECT_EQ(ids, answer["headers"].get<std::set<std::string>>()) << what;
    for (const auto& [id, tree] : trees_of(read)) {
        json theirs = json::array();
        for (json entry : answer["below"][id]) {
            entry.erase("activity");
            entry.erase("hasChildren");
            theirs.push_back(entry);
        }
        EXPECT_EQ(tree, theirs) << what << ": " << id;
    }
    return refused;
}

std::string header_line(const std::string& id, unsigned created, const std::string& more) {
    return fmt::format(
        R"({{"type":"session","version":0,"id":"{}","createdAt":{},"cwd":"/srv/x","delegationDepth":0{}}})"
        "\n",
        id, created, more);
}

void write_log(const std::string& folder, bool zstd, const std::string& header, const std::string& body) {
    const std::string frames = session::make_frame(header).value() +
                               (body.empty() ? std::string() : session::make_frame(body).value());
    write(folder + (zstd ? "/session.jsonl.zstd" : "/session.jsonl"), zstd ? frames : header + body);
}

// ---- What the published packages wrote

json one_shot(const json& more = json::object()) {
    json data = {{"version", 2}, {"mode", "one-shot"}, {"provider", "spawn"}};
    data.update(more);
    return data;
}

json continuable(const json& more = json::object()) {
    json data = {{"version", 2}, {"mode", "continuable"}, {"provider", "fork"}, {"label", "l"}};
    data.update(more);
    return data;
}

json session_of(const std::string& id, const std::string& parent, unsigned created, const json& events) {
    json meta = {{"cwd", "/srv/x"}, {"createdAt", created}, {"delegationDepth", parent.empty() ? 0 : 1}};
    if (!parent.empty()) {
        meta["parentSession"] = parent;
        meta["origin"] = "subagent";
    }
    return {{"id", id}, {"meta", meta}, {"events", events}};
}

/// A session without an event has no log.
json event(const std::string& type, const json& data) {
    return json::array({type, data});
}

const json title = event(
    "session/title", {{"title", "t"}, {"messageSeqs", json::array()}, {"source", {{"kind", "fallback"}}}});

TEST(Tree, AgreesWithTheListingOfWhatThePackagesWrote) {
    for (const bool zstd : {true, false}) {
        const TemporaryDirectory folder;
        json sessions = json::array();
        sessions.push_back(session_of("root", "", 5, json::array({title})));
        sessions.push_back(session_of(
            "b", "root", 7, json::array({event("subagent/descriptor", one_shot({{"label", "x"}}))})));
        sessions.push_back(
            session_of("a", "root", 7, json::array({event("subagent/descriptor", continuable())})));
        sessions.push_back(session_of("c", "root", 6, json::array({title})));
        sessions.push_back(session_of("d", "b", 9, json::array({event("subagent/descriptor", one_shot())})));
        sessions.push_back({{"id", "fork"}, {"fork", "d"}, {"events", json::array({title})}});
        sessions.push_back(
            session_of("e", "fork", 9, json::array({event("subagent/descriptor", continuable())})));
        const json write = {
            {"write", folder / "store"}, {"compression", zstd ? "zstd" : "none"}, {"sessions", sessions}};
        const std::vector<std::string> answers =
            ask_house({write.dump(), list_command(folder / "store", zstd, {"root"}).dump()});
        const ReadStore read = read_all(folder / "store");
        EXPECT_FALSE(compare(read, json::parse(answers[1]), zstd ? "zstd" : "plain"));
        std::string order;
        for (const TreeRow& row : read.rows) {
            order +=
                fmt::format("{}{} {}\n", std::string(row.depth, ' '), read.logs[row.session].stored.header.id,
                            session::relation_name(row.relation));
        }
        EXPECT_EQ(
            order,
            "root root\n c subagent\n a subagent\n b subagent\n  d subagent\n   fork fork\n    e subagent\n");
    }
}

TEST(Tree, ReadsDescriptorsAsTheListingDoes) {
    std::vector<json> descriptors = {
        nullptr,
        5,
        "x",
        json::array(),
        json::object(),
        one_shot(),
        continuable(),
        one_shot({{"label", "x"}}),
        one_shot({{"label", nullptr}}),
        one_shot({{"label", 5}}),
        one_shot({{"persona", "x"}}),
        one_shot({{"version", 1}}),
        one_shot({{"version", 3}}),
        one_shot({{"version", "2"}}),
        one_shot({{"version", 2.5}}),
        one_shot({{"provider", 5}}),
        one_shot({{"mode", "other"}}),
        continuable({{"label", nullptr}}),
        continuable({{"persona", "x"}}),
        continuable({{"persona", 5}}),
        continuable({{"agentProvider", "x"}, {"agentModel", "y"}}),
        continuable({{"agentProvider", nullptr}}),
        continuable({{"agentModel", false}}),
        continuable({{"toolFilter", json::object()}}),
        continuable({{"toolFilter", json::array()}}),
        continuable({{"toolFilter", {{"allow", {"a"}}}}}),
        continuable({{"toolFilter", {{"deny", {"a", 5}}}}}),
        continuable({{"toolFilter", {{"allow", json::array()}, {"deny", {"b"}}}}}),
        continuable({{"toolFilter", {{"allow", {"a"}}, {"other", 1}}}}),
        continuable({{"toolFilter", {{"deny", nullptr}}}}),
        continuable({{"other", 1}}),
        one_shot({{"version", json::parse("2.0")}})};
    json keyless = continuable();
    keyless.erase("label");
    descriptors.push_back(keyless);
    keyless.erase("provider");
    descriptors.push_back(keyless);
    const TemporaryDirectory folder;
    const std::string root = folder / "store";
    write_log(root + "/--srv-x--/root", false, header_line("root", 0, ""), "");
    std::size_t usable = 0;
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        const std::string id = fmt::format("c{:02}", i);
        // Twice: the last one counts.
        const std::string body = fmt::format(R"({{"type":"subagent/descriptor","seq":0,"time":1,"data":{}}})"
                                             "\n"
                                             R"({{"type":"subagent/descriptor","seq":1,"time":1,"data":{}}})"
                                             "\n",
                                             one_shot({{"label", "first"}}).dump(), descriptors[i].dump());
        write_log(root + "/--srv-x--/" + id, false,
                  header_line(id, 1, R"(,"parentSession":"root","origin":"subagent")"), body);
    }
    const ReadStore read = read_all(root);
    EXPECT_FALSE(compare(read, json::parse(ask_house({list_command(root, false, {"root"}).dump()}).front()),
                         "descriptors"));
    for (const ReadLog& log : read.logs) usable += log.family->descriptor() ? 1 : 0;
    EXPECT_EQ(usable, 8U);
}

// ---- What nobody should have written

/// Stores with sessions that have each other for parents, in whatever way, and with faults.
class RandomStores {
  public:
    explicit RandomStores(unsigned seed) : random_(seed) {}

    /// Makes one, and gives whether it has frames.
    bool make(const std::string& root) {
        const bool zstd = one_in(2);
        const unsigned count = 1 + below(7);
        for (unsigned i = 0; i < count; ++i) {
            const std::string id = std::string(1, static_cast<char>('a' + i));
            std::string more;
            if (!one_in(4)) {
                more += fmt::format(R"(,"parentSession":"{}")",
                                    static_cast<char>('a' + below(one_in(8) ? count + 2 : count)));
            }
            if (!one_in(4)) more += R"(,"origin":"subagent")";
            write_log(root + "/--srv-x--/" + id, zstd, header_line(id, below(4), more), body());
        }
        if (one_in(3)) add_fault(root, zstd);
        return zstd;
    }

  private:
    unsigned below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_); }
    bool one_in(unsigned count) { return below(count) == 0; }

    std::string body() {
        switch (below(8)) {
            case 0:
                return R"({"type":"turn/start","seq":0,"time":1,"data":{"turn":1}})"
                       "\n";
            case 1:
                return R"({"type":"unknown/type","seq":0,"time":1,"data":{}})"
                       "\n";
            case 2:
                return R"({"type":"subagent/descriptor","seq":0,"time":1,"data":{"version":2}})"
                       "\n";
            default:
                return fmt::format(R"({{"type":"subagent/descriptor","seq":0,"time":1,"data":{}}})"
                                   "\n",
                                   (one_in(2) ? one_shot() : continuable({{"label", "x"}})).dump());
        }
    }

    void add_fault(const std::string& root, bool zstd) {
        const std::string project = root + "/--srv-x--/";
        const std::string suffix = zstd ? ".jsonl.zstd" : ".jsonl";
        switch (below(16)) {
            case 0:
                return write(project + "old" + suffix, "");
            case 1:
                return write(project + "old.jsonl", "");
            case 2:
                return write(root + "/other/x" + suffix, "x");
            case 3:
                return write(root + "/loose.jsonl", "x");
            case 4:
                return write_log(project + "z", zstd, header_line("y", 1, ""), "");
            case 5:
                return write_log(root + "/--srv-y--/z", zstd, header_line("z", 1, ""), "");
            case 6:
                return write_log(project + "z", !zstd, header_line("z", 1, ""), "");
            case 7:
                return write_log(project + "z", zstd, header_line("z", 1, R"(,"sandboxMode":null)"), "");
            case 8:
                return write_log(project + "z", zstd, "{}\n", "");
            case 9:
                return write(project + "z/session" + suffix, "");
            case 10:
                return write(project + "z/session" + suffix, zstd ? "\x28\xB5\x2F\xFD" : "{");
            case 11:
                return write(project + "z/session" + suffix, "no header, and no frame\n");
            case 12: {
                write_log(root + "/kept/a", zstd, header_line("a", 1, ""), "");
                std::filesystem::create_directory_symlink("kept", root + "/--srv-x2--");
                return;
            }
            case 13: {
                std::filesystem::rename(root + "/--srv-x--", root + "/real");
                std::filesystem::create_directory_symlink("real", root + "/--srv-x--");
                return;
            }
            case 14:
                return write_log(project + "z", zstd, header_line("z", 1, "") + "{}\n", "");
            default: {
                std::string header = header_line("z", 1, "");
                header.replace(header.find("\"version\":0"), 11, "\"version\":7");
                write_log(project + "z", zstd, header, "");
            }
        }
    }

    std::mt19937 random_;
};

TEST(Tree, AgreesWithTheListingOnRandomStores) {
    constexpr unsigned rounds = 200;
    const TemporaryDirectory folder;
    RandomStores stores(1);
    std::vector<ReadStore> ours;
    std::vector<std::string> commands;
    for (unsigned i = 0; i < rounds; ++i) {
        const std::string root = folder / std::to_string(i);
        const bool zstd = stores.make(root);
        ours.push_back(read_all(root));
        commands.push_back(list_command(root, zstd, roots_of(ours.back())).dump());
    }
    const std::vector<std::string> answers = ask_house(commands);
    unsigned refused = 0;
    std::map<Relation, unsigned> relations;
    for (unsigned i = 0; i < rounds; ++i) {
        if (compare(ours[i], json::parse(answers[i]), fmt::format("store {}", i))) ++refused;
        for (const TreeRow& row : ours[i].rows) ++relations[row.relation];
        std::set<std::size_t> seen;
        for (const TreeRow& row : ours[i].rows)
            EXPECT_TRUE(seen.insert(row.session).second) << "store " << i << ": a session stands twice";
        EXPECT_EQ(seen.size(), ours[i].logs.size()) << "store " << i << ": a session is missing";
    }
    EXPECT_GE(refused, rounds / 20);
    EXPECT_LE(refused, rounds / 3);
    for (const Relation each :
         {Relation::root, Relation::orphan, Relation::looped, Relation::subagent, Relation::fork})
        EXPECT_GE(relations[each], 20U) << session::relation_name(each);
}

TEST(Store, TellsEveryReasonAgainstAListing) {
    const TemporaryDirectory folder;
    const std::string root = folder / "s";
    write_log(root + "/--srv-x--/a", false, header_line("a", 1, ""), "");
    write_log(root + "/--srv-x--/b", true, header_line("b", 1, ""), "");
    write_log(root + "/--srv-x--/c", false, header_line("d", 1, ""), "");
    write_log(root + "/--srv-x--/e", false, header_line("e", 1, R"(,"approvalPolicy":1)"), "");
    write_log(root + "/--srv-x--/f", false, "x\n", "");
    write_log(root + "/--srv-y--/a", false, header_line("a", 1, ""), "");
    write(root + "/--srv-x--/g/session.jsonl.zstd", "no frame");
    write(root + "/--srv-x--/h.jsonl", "");
    const session::Store store = session::read_store(root);
    EXPECT_TRUE(store.unreadable.empty());
    std::string told;
    for (const session::StoreFault& fault : store.refusals)
        told += fmt::format("{} {}: {}\n", fault.code, fault.path.substr(root.size()), fault.message);
    const std::string zstd = root + "/--srv-x--/b/session.jsonl.zstd";
    EXPECT_EQ(told,
              "identity /--srv-x--/c/session.jsonl: the header's id and cwd belong into --srv-x--/d, and the "
              "log lies in --srv-x--/c\n"
              "retired-header /--srv-x--/e/session.jsonl: the header has a retired key: sandboxMode or "
              "approvalPolicy\n"
              "broken-header /--srv-x--/g/session.jsonl.zstd: no zstd frame begins at byte 0\n"
              "flat-layout /--srv-x--/h.jsonl: lies in a project's folder, as in old stores; a log has a "
              "folder of its own there\n"
              "identity /--srv-y--/a/session.jsonl: the header's id and cwd belong into --srv-x--/a, and the "
              "log lies in --srv-y--/a\n"
              "duplicate-id /--srv-y--/a/session.jsonl: has the id a, as " +
                  root +
                  "/--srv-x--/a/session.jsonl has\n"
                  "mixed-encodings /--srv-x--/a/session.jsonl: lies in one store with " +
                  zstd + "; a harness is set to one encoding\n");
    EXPECT_EQ(store.skipped, (std::vector<std::string>{root + "/--srv-x--/f/session.jsonl"}));
    EXPECT_TRUE(session::is_store(root));
    EXPECT_FALSE(session::is_store(root + "/--srv-x--"));
    EXPECT_FALSE(session::is_store(root + "/none"));
    const session::Store none = session::read_store(root + "/none");
    ASSERT_EQ(none.unreadable.size(), 1U);
    EXPECT_EQ(none.unreadable[0].path, root + "/none");
    EXPECT_EQ(none.unreadable[0].error.message, "cannot read " + root + "/none: no such file or directory");
}

}  // namespace
}  // namespace drydock::test
