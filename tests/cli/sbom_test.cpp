// What sbom writes of a report, and through the real binary.
#include <memory>

#include <nlohmann/json.hpp>

#include "cli/render_sbom.hpp"
#include "tests/cli/application.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::json;
using install::FileReport;
using install::PackageReport;
using install::State;

FileReport file(const std::string& path, State state, const std::string& bytes, const std::string& stock) {
    FileReport report;
    report.origin = manifest::Origin::published;
    report.path = path;
    report.state = state;
    if (!bytes.empty()) report.sha256 = base::sha256(bytes);
    if (!stock.empty()) report.stock = base::sha256(stock);
    return report;
}

PackageReport package(const std::string& name, State state, std::vector<FileReport> files) {
    PackageReport report;
    report.name = name;
    report.root = "image";
    report.directory = "/srv/node_modules/" + name;
    report.version = "1.0.0";
    report.state = state;
    report.files = std::move(files);
    report.why = "a line is missing\n";
    report.resolves = "the line is there";
    return report;
}

install::HeldPatch held(const std::string& label, unsigned revision, const std::string& text) {
    return {label, revision, {"lib/index.js"}, std::make_shared<const std::string>(text)};
}

SetReport every_kind() {
    SetReport report;
    report.outcome.set = "example";
    report.outcome.version = "1.0.0";
    report.outcome.revision = 2;
    std::vector<PackageReport>& packages = report.outcome.packages;
    packages.push_back(package(
        "@acme/core", State::patched,
        {file("lib/index.js", State::patched, "patched", "stock"),
         file("lib/made.js", State::patched, "made", ""), file("lib/gone.js", State::patched, "", "gone")}));
    packages.back().patches = {held("revision 2", 2, "--- a/x\n+++ b/x\n")};
    packages.back().files[0].second_copies = {"lib/types/index.js"};
    packages.push_back(package("@acme/plugin", State::patched, {}));
    packages.back().requirements = {"@acme/core", "@acme/twice"};
    packages.push_back(package("@acme/twice", State::stock, {}));
    packages.push_back(package("@acme/twice", State::stock, {}));
    packages.back().directory = "/srv/other/node_modules/@acme/twice";
    packages.push_back(package("latin", State::other_revision,
                               {file("lib/index.js", State::other_revision, "théirs", "stock")}));
    packages.back().files[0].label = "tidepool's patch";
    packages.back().patches = {held("tidepool's patch", 0, "-caf\xe9\n")};
    packages.push_back(package("newer", State::wrong_version, {}));
    packages.back().found_name = "@other/new er";
    packages.back().version = "2.0.0+build/1";
    packages.push_back(package("gone", State::absent, {}));
    packages.push_back(package("locked", State::unreadable, {}));
    packages.back().version = "";
    base::Error note;
    note.kind = base::ErrorKind::io;
    note.package = "locked";
    note.message = "cannot be opened";
    report.outcome.notes = {note};
    return report;
}

TEST(Sbom, OfEveryKind) {
    test::expect_golden("cli/data/sbom/every-kind.json", sbom_document(every_kind()));
}

TEST(Sbom, ASerialNumberIsMadeFromAllThatIsSaid) {
    const std::string first = Json::parse(sbom_document(every_kind()))["serialNumber"];
    SetReport other = every_kind();
    other.outcome.packages[0].directory += "2";
    const std::string second = Json::parse(sbom_document(other))["serialNumber"];
    EXPECT_NE(first, second);
    EXPECT_EQ(Json::parse(sbom_document(every_kind()))["serialNumber"], first);
    EXPECT_EQ(first[23], '8') << first;  // the version that says: the bits are the application's
    EXPECT_NE(std::string("89ab").find(first[28]), std::string::npos) << first;
}

TEST(Sbom, PackageUrls) {
    EXPECT_EQ(package_url("@deepseek-ai/dsh-session", "0.1.1-rc.2"),
              "pkg:npm/%40deepseek-ai/dsh-session@0.1.1-rc.2");
    EXPECT_EQ(package_url("lodash", ""), "pkg:npm/lodash");
    EXPECT_EQ(package_url("a~b", "1.0.0+x/y"), "pkg:npm/a~b@1.0.0%2Bx%2Fy");
}

using SbomCommand = Application;

TEST_F(SbomCommand, TellsWhatIsPatched) {
    drydock({"apply", "-p", "core"});
    const Run run = drydock({"sbom"});
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    const Json components = Json::parse(run.out)["components"];
    ASSERT_EQ(components.size(), 2U);
    EXPECT_EQ(components[0]["purl"], "pkg:npm/%40acme/core@1.0.0");
    const Json& pedigree = components[0]["pedigree"];
    EXPECT_EQ(pedigree["patches"][0]["diff"]["text"]["content"], test::read(app("sets/core.patch")));
    EXPECT_EQ(pedigree["patches"][0]["resolves"][0]["description"], "the core must have it");
    EXPECT_EQ(pedigree["ancestors"][0]["components"][0]["hashes"][0]["content"],
              base::to_hex(base::sha256(core_stock)));
    EXPECT_EQ(components[0]["components"][0]["hashes"][0]["content"],
              base::to_hex(base::sha256(core_patched)));
    EXPECT_EQ(components[1]["purl"], "pkg:npm/%40acme/plugin@1.0.0");
    EXPECT_FALSE(components[1].contains("pedigree"));
    EXPECT_EQ(drydock({"sbom"}).out, run.out);
    EXPECT_EQ(Json::parse(drydock({"sbom", "-p", "plugin"}).out)["components"].size(), 1U);
}

TEST_F(SbomCommand, AStateIsInformation) {
    test::write(app(core + "/lib/index.js"), "something else\n");
    const Run run = drydock({"sbom"});
    const std::string drifted = "lib/index.js: drifted: neither stock nor patched (sha256 " +
                                base::short_hex(base::sha256("something else\n")) + "); reinstall 1.0.0";
    EXPECT_EQ(run.err, "drydock: note: core: " + drifted + "\n");
    EXPECT_EQ(run.exit, 0);
    const Json document = Json::parse(run.out);
    EXPECT_EQ(document["metadata"]["properties"][4],
              Json({{"name", "drydock:note"}, {"value", "@acme/core: " + drifted}}));
    EXPECT_EQ(document["components"][0]["properties"][1],
              Json({{"name", "drydock:state"}, {"value", "drifted"}}));
}

TEST_F(SbomCommand, PrintsNothingWithoutAManifest) {
    const Run run = drydock({"sbom", "--dsh-version", "1.0.1"});
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err,
              "drydock: APP/sets: no set for version 1.0.1; there are 1.0.0 (did you mean '1.0.0'?)\n");
    EXPECT_EQ(run.exit, 2);
    EXPECT_EQ(drydock({"sbmo"}).err,
              "drydock: unknown command 'sbmo' (did you mean 'sbom'?)\n  see 'drydock help'\n");
    EXPECT_EQ(drydock({"sbom", "--json"}).exit, 2);
}

}  // namespace
}  // namespace drydock::cli
