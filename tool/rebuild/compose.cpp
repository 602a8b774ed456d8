#include "rebuild/compose.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/directory.hpp"
#include "base/hash.hpp"
#include "base/scratch.hpp"
#include "diff/diff.hpp"
#include "rebuild/manifest_text.hpp"
#include "rebuild/published.hpp"
#include "rebuild/steps.hpp"
#include "rebuild/stopwatch.hpp"

namespace drydock::rebuild {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using manifest::FileHash;
using manifest::Manifest;
using manifest::Origin;

constexpr std::uint64_t largest_patch = std::uint64_t{1} << 30U;
constexpr std::size_t longest_excerpt = 60;
constexpr std::size_t named_at_most = 5;

FileHash hash_of(const BuiltFile& file) {
    return file.bytes ? FileHash(base::sha256(*file.bytes)) : std::nullopt;
}

std::string text_of(const FileHash& hash) {
    return hash ? base::to_hex(*hash) : "absent";
}

/// The line at which two texts differ first, counted from 1, and each one's part of it.
struct Difference {
    std::size_t line{1};
    std::string left;
    std::string right;
};

std::string excerpt(std::string_view text, std::size_t begin) {
    if (begin >= text.size()) return "the end";
    const std::string_view line = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    std::string shown;
    for (const char letter : line.substr(0, longest_excerpt)) {
        shown += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
    return fmt::format("'{}{}'", shown, line.size() > longest_excerpt ? "…" : "");
}

Difference first_difference(std::string_view left, std::string_view right) {
    const auto [at, _] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
    const auto position = static_cast<std::size_t>(at - left.begin());
    const std::string_view before = left.substr(0, position);
    const std::size_t feed = before.rfind('\n');
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    return {line + 1, excerpt(left, begin), excerpt(right, begin)};
}

Error about(ErrorKind kind, const std::string& package, const std::string& file, std::string message) {
    Error error;
    error.kind = kind;
    error.package = package;
    error.file = file;
    error.message = std::move(message);
    return error;
}

/// Whether lib files of the set are as they were published, before anything is made from them.
class StockProof {
  public:
    StockProof(const Draft& draft, const Settings& settings, const base::Scratch& scratch,
               BuildReport& report)
        : draft_(draft), settings_(settings), scratch_(scratch), report_(report) {}

    /// `proven`: by an earlier run, as Builds::proven; the registry is not asked again.
    std::vector<Error> check(const std::vector<BuiltPackage>& packages,
                             const std::vector<std::string>& proven);

    /// `name@version` of what the registry has proven.
    [[nodiscard]] std::vector<std::string> proven() const {
        if (settings_.published != Published::registry) return {};
        std::vector<std::string> names;
        std::transform(report_.proven.begin(), report_.proven.end(), std::back_inserter(names),
                       [this](const std::string& name) { return versioned(name); });
        return names;
    }

    /// Whether a package was there as published, by the manifest's order.
    [[nodiscard]] const std::vector<bool>& found() const { return found_; }

  private:
    void check_package(const manifest::Package& package, const BuiltPackage& built, bool proven);
    [[nodiscard]] Result<std::optional<std::string>> published_folder(const manifest::Package& package);
    [[nodiscard]] std::string versioned(const std::string& name) const {
        return name + "@" + draft_.manifest.version;
    }
    void compare_with_published(const manifest::Package& package, const BuiltPackage& built,
                                const std::string& folder);
    void compare_with_hashes();
    [[nodiscard]] bool is_asked_for(const manifest::Package& package) const {
        if (settings_.published == Published::nowhere) return false;
        return draft_.fresh ||
               std::any_of(package.files.begin(), package.files.end(),
                           [](const manifest::File& file) { return file.origin == Origin::published; });
    }

    const Draft& draft_;
    const Settings& settings_;
    const base::Scratch& scratch_;
    BuildReport& report_;
    std::vector<bool> found_;
    std::vector<Error> problems_;
    std::vector<Error> unproven_;  ///< stock that no published file vouches for, and is not the manifest's
};

std::vector<Error> StockProof::check(const std::vector<BuiltPackage>& packages,
                                     const std::vector<std::string>& proven) {
    for (std::size_t at = 0; at < packages.size(); ++at) {
        const manifest::Package& package = draft_.manifest.packages[at];
        const bool known = settings_.published == Published::registry &&
                           std::find(proven.begin(), proven.end(), versioned(package.name)) != proven.end();
        found_.push_back(false);
        check_package(package, packages[at], known);
    }
    compare_with_hashes();
    return std::move(problems_);
}

Result<std::optional<std::string>> StockProof::published_folder(const manifest::Package& package) {
    std::chrono::milliseconds elsewhere{0};
    const Stopwatch time(settings_.published == Published::registry ? report_.asking : elsewhere);
    return find_published(package.name, draft_.manifest.version, settings_, scratch_);
}

void StockProof::check_package(const manifest::Package& package, const BuiltPackage& built, bool proven) {
    settings_.progress->update("comparing with what was published: " + package.name, 0, 0);
    if (is_asked_for(package)) {
        if (proven) {
            found_.back() = true;
            report_.proven.push_back(package.name);
            return;
        }
        const auto folder = published_folder(package);
        if (!folder) {
            report_.notes.push_back(about(ErrorKind::io, package.name, {}, folder.error().message));
        } else if (*folder) {
            found_.back() = true;
            return compare_with_published(package, built, **folder);
        } else if (!draft_.fresh) {
            report_.notes.push_back(about(
                ErrorKind::io, package.name, {},
                fmt::format("{} was not found as published; its stock hashes in the manifest are the judge",
                            draft_.manifest.version)));
        }
    }
    for (std::size_t at = 0; at < package.files.size(); ++at) {
        const manifest::File& file = package.files[at];
        const FileHash hash = hash_of(built.stock[at]);
        if (draft_.fresh || manifest::is_unknown(file.stock) || hash == file.stock) continue;
        unproven_.push_back(about(ErrorKind::build, package.name, file.path,
                                  fmt::format("the stock build has sha256 {}, the manifest says {}; another "
                                              "toolchain made one of them",
                                              text_of(hash), text_of(file.stock))));
    }
}

void StockProof::compare_with_published(const manifest::Package& package, const BuiltPackage& built,
                                        const std::string& folder) {
    bool equal = true;
    for (std::size_t at = 0; at < package.files.size(); ++at) {
        const std::string& path = package.files[at].path;
        std::error_code ignored;
        std::optional<std::string> published;
        const std::string place = fmt::format("{}/{}", folder, path);
        if (std::filesystem::exists(place, ignored)) {
            Result<std::string> bytes = base::read_file(place, patch::largest_file);
            if (!bytes) {
                problems_.push_back(bytes.error());
                continue;
            }
            published = *std::move(bytes);
        }
        const std::optional<std::string>& stock = built.stock[at].bytes;
        if (stock == published) continue;
        equal = false;
        if (!stock || !published) {
            problems_.push_back(about(ErrorKind::build, package.name, path,
                                      stock ? "the stock build makes it, but it was not published"
                                            : "was published, but the stock build does not make it"));
            continue;
        }
        const Difference difference = first_difference(*stock, *published);
        Error error = about(
            ErrorKind::build, package.name, path,
            fmt::format(
                "the stock build differs from the published {} first at line {}; another toolchain made "
                "it, so no patch is made from this one",
                draft_.manifest.version, difference.line));
        error.details = {"built:     " + difference.left, "published: " + difference.right};
        problems_.push_back(std::move(error));
    }
    if (equal) report_.proven.push_back(package.name);
}

/// Where one package is proven the toolchain is the right one, and a hash that the build does not give is a
/// hash that somebody changed.
void StockProof::compare_with_hashes() {
    if (unproven_.empty() || !report_.proven.empty()) return;
    problems_.insert(problems_.end(), unproven_.begin(), unproven_.end());
}

/// Makes the files of a set from what was built.
class Composer {
  public:
    Composer(const Draft& draft, const Builds& builds, const std::vector<bool>& published, Composed& composed)
        : draft_(draft),
          builds_(builds),
          published_(published),
          composed_(composed),
          text_(draft.manifest_text) {}

    void run() {
        for (std::size_t at = 0; at < draft_.manifest.packages.size(); ++at) {
            add_package(draft_.manifest.packages[at], builds_.packages[at], draft_.fresh && published_[at]);
        }
        const manifest::PatchReference& source = *draft_.manifest.source->patch;
        set(source.line, "sha256", base::to_hex(source.sha256),
            base::to_hex(base::sha256(*draft_.source_patch.text)), source.path + ": its hash");
        if (composed_.problems.empty()) add_manifest();
        if (!composed_.problems.empty()) composed_.files.clear();
    }

  private:
    void add_package(const manifest::Package& package, const BuiltPackage& built, bool published) {
        std::vector<diff::FilePair> pairs;
        bool changed = false;
        for (std::size_t at = 0; at < package.files.size(); ++at) {
            const manifest::File& file = package.files[at];
            const BuiltFile& stock = built.stock[at];
            const BuiltFile& patched = built.patched[at];
            pairs.push_back({file.path, side_of(stock, file), side_of(patched, file)});
            changed = changed || !(stock == patched);
            if (!stock.bytes && !patched.bytes) {
                refuse(about(ErrorKind::build, package.name, file.path,
                             fmt::format("no build makes it; expected it at {}/{} behind the build steps",
                                         package.source_directory, file.path)));
                continue;
            }
            if (stock.bytes == patched.bytes) {
                refuse(about(ErrorKind::conflict, package.name, file.path,
                             draft_.fresh ? "does not change by the carried source.patch; write the new "
                                            "manifest by hand, without it"
                                          : "does not change by source.patch; take it out of the manifest, "
                                            "or mend source.patch"));
                continue;
            }
            update_hashes(package, file, stock, patched, published);
        }
        if (!changed) return;
        Result<std::string> text = diff::make_patch_text(pairs);
        if (!text) {
            text.error().package = package.name;
            return refuse(text.error());
        }
        set(package.patch.line, "sha256", base::to_hex(package.patch.sha256),
            base::to_hex(base::sha256(*text)), package.patch.path + ": its hash");
        composed_.files.push_back(set_file(path_of(draft_.manifest, package.patch), *std::move(text)));
        note_others(package, built);
    }

    /// Modes count where the manifest says that the patch changes them.
    static std::optional<diff::FileSide> side_of(const BuiltFile& built, const manifest::File& file) {
        if (!built.bytes) return std::nullopt;
        diff::FileSide side{*built.bytes, std::nullopt};
        if (file.stock_executable) side.mode = built.executable ? 0100755 : 0100644;
        return side;
    }

    void update_hashes(const manifest::Package& package, const manifest::File& file, const BuiltFile& stock,
                       const BuiltFile& patched, bool published) {
        const std::string where = fmt::format("{} of {}", file.path, package.name);
        set(file.line, "stock", text_of(file.stock), text_of(hash_of(stock)), "the stock hash of " + where);
        set(file.line, "patched", text_of(file.patched), text_of(hash_of(patched)),
            "the patched hash of " + where);
        if (!draft_.fresh) return;
        const Origin origin = published ? Origin::published : Origin::built;
        const auto name = [](Origin o) { return o == Origin::published ? "published" : "built"; };
        set(file.line, "origin", name(file.origin), name(origin), "the origin of " + where);
    }

    void note_others(const manifest::Package& package, const BuiltPackage& built) {
        std::vector<std::string> others;
        for (const std::string& path : built.also_changed) {
            if (path.ends_with(".js") || path.ends_with(".cjs") || path.ends_with(".mjs"))
                others.push_back(path);
        }
        for (const manifest::File& file : package.files) {
            for (const std::string& copy : file.second_copies) std::erase(others, copy);
        }
        if (others.empty()) return;
        const std::size_t count = others.size();
        others.resize(std::min(count, named_at_most));
        composed_.report.notes.push_back(
            about(ErrorKind::check, package.name, {},
                  fmt::format("the build changes {} more of its scripts, which the set leaves stock: {}{}",
                              count, fmt::join(others, ", "), count > named_at_most ? ", …" : "")));
    }

    void set(std::size_t line, std::string_view key, const std::string& old_value,
             const std::string& new_value, std::string what) {
        if (old_value == new_value) return;
        if (!text_.set(line, key, old_value, new_value)) {
            return refuse(base::error_at(
                ErrorKind::usage, draft_.manifest.file, line,
                fmt::format("cannot find '{}: {}' to put {} there", key, old_value, new_value)));
        }
        differences_.push_back(
            fmt::format("{} is {}, the build gives {}", std::move(what), old_value, new_value));
    }

    void add_manifest() {
        const Result<Manifest> parsed = manifest::parse(text_.text(), draft_.manifest.file);
        if (!parsed) return refuse(parsed.error());
        SetFile file = set_file(draft_.manifest.file, text_.text());
        if (!file.same && !draft_.fresh) file.difference = fmt::format("{}", fmt::join(differences_, "; "));
        composed_.files.push_back(std::move(file));
    }

    void refuse(Error error) { composed_.problems.push_back(std::move(error)); }

    const Draft& draft_;
    const Builds& builds_;
    const std::vector<bool>& published_;
    Composed& composed_;
    ManifestText text_;
    std::vector<std::string> differences_;
};

}  // namespace

Composed compose(const Draft& draft, const source::Repository& repository, const Settings& settings) {
    Composed composed;
    const Result<base::Scratch> scratch = base::Scratch::make(settings.scratch, false);
    if (!scratch) {
        composed.problems.push_back(scratch.error());
        return composed;
    }
    const Plan plan{draft.manifest, repository, draft.source_patch, settings};
    const std::string key = cache_key(plan);
    StockProof proof(draft, settings, *scratch, composed.report);
    std::optional<Builds> builds = load_builds(plan, key);
    composed.report.cached = builds.has_value();
    if (builds) {
        composed.problems = proof.check(builds->packages, builds->proven);
    } else {
        if (const Result<void> log = begin_log(settings.log); !log) {
            composed.problems.push_back(log.error());
            return composed;
        }
        tl::expected<Builds, std::vector<Error>> built = build_both(
            plan, [&](const std::vector<BuiltPackage>& stock) { return proof.check(stock, {}); },
            composed.report);
        if (built) {
            builds = *std::move(built);
        } else {
            composed.problems = std::move(built.error());
        }
    }
    if (!composed.problems.empty()) return composed;
    if (std::vector<std::string> proven = proof.proven();
        !composed.report.cached || (!proven.empty() && proven != builds->proven)) {
        builds->proven = std::move(proven);
        if (const Result<void> kept = store_builds(settings.cache, key, *builds); !kept) {
            composed.report.notes.push_back(kept.error());
        }
    }
    Composer(draft, *builds, proof.found(), composed).run();
    return composed;
}

Result<std::string> read_any(const Manifest& manifest, const manifest::PatchReference& reference) {
    Result<std::string> text = base::read_file(path_of(manifest, reference), largest_patch);
    if (text) return text;
    return base::fail(base::error_at(ErrorKind::usage, manifest.file, reference.line,
                                     fmt::format("patch {}: {}", reference.path, text.error().message)));
}

Result<SourcePatch> read_source_patch(std::string text, const std::string& name) {
    SourcePatch read;
    read.text = std::make_unique<const std::string>(std::move(text));
    patch::ParseOptions options;
    options.name = name;
    Result<patch::Patch> parsed = patch::parse(*read.text, options);
    if (!parsed) return base::fail(parsed.error());
    read.patch = *std::move(parsed);
    return read;
}

std::optional<Error> cannot_rebuild(const Manifest& manifest) {
    const auto lacks = [&](std::size_t line, std::string_view what) {
        return base::error_at(ErrorKind::usage, manifest.file, line,
                              fmt::format("{}; it cannot be regenerated without", what));
    };
    if (manifest.status == manifest::Status::adopted) {
        return base::error_at(ErrorKind::usage, manifest.file, 0,
                              "the set is adopted: upstream has its change, and there is nothing to make");
    }
    if (!manifest.source) return lacks(0, "has no 'source' with tag and commit");
    if (!manifest.source->patch) return lacks(0, "its 'source' has no 'patch'");
    if (manifest.build.empty()) return lacks(0, "has no 'build' steps");
    return std::nullopt;
}

std::string path_of(const Manifest& manifest, const manifest::PatchReference& reference) {
    return (std::filesystem::path(manifest.folder) / reference.path).lexically_normal();
}

SetFile set_file(std::string path, std::string bytes) {
    SetFile file{std::move(path), std::move(bytes), false, false, {}};
    std::error_code ignored;
    if (!std::filesystem::exists(file.path, ignored)) {
        file.missing = true;
        file.difference = "is not there";
        return file;
    }
    const Result<std::string> there = base::read_file(file.path, largest_patch);
    if (!there) {
        file.difference = there.error().message;
    } else if (*there == file.bytes) {
        file.same = true;
    } else {
        const Difference difference = first_difference(*there, file.bytes);
        file.difference = fmt::format("differs first at line {}: {}, expected {}", difference.line,
                                      difference.left, difference.right);
    }
    return file;
}

}  // namespace drydock::rebuild
