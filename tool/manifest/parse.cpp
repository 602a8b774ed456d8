#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/directory.hpp"
#include "manifest/check.hpp"
#include "manifest/fields.hpp"
#include "manifest/manifest.hpp"
#include "manifest/names.hpp"
#include "manifest/yaml.hpp"

namespace drydock::manifest {

namespace {

// Each reader takes the value of its part and gives the part; what is wrong goes to the problem.

/// One of a few words; it must be there if there is no `otherwise`.
std::string read_word(const Fields& fields, std::string_view key, std::string_view otherwise,
                      const std::vector<std::string>& words, Problem& problem) {
    std::string word = otherwise.empty() ? fields.text(key) : fields.text_or(key, otherwise);
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        problem.refuse(fields.need(key).line,
                       fmt::format("'{}' is {}{}", key, in_quotes(word), expected_one_of(word, words)));
    }
    return word;
}

void read_schema(const Fields& fields, Problem& problem) {
    const Value& schema = fields.need("schema");
    if (read_number(schema, "schema", 1, problem) != 1) {
        problem.refuse(schema.line,
                       fmt::format("schema {}; this drydock reads schema 1", in_quotes(schema.text)));
    }
}

void read_set(const Value& value, Manifest& manifest, Problem& problem) {
    const Fields fields(value, "'set'", {"name", "version", "revision", "status"}, problem);
    manifest.name = fields.text("name");
    manifest.version = fields.text("version");
    if (!is_plain_version(manifest.version)) {
        problem.refuse(fields.need("version").line,
                       fmt::format("version {}; expected letters, digits and any of . - + _",
                                   in_quotes(manifest.version)));
    }
    manifest.revision = fields.number("revision");
    const std::string status = read_word(fields, "status", "active", {"active", "adopted"}, problem);
    manifest.status = status == "adopted" ? Status::adopted : Status::active;
}

PatchReference read_patch_reference(const Value& value, Problem& problem) {
    const Fields fields(value, "'patch'", {"file", "sha256"}, problem);
    PatchReference patch;
    patch.path = fields.text("file");
    patch.sha256 = fields.digest("sha256");
    patch.line = fields.line();
    if (patch.path.starts_with('/')) {
        problem.refuse(fields.need("file").line,
                       fmt::format("patch file {} is an absolute path; expected one from the "
                                   "manifest's folder",
                                   in_quotes(patch.path)));
    }
    return patch;
}

bool is_commit(std::string_view text) {
    return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Source read_source(const Value& value, Problem& problem) {
    const Fields fields(value, "'source'", {"tag", "commit", "patch"}, problem);
    Source source;
    source.tag = fields.text("tag");
    source.commit = fields.text("commit");
    if (!is_commit(source.commit)) {
        problem.refuse(fields.need("commit").line,
                       fmt::format("commit {}; expected all 40 lower-case hexadecimal digits",
                                   in_quotes(source.commit)));
    }
    if (const Value* patch = fields.find("patch")) source.patch = read_patch_reference(*patch, problem);
    return source;
}

void check_stages(const Fields& fields, std::string_view key, Problem& problem) {
    const std::vector<std::string> known{std::string(stage_image), std::string(stage_boot)};
    for (const Value& item : fields.items(key)) {
        if (std::find(known.begin(), known.end(), item.text) != known.end()) continue;
        problem.refuse(item.line, fmt::format("unknown stage {}{}", in_quotes(item.text),
                                              expected_one_of(item.text, known)));
    }
}

/// A text with variables, held against their syntax.
std::string read_template(const Value& value, std::string_view key, Problem& problem) {
    std::string text = read_text(value, key, problem);
    const auto filled = expand(text, [](std::string_view) { return std::optional<std::string>("value"); });
    if (!filled) problem.refuse(value.line, filled.error().message);
    if (!text.starts_with('/') && !text.starts_with("${")) {
        problem.refuse(value.line,
                       fmt::format("'{}' is {}; expected an absolute path, or one that starts with a "
                                   "variable",
                                   key, in_quotes(text)));
    }
    return text;
}

Root read_root(const Value& value, Problem& problem) {
    const Fields fields(value, "a root", {"name", "path", "may-be-missing"}, problem);
    Root root;
    root.name = fields.text("name");
    root.path = read_template(fields.need("path"), "path", problem);
    root.may_be_missing = fields.texts("may-be-missing");
    check_stages(fields, "may-be-missing", problem);
    root.line = fields.line();
    return root;
}

std::vector<Root> read_roots(const Fields& fields, Problem& problem) {
    std::vector<Root> roots;
    std::map<std::string, std::size_t> lines;
    for (const Value& item : fields.items("roots")) {
        roots.push_back(read_root(item, problem));
        const Root& root = roots.back();
        const auto [first, fresh] = lines.emplace(root.name, root.line);
        if (fresh) continue;
        problem.refuse(root.line, fmt::format("root {} stands twice, first on line {}", in_quotes(root.name),
                                              first->second));
    }
    return roots;
}

/// The name of one of the manifest's roots, which are read by then.
std::string read_root_name(const Fields& fields, const Manifest& manifest, Problem& problem) {
    std::string root = fields.text("root");
    if (manifest.find_root(root) != nullptr) return root;
    std::vector<std::string> names;
    for (const Root& known : manifest.roots) names.push_back(known.name);
    const std::string hint =
        names.empty() ? "; expected one of 'roots', which has none" : expected_one_of(root, names);
    problem.refuse(fields.need("root").line, fmt::format("unknown root {}{}", in_quotes(root), hint));
    return root;
}

/// Whether a path stays in its package: node_modules in it hold other packages.
bool stays_inside(std::string_view path) {
    if (!base::is_safe_relative(path)) return false;
    return fmt::format("/{}/", path).find("/node_modules/") == std::string::npos;
}

void check_path(std::string_view path, std::size_t line, Problem& problem) {
    if (("/" + std::string(path)).find("/.drydock-") != std::string::npos) {
        problem.refuse(line,
                       fmt::format("path {} has a part that begins with '.drydock-'; drydock keeps such "
                                   "names for itself",
                                   in_quotes(path)));
    }
    if (stays_inside(path)) return;
    problem.refuse(line,
                   fmt::format("path {} leaves its package; expected a plain relative path below it, without "
                               "'..' and node_modules",
                               in_quotes(path)));
}

std::string read_path(const Fields& fields, Problem& problem) {
    std::string path = fields.text("path");
    check_path(path, fields.need("path").line, problem);
    return path;
}

Origin read_origin(const Fields& fields, Problem& problem) {
    const std::string origin = read_word(fields, "origin", "", {"published", "built"}, problem);
    return origin == "built" ? Origin::built : Origin::published;
}

Variant read_variant(const Value& value, Problem& problem) {
    const Fields fields(value, "a variant", {"stock", "patched", "origin", "note"}, problem);
    Variant variant;
    variant.stock = fields.hash("stock");
    variant.patched = fields.hash("patched");
    variant.origin = read_origin(fields, problem);
    variant.note = fields.prose_if_there("note");
    if (variant.stock == variant.patched)
        problem.refuse(fields.line(), "the variant's stock and patched are the same");
    return variant;
}

std::optional<bool> read_mode(const Fields& fields, std::string_view key, Problem& problem) {
    if (fields.find(key) == nullptr) return std::nullopt;
    return read_word(fields, key, "", {"100644", "100755"}, problem) == "100755";
}

File read_file(const Value& value, Problem& problem) {
    const Fields fields(
        value, "a file",
        {"path", "stock", "origin", "patched", "stock-mode", "patched-mode", "variants", "second-copies"},
        problem);
    File file;
    file.path = read_path(fields, problem);
    file.stock = fields.hash("stock");
    file.patched = fields.hash("patched");
    file.origin = read_origin(fields, problem);
    file.stock_executable = read_mode(fields, "stock-mode", problem);
    file.patched_executable = read_mode(fields, "patched-mode", problem);
    if (file.stock_executable.has_value() != file.patched_executable.has_value()) {
        problem.refuse(fields.line(), "only one of stock-mode and patched-mode; expected both, or none");
    }
    for (const Value& item : fields.items("variants")) file.variants.push_back(read_variant(item, problem));
    file.second_copies = fields.texts("second-copies");
    for (const Value& item : fields.items("second-copies")) check_path(item.text, item.line, problem);
    file.line = fields.line();
    return file;
}

/// The stock hash stands with the package's own files; a file that the set itself leaves alone brings it
/// along.
FileHash read_known_stock(const Fields& fields, const std::string& path, const std::vector<File>& own,
                          Problem& problem) {
    const auto file = std::find_if(own.begin(), own.end(), [&](const File& f) { return f.path == path; });
    const bool given = fields.find("stock") != nullptr;
    if (file == own.end() && !given) {
        problem.refuse(fields.line(),
                       fmt::format("{} is not among the package's files; expected its stock hash here too",
                                   in_quotes(path)));
    } else if (file != own.end() && given) {
        problem.refuse(fields.line(),
                       fmt::format("the stock hash of {} stands with the package's files; leave it out here",
                                   in_quotes(path)));
    }
    return file == own.end() ? fields.hash("stock") : file->stock;
}

std::vector<KnownFile> read_known_files(const Fields& package_part, const std::vector<File>& own,
                                        Problem& problem) {
    std::vector<KnownFile> files;
    for (const Value& item : package_part.some_items("files")) {
        const Fields fields(item, "a file", {"path", "stock", "patched"}, problem);
        KnownFile file;
        file.path = read_path(fields, problem);
        file.stock = read_known_stock(fields, file.path, own, problem);
        file.patched = fields.hash("patched");
        files.push_back(std::move(file));
    }
    return files;
}

OtherPatch read_revision(const Value& value, const std::vector<File>& own, Problem& problem) {
    const Fields fields(value, "a revision", {"revision", "provides", "patch", "files"}, problem);
    OtherPatch other;
    other.revision = fields.number("revision");
    other.label = fmt::format("revision {}", other.revision);
    other.provides = fields.number_or("provides", 0);
    other.patch = read_patch_reference(fields.need("patch"), problem);
    other.files = read_known_files(fields, own, problem);
    other.line = fields.line();
    return other;
}

OtherPatch read_predecessor(const Value& value, const std::vector<File>& own, Problem& problem) {
    const Fields fields(value, "a predecessor", {"label", "provides", "patch", "files"}, problem);
    OtherPatch other;
    other.label = fields.text("label");
    other.predecessor = true;
    other.provides = fields.number_or("provides", 0);
    other.patch = read_patch_reference(fields.need("patch"), problem);
    other.files = read_known_files(fields, own, problem);
    other.line = fields.line();
    return other;
}

std::vector<Requirement> read_requirements(const Fields& fields, Problem& problem) {
    std::vector<Requirement> requirements;
    for (const Member& member : fields.members("requires")) {
        requirements.push_back(
            Requirement{member.key, read_number(member.value, member.key, 1, problem), member.line});
    }
    return requirements;
}

/// Where a package lies if its entry doesn't say: npm's place, and pnpm's store folder.
std::vector<std::string> usual_places(const std::string& name) {
    return {"node_modules/" + name, "node_modules/.pnpm/*/node_modules/" + name};
}

std::vector<std::string> read_places(const Fields& fields, const std::string& name, Problem& problem) {
    if (fields.find("at") == nullptr) return usual_places(name);
    std::vector<std::string> places = fields.some_texts("at");
    for (const Value& item : fields.items("at")) {
        if (base::is_safe_relative(item.text)) continue;
        problem.refuse(item.line,
                       fmt::format("place {} leaves its root; expected a plain relative path, without '..'",
                                   in_quotes(item.text)));
    }
    return places;
}

std::string read_source_directory(const Fields& fields, Problem& problem) {
    const Value* value = fields.find("directory");
    if (value == nullptr) return {};
    std::string directory = read_text(*value, "directory", problem);
    if (!base::is_safe_relative(directory)) {
        problem.refuse(value->line,
                       fmt::format("directory {} leaves the repository; expected a plain relative path",
                                   in_quotes(directory)));
    }
    return directory;
}

Package read_package(const Value& value, const Manifest& manifest, Problem& problem) {
    const Fields fields(value, "a package",
                        {"name", "root", "at", "stages", "directory", "why", "resolves", "provides",
                         "requires", "patch", "files", "revisions", "predecessors"},
                        problem);
    Package package;
    package.name = fields.text("name");
    if (!is_package_name(package.name)) {
        problem.refuse(fields.need("name").line,
                       fmt::format("package name {}; expected an npm name", in_quotes(package.name)));
    }
    package.root = read_root_name(fields, manifest, problem);
    package.at = read_places(fields, package.name, problem);
    package.stages = fields.some_texts("stages");
    check_stages(fields, "stages", problem);
    package.source_directory = read_source_directory(fields, problem);
    package.why = fields.prose("why");
    package.resolves = fields.prose_if_there("resolves");
    package.provides = fields.number_or("provides", 0);
    package.requirements = read_requirements(fields, problem);
    package.patch = read_patch_reference(fields.need("patch"), problem);
    for (const Value& item : fields.some_items("files")) package.files.push_back(read_file(item, problem));
    for (const Value& item : fields.items("revisions"))
        package.others.push_back(read_revision(item, package.files, problem));
    for (const Value& item : fields.items("predecessors"))
        package.others.push_back(read_predecessor(item, package.files, problem));
    package.line = fields.line();
    return package;
}

BuildStep read_build_step(const Value& value, Problem& problem) {
    const Fields fields(value, "a build step", {"name", "command", "directory", "environment", "once"},
                        problem);
    BuildStep step;
    step.name = fields.text("name");
    for (const Value& item : fields.some_items("command"))
        step.command.push_back(read_text(item, "command", problem));
    step.directory = read_source_directory(fields, problem);
    for (const Member& member : fields.members("environment")) {
        if (!is_variable_name(member.key)) {
            problem.refuse(member.line,
                           fmt::format("{} is no variable's name; expected letters, digits and _",
                                       in_quotes(member.key)));
        }
        step.environment.emplace_back(member.key, read_text(member.value, member.key, problem));
    }
    if (fields.find("once") != nullptr)
        step.once = read_word(fields, "once", "", {"true", "false"}, problem) == "true";
    step.line = fields.line();
    return step;
}

void read_fallback(const Value& value, const Manifest& manifest, Harness& harness, Problem& problem) {
    const Fields fields(value, "'fallback'", {"folders", "root"}, problem);
    for (const Value& item : fields.some_items("folders")) {
        harness.fallback_folders.push_back(read_template(item, "folders", problem));
    }
    harness.fallback_root = read_root_name(fields, manifest, problem);
}

Harness read_harness(const Value& value, const Manifest& manifest, Problem& problem) {
    const Fields fields(value, "'harness'", {"known-event-types", "fallback"}, problem);
    Harness harness;
    harness.known_event_types = fields.texts("known-event-types");
    if (const Value* fallback = fields.find("fallback")) read_fallback(*fallback, manifest, harness, problem);
    return harness;
}

void read_manifest(const Value& value, Manifest& manifest, Problem& problem) {
    const Fields fields(value, "the manifest",
                        {"schema", "set", "source", "roots", "packages", "build", "harness"}, problem);
    read_schema(fields, problem);
    read_set(fields.need("set"), manifest, problem);
    if (const Value* source = fields.find("source")) manifest.source = read_source(*source, problem);
    manifest.roots = read_roots(fields, problem);
    const bool may_be_empty = manifest.status == Status::adopted;
    for (const Value& item : may_be_empty ? fields.items("packages") : fields.some_items("packages"))
        manifest.packages.push_back(read_package(item, manifest, problem));
    for (const Value& item : fields.items("build")) manifest.build.push_back(read_build_step(item, problem));
    if (const Value* harness = fields.find("harness"))
        manifest.harness = read_harness(*harness, manifest, problem);
}

std::string folder_of(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace

const Package* Manifest::find_package(std::string_view package) const {
    const auto found =
        std::find_if(packages.begin(), packages.end(), [&](const Package& p) { return p.name == package; });
    return found == packages.end() ? nullptr : &*found;
}

const Root* Manifest::find_root(std::string_view root) const {
    const auto found =
        std::find_if(roots.begin(), roots.end(), [&](const Root& r) { return r.name == root; });
    return found == roots.end() ? nullptr : &*found;
}

base::Result<Manifest> parse(std::string_view text, const std::string& file) {
    const base::Result<Value> document = read_yaml(text, file);
    if (!document) return base::fail(document.error());
    Problem problem(file);
    Manifest manifest;
    manifest.file = file;
    manifest.folder = folder_of(file);
    read_manifest(*document, manifest, problem);
    if (!problem.first()) check(manifest, problem);
    if (problem.first()) return base::fail(*problem.first());
    return manifest;
}

}  // namespace drydock::manifest
