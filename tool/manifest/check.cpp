#include "manifest/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.hpp"
#include "manifest/names.hpp"

namespace drydock::manifest {

namespace {

void check_packages(const Manifest& manifest, Problem& problem) {
    using NameAndRoot = std::pair<std::string_view, std::string_view>;
    std::map<NameAndRoot, std::size_t> lines;
    for (const Package& package : manifest.packages) {
        // Not std::pair's own guess: that would be a pair of copies, gone while the map still looks at them.
        const NameAndRoot key(package.name, package.root);
        const auto [first, fresh] = lines.emplace(key, package.line);
        if (!fresh) {
            problem.refuse(package.line,
                           fmt::format("package {} stands twice in root {}, first on line {}",
                                       in_quotes(package.name), in_quotes(package.root), first->second));
        }
        if (manifest.source && package.source_directory.empty()) {
            problem.refuse(package.line, "a package lacks the key 'directory'; a set with a source needs it");
        }
    }
}

void check_changes(const File& file, Problem& problem) {
    if (file.stock != file.patched) return;
    if (is_unknown(file.stock)) return;  // a set that is still to be regenerated
    if (file.stock && file.stock_executable != file.patched_executable) return;
    problem.refuse(file.line, fmt::format("file {} has the same stock and patched; expected a change",
                                          in_quotes(file.path)));
}

void check_variants(const File& file, Problem& problem) {
    std::set<FileHash> stocks{file.stock};
    for (const Variant& variant : file.variants) {
        if (stocks.insert(variant.stock).second) continue;
        problem.refuse(file.line, fmt::format("file {} has a variant with a stock that stands there already",
                                              in_quotes(file.path)));
    }
}

void check_files(const Package& package, Problem& problem) {
    std::unordered_map<std::string_view, std::size_t> lines;
    for (const File& file : package.files) {
        const auto [first, fresh] = lines.emplace(file.path, file.line);
        if (!fresh) {
            problem.refuse(file.line, fmt::format("file {} stands twice, first on line {}",
                                                  in_quotes(file.path), first->second));
        }
        check_changes(file, problem);
        check_variants(file, problem);
    }
    for (const File& file : package.files) {
        for (const std::string& copy : file.second_copies) {
            if (!lines.contains(copy)) continue;
            problem.refuse(file.line,
                           fmt::format("second copy {} of {} is listed as a file itself; a second copy stays "
                                       "stock",
                                       in_quotes(copy), in_quotes(file.path)));
        }
    }
}

void check_known_files(const OtherPatch& other, Problem& problem) {
    std::set<std::string_view> seen;
    for (const KnownFile& known : other.files) {
        if (known.patched == known.stock) {
            problem.refuse(other.line,
                           fmt::format("{} leaves {} stock; expected only the files that it changes",
                                       in_quotes(other.label), in_quotes(known.path)));
        }
        if (!seen.insert(known.path).second) {
            problem.refuse(other.line, fmt::format("{} has file {} twice", in_quotes(other.label),
                                                   in_quotes(known.path)));
        }
    }
}

void check_others(const Manifest& manifest, const Package& package, Problem& problem) {
    std::set<std::string_view> labels;
    for (const OtherPatch& other : package.others) {
        if (!other.predecessor && other.revision == manifest.revision) {
            problem.refuse(other.line, fmt::format("{} is the set's own; expected earlier or later ones",
                                                   in_quotes(other.label)));
        }
        if (!labels.insert(other.label).second) {
            problem.refuse(other.line, fmt::format("{} stands twice", in_quotes(other.label)));
        }
        check_known_files(other, problem);
    }
}

/// The names in the set that a requirement can mean.
std::vector<std::string> meant_packages(const Manifest& manifest, const std::string& name) {
    std::set<std::string> meant;
    for (const Package& package : manifest.packages) {
        if (package.name == name) return {name};
        if (unscoped(package.name) == name) meant.insert(package.name);
    }
    return {meant.begin(), meant.end()};
}

std::vector<std::string> package_names(const Manifest& manifest) {
    std::set<std::string> names;
    for (const Package& package : manifest.packages) names.insert(package.name);
    return {names.begin(), names.end()};
}

void check_level(const Manifest& manifest, const Requirement& requirement, Problem& problem) {
    for (const Package& package : manifest.packages) {
        if (package.name != requirement.package || package.provides >= requirement.level) continue;
        problem.refuse(requirement.line,
                       fmt::format("level {} of {} is required, which provides {}", requirement.level,
                                   in_quotes(package.name),
                                   package.provides == 0 ? "none" : fmt::to_string(package.provides)));
    }
}

void resolve_requirements(const Manifest& manifest, Package& package, Problem& problem) {
    std::set<std::string> seen;
    for (Requirement& requirement : package.requirements) {
        const std::vector<std::string> meant = meant_packages(manifest, requirement.package);
        if (meant.empty()) {
            problem.refuse(
                requirement.line,
                fmt::format("{} is required, which is not in the set{}", in_quotes(requirement.package),
                            base::did_you_mean(requirement.package, package_names(manifest))));
            return;
        }
        if (meant.size() > 1) {
            problem.refuse(requirement.line,
                           fmt::format("{} is required, which can mean {}", in_quotes(requirement.package),
                                       fmt::join(meant, " or ")));
        }
        requirement.package = meant.front();
        if (!seen.insert(requirement.package).second) {
            problem.refuse(requirement.line,
                           fmt::format("{} is required twice", in_quotes(requirement.package)));
        }
        check_level(manifest, requirement, problem);
    }
}

/// Finds a cycle of requirements, depth first. Requirements form few and short chains: a set has a handful of
/// packages, but a manifest may be anything, so the walk keeps its own stack.
class CycleFinder {
  public:
    CycleFinder(const Manifest& manifest, Problem& problem) : problem_(problem) {
        for (const Package& package : manifest.packages) {
            for (const Requirement& requirement : package.requirements) {
                required_[package.name].push_back(&requirement);
            }
        }
    }

    void run() {
        for (const auto& [name, requirements] : required_) walk(name);
    }

  private:
    struct Step {
        std::string_view name;
        std::size_t next{0};
    };

    void walk(std::string_view start) {
        if (done_.contains(start)) return;
        std::vector<Step> path{{start}};
        on_path_.insert(start);
        while (!path.empty()) {
            const Requirement* requirement = next(path.back());
            if (requirement == nullptr) {
                on_path_.erase(path.back().name);
                done_.insert(path.back().name);
                path.pop_back();
            } else if (on_path_.contains(requirement->package)) {
                report(path, *requirement);
                return;
            } else if (!done_.contains(requirement->package)) {
                on_path_.insert(requirement->package);
                path.push_back({requirement->package});
            }
        }
    }

    const Requirement* next(Step& step) const {
        const auto found = required_.find(step.name);
        if (found == required_.end() || step.next == found->second.size()) return nullptr;
        return found->second[step.next++];
    }

    void report(const std::vector<Step>& path, const Requirement& last) {
        const auto start = std::find_if(path.begin(), path.end(),
                                        [&](const Step& step) { return step.name == last.package; });
        std::string cycle;
        for (auto step = start; step != path.end(); ++step) cycle += fmt::format("{} -> ", step->name);
        problem_.refuse(last.line, fmt::format("the requirements go in a circle: {}{}", cycle, last.package));
    }

    Problem& problem_;
    std::map<std::string_view, std::vector<const Requirement*>> required_;
    std::set<std::string_view> on_path_;
    std::set<std::string_view> done_;
};

}  // namespace

void check(Manifest& manifest, Problem& problem) {
    check_packages(manifest, problem);
    for (Package& package : manifest.packages) {
        check_files(package, problem);
        check_others(manifest, package, problem);
        resolve_requirements(manifest, package, problem);
    }
    if (!problem.first()) CycleFinder(manifest, problem).run();
}

}  // namespace drydock::manifest
