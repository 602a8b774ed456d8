#include "install/recipe.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "install/install.hpp"
#include "install/receipt.hpp"

namespace drydock::install {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;

manifest::FileHash hash_of(const std::optional<FileVersion>& file) {
    if (!file) return std::nullopt;
    return base::sha256(file->bytes);
}

bool executable_of(const std::optional<FileVersion>& file) {
    return file && file->executable;
}

std::string revision_label(unsigned revision) {
    return fmt::format("revision {}", revision);
}

Result<std::shared_ptr<const KnownPatch>> known_patch(std::string label, unsigned revision, unsigned provides,
                                                      std::string text, const std::string& name) {
    auto known = std::make_shared<KnownPatch>();
    known->label = std::move(label);
    known->revision = revision;
    known->provides = provides;
    known->text = std::move(text);
    patch::ParseOptions options;
    options.name = name;
    Result<patch::Patch> parsed = patch::parse(known->text, options);
    if (!parsed) return base::fail(parsed.error());
    known->patch = *std::move(parsed);
    std::size_t hunks = 0;
    for (const patch::FilePatch& file : known->patch.files) hunks += file.hunks.size();
    if (hunks > most_receipt_hunks) {
        return base::fail(
            base::error_at(ErrorKind::usage, name, 0,
                           fmt::format("has {} hunks, and a receipt holds at most {}; make fewer of them",
                                       hunks, most_receipt_hunks)));
    }
    return std::shared_ptr<const KnownPatch>(std::move(known));
}

std::vector<std::string> paths_of(const patch::FilePatch& file) {
    std::vector<std::string> paths;
    if (!file.old_path.empty()) paths.push_back(file.old_path);
    if (!file.new_path.empty() && file.new_path != file.old_path) paths.push_back(file.new_path);
    return paths;
}

/// A set's patch names each listed file once, and no other. Gives what is wrong.
std::vector<Error> check_paths(const KnownPatch& known, const std::string& name,
                               const std::vector<std::string>& listed) {
    std::vector<Error> problems;
    const auto problem = [&problems, &name](std::size_t line, std::string message) {
        Error error;
        error.kind = ErrorKind::usage;
        error.message = std::move(message);
        error.file = name;
        error.line = line;
        problems.push_back(std::move(error));
    };
    std::set<std::string> seen;
    for (const patch::FilePatch& file : known.patch.files) {
        if (file.operation == patch::Operation::copy) {
            problem(file.line,
                    fmt::format("copies {}; in a set a copied file is a created one", file.old_path));
            continue;
        }
        for (const std::string& path : paths_of(file)) {
            if (!seen.insert(path).second) problem(file.line, fmt::format("changes {} a second time", path));
            if (std::find(listed.begin(), listed.end(), path) == listed.end()) {
                problem(file.line, fmt::format("changes {}, which is not listed with its hashes", path));
            }
        }
    }
    for (const std::string& path : listed) {
        if (seen.count(path) == 0)
            problem(0, fmt::format("does not change {}, which is listed with hashes", path));
    }
    return problems;
}

std::shared_ptr<const KnownPatch> unread_patch(std::string label, unsigned revision, unsigned provides) {
    auto known = std::make_shared<KnownPatch>();
    known->label = std::move(label);
    known->revision = revision;
    known->provides = provides;
    return known;
}

Rule rule_of(const manifest::File& file) {
    Rule rule{file.path, file.origin, file.second_copies, {}};
    rule.known.push_back({Knowledge::patched, file.patched, file.patched_executable, 0, 0, {}});
    rule.known.push_back({Knowledge::stock, file.stock, file.stock_executable, 0, 0, {}});
    for (std::size_t i = 0; i < file.variants.size(); ++i) {
        const manifest::Variant& variant = file.variants[i];
        rule.known.push_back(
            {Knowledge::patched, variant.patched, file.patched_executable, i + 1, 0, variant.note});
        rule.known.push_back(
            {Knowledge::stock, variant.stock, file.stock_executable, i + 1, 0, variant.note});
    }
    return rule;
}

Rule& find_or_add(Recipe& recipe, const std::string& path) {
    for (Rule& rule : recipe.rules) {
        if (rule.path == path) return rule;
    }
    recipe.rules.push_back({path, manifest::Origin::published, {}, {}});
    return recipe.rules.back();
}

bool knows_stock(const Rule& rule, const manifest::FileHash& hash) {
    return std::any_of(rule.known.begin(), rule.known.end(), [&hash](const KnownBytes& known) {
        return known.knowledge == Knowledge::stock && known.hash == hash;
    });
}

std::vector<std::string> listed_paths(const std::vector<manifest::KnownFile>& files) {
    std::vector<std::string> paths;
    paths.reserve(files.size());
    for (const manifest::KnownFile& file : files) paths.push_back(file.path);
    return paths;
}

Error conflict(const Recipe& recipe, const std::string& path, std::string message) {
    Error error;
    error.kind = ErrorKind::conflict;
    error.package = recipe.package;
    error.file = path;
    error.message = std::move(message);
    return error;
}

/// The stock bytes that one file's patch, taken backwards, makes of what lies there.
Result<void> take_back(const Recipe& recipe, const patch::FilePatch& file, const Tree& now,
                       const std::map<std::string, const KnownBytes*>& matches, Tree& stock) {
    const auto is_stock = [&matches](const std::string& path) {
        return matches.at(path)->knowledge == Knowledge::stock;
    };
    if (file.operation == patch::Operation::create) {
        if (!is_stock(file.new_path)) stock[file.new_path] = std::nullopt;
        return {};
    }
    const bool moved = file.operation == patch::Operation::rename;
    if (moved && !is_stock(file.new_path)) stock[file.new_path] = std::nullopt;
    if (is_stock(file.old_path)) return {};
    const std::optional<FileVersion>* from = nullptr;
    if (file.operation != patch::Operation::remove) {
        from = &now.at(file.new_path);
        if (moved && is_stock(file.new_path)) {
            return base::fail(
                conflict(recipe, file.old_path,
                         fmt::format("neither it nor {} is there; reinstall the package", file.new_path)));
        }
    }
    const std::string nothing;
    const patch::FilePatch backwards = patch::reverse(file);
    Result<patch::Applied> applied = patch::apply(backwards, from == nullptr ? nothing : (*from)->bytes);
    if (!applied) {
        Error error = applied.error();
        error.package = recipe.package;
        return base::fail(std::move(error));
    }
    FileVersion version{std::move(applied->text), from != nullptr && executable_of(*from)};
    if (backwards.new_mode) version.executable = (*backwards.new_mode & 0100U) != 0;
    stock[file.old_path] = std::move(version);
    return {};
}

const KnownBytes* find_known(const Rule& rule, Knowledge knowledge, const std::optional<FileVersion>& file) {
    const manifest::FileHash hash = hash_of(file);
    for (const KnownBytes& known : rule.known) {
        if (known.knowledge != knowledge || known.hash != hash) continue;
        if (known.executable && hash && *known.executable != executable_of(file)) continue;
        return &known;
    }
    return nullptr;
}

}  // namespace

const Rule* Recipe::find(std::string_view path) const {
    for (const Rule& rule : rules) {
        if (rule.path == path) return &rule;
    }
    return nullptr;
}

tl::expected<std::shared_ptr<const Recipe>, std::vector<Error>> recipe_of(const manifest::Manifest& manifest,
                                                                          const manifest::Package& package,
                                                                          Patches patches) {
    auto recipe = std::make_shared<Recipe>();
    recipe->package = package.name;
    std::vector<Error> problems;
    std::vector<std::string> listed;
    for (const manifest::File& file : package.files) {
        recipe->rules.push_back(rule_of(file));
        listed.push_back(file.path);
    }
    const auto add = [&](const manifest::PatchReference& reference, std::string label, unsigned revision,
                         unsigned provides, const std::vector<std::string>& paths) {
        if (patches == Patches::unread) {
            recipe->patches.push_back(unread_patch(std::move(label), revision, provides));
            return;
        }
        Result<std::string> text = manifest::read_patch(manifest, reference);
        if (!text) {
            problems.push_back(text.error());
            return;
        }
        Result<std::shared_ptr<const KnownPatch>> known =
            known_patch(std::move(label), revision, provides, *std::move(text), reference.path);
        if (!known) {
            problems.push_back(known.error());
            return;
        }
        for (Error& error : check_paths(**known, reference.path, paths)) problems.push_back(std::move(error));
        recipe->patches.push_back(*std::move(known));
    };
    add(package.patch, revision_label(manifest.revision), manifest.revision, package.provides, listed);
    for (const manifest::OtherPatch& other : package.others) {
        add(other.patch, other.label, other.revision, other.provides, listed_paths(other.files));
        if (!problems.empty()) continue;
        for (const manifest::KnownFile& file : other.files) {
            Rule& rule = find_or_add(*recipe, file.path);
            if (rule.known.empty()) {
                // An earlier revision's file that this one leaves alone: its patched bytes are its stock
                // ones.
                rule.known.push_back({Knowledge::patched, file.stock, std::nullopt, 0, 0, {}});
                rule.known.push_back({Knowledge::stock, file.stock, std::nullopt, 0, 0, {}});
            }
            rule.known.push_back(
                {Knowledge::other, file.patched, std::nullopt, 0, recipe->patches.size() - 1, other.label});
        }
    }
    if (!problems.empty()) {
        for (Error& error : problems) error.package = package.name;
        return tl::unexpected<std::vector<Error>>(std::move(problems));
    }
    return std::shared_ptr<const Recipe>(std::move(recipe));
}

Result<std::shared_ptr<const Recipe>> recipe_of(const Receipt& receipt) {
    auto recipe = std::make_shared<Recipe>();
    recipe->package = receipt.package;
    Result<std::shared_ptr<const KnownPatch>> known =
        known_patch(revision_label(receipt.revision), receipt.revision, receipt.provides, receipt.patch,
                    std::string(receipt_name));
    if (!known) return base::fail(known.error());
    std::vector<std::string> listed;
    for (const ReceiptFile& file : receipt.files) {
        listed.push_back(file.path);
        Rule rule{file.path, std::nullopt, {}, {}};
        rule.known.push_back({Knowledge::patched, file.patched, file.patched_executable, 0, 0, {}});
        rule.known.push_back({Knowledge::stock, file.stock, file.stock_executable, 0, 0, {}});
        recipe->rules.push_back(std::move(rule));
    }
    recipe->patches.push_back(*std::move(known));
    std::vector<Error> problems = check_paths(*recipe->patches.front(), std::string(receipt_name), listed);
    if (!problems.empty()) return base::fail(problems.front());
    for (const ReceiptOrigin& origin : receipt.from) {
        known = known_patch(origin.label, origin.revision, 0, origin.patch, std::string(receipt_name));
        if (!known) return base::fail(known.error());
        recipe->patches.push_back(*std::move(known));
        for (const ReceiptFile& file : origin.files) {
            Rule& rule = find_or_add(*recipe, file.path);
            if (rule.known.empty()) {
                rule.known.push_back({Knowledge::patched, file.stock, file.stock_executable, 0, 0, {}});
                rule.known.push_back({Knowledge::stock, file.stock, file.stock_executable, 0, 0, {}});
            }
            rule.known.push_back({Knowledge::other, file.patched, file.patched_executable, 0,
                                  recipe->patches.size() - 1, origin.label});
        }
        problems =
            check_paths(*recipe->patches.back(), std::string(receipt_name), listed_paths_of(origin.files));
        if (!problems.empty()) return base::fail(problems.front());
    }
    return std::shared_ptr<const Recipe>(std::move(recipe));
}

std::shared_ptr<const Recipe> with_receipt(const std::shared_ptr<const Recipe>& recipe,
                                           const Receipt& receipt) {
    const Result<std::shared_ptr<const Recipe>> told = recipe_of(receipt);
    if (!told) return recipe;
    auto extended = std::make_shared<Recipe>(*recipe);
    const std::size_t first = extended->patches.size();
    for (const std::shared_ptr<const KnownPatch>& patch : (*told)->patches)
        extended->patches.push_back(patch);
    bool added = false;
    for (const Rule& told_rule : (*told)->rules) {
        const manifest::FileHash stock =
            std::find_if(told_rule.known.begin(), told_rule.known.end(), [](const KnownBytes& known) {
                return known.knowledge == Knowledge::stock;
            })->hash;
        const Rule* present = recipe->find(told_rule.path);
        if (present != nullptr && !knows_stock(*present, stock)) continue;
        Rule& rule = find_or_add(*extended, told_rule.path);
        for (const KnownBytes& known : told_rule.known) {
            if (present == nullptr && known.knowledge == Knowledge::stock) {
                rule.known.push_back({Knowledge::patched, known.hash, known.executable, 0, 0, {}});
                rule.known.push_back(known);
                added = true;
            }
            if (known.knowledge == Knowledge::stock) continue;
            const std::size_t patch = first + known.patch;
            rule.known.push_back(
                {Knowledge::other, known.hash, known.executable, 0, patch, extended->patches[patch]->label});
            added = true;
        }
    }
    return added ? std::shared_ptr<const Recipe>(std::move(extended)) : recipe;
}

const KnownBytes* recognise(const Rule& rule, const manifest::FileHash& hash, bool executable) {
    for (const KnownBytes& known : rule.known) {
        if (known.hash != hash) continue;
        if (known.executable && hash && *known.executable != executable) continue;
        return &known;
    }
    return nullptr;
}

Result<Tree> to_stock(const Recipe& recipe, const Tree& now, Unknown unknown) {
    std::map<std::string, const KnownBytes*> matches;
    std::set<std::size_t> patches;
    Tree stock;
    for (const Rule& rule : recipe.rules) {
        const std::optional<FileVersion>& file = now.at(rule.path);
        const KnownBytes* match = recognise(rule, hash_of(file), executable_of(file));
        if (match == nullptr) {
            if (unknown == Unknown::refuse)
                return base::fail(conflict(recipe, rule.path, "its bytes are unknown"));
            stock[rule.path] = file;
            continue;
        }
        // What a set leaves alone is stock when it is patched.
        if (match->knowledge == Knowledge::patched && find_known(rule, Knowledge::stock, file) != nullptr) {
            match = find_known(rule, Knowledge::stock, file);
        }
        matches[rule.path] = match;
        if (match->knowledge == Knowledge::stock) {
            stock[rule.path] = file;
        } else {
            patches.insert(match->patch);
        }
    }
    for (const std::size_t index : patches) {
        const auto concerns = [&matches, index](const std::string& path) {
            const auto match = matches.find(path);
            return match != matches.end() && match->second->knowledge != Knowledge::stock &&
                   match->second->patch == index;
        };
        const auto is_unknown = [&matches](const std::string& path) { return matches.count(path) == 0; };
        for (const patch::FilePatch& file : recipe.patches[index]->patch.files) {
            const std::vector<std::string> paths = paths_of(file);
            if (std::none_of(paths.begin(), paths.end(), concerns)) continue;
            if (std::any_of(paths.begin(), paths.end(), is_unknown)) {
                // A rename whose other name holds unknown bytes: both stay, since neither can be proven.
                for (const std::string& path : paths) stock[path] = now.at(path);
                continue;
            }
            if (const Result<void> back = take_back(recipe, file, now, matches, stock); !back) {
                return base::fail(back.error());
            }
        }
    }
    for (const Rule& rule : recipe.rules) {
        const auto found = stock.find(rule.path);
        if (unknown == Unknown::keep && found != stock.end() && found->second == now.at(rule.path)) continue;
        if (found == stock.end() || find_known(rule, Knowledge::stock, found->second) == nullptr) {
            return base::fail(
                conflict(recipe, rule.path,
                         "taking the patch back does not give the stock bytes; reinstall the package"));
        }
    }
    return stock;
}

Result<PatchedTree> to_patched(const Recipe& recipe, const Tree& stock) {
    PatchedTree result{stock, {}};
    for (const patch::FilePatch& file : recipe.patches.front()->patch.files) {
        static const std::optional<FileVersion> absent;
        const std::optional<FileVersion>& from =
            file.operation == patch::Operation::create ? absent : stock.at(file.old_path);
        if (file.operation != patch::Operation::create && !from) {
            return base::fail(conflict(recipe, file.old_path, "is not there to be patched"));
        }
        const std::string nothing;
        Result<patch::Applied> applied = patch::apply(file, from ? from->bytes : nothing);
        if (!applied) {
            Error error = applied.error();
            error.package = recipe.package;
            return base::fail(std::move(error));
        }
        if (file.operation == patch::Operation::remove || file.operation == patch::Operation::rename) {
            result.tree[file.old_path] = std::nullopt;
        }
        if (file.operation == patch::Operation::remove) {
            if (!applied->text.empty())
                return base::fail(conflict(recipe, file.old_path, "holds more than the patch removes"));
            continue;
        }
        FileVersion version{std::move(applied->text), executable_of(from)};
        if (file.new_mode) version.executable = (*file.new_mode & 0100U) != 0;
        result.tree[file.new_path] = std::move(version);
        result.placements.emplace_back(file.new_path, std::move(applied->placements));
    }
    for (const Rule& rule : recipe.rules) {
        const KnownBytes* from = find_known(rule, Knowledge::stock, stock.at(rule.path));
        const std::optional<FileVersion>& made = result.tree.at(rule.path);
        const bool proven = std::any_of(rule.known.begin(), rule.known.end(), [&](const KnownBytes& known) {
            return known.knowledge == Knowledge::patched && from != nullptr &&
                   known.variant == from->variant && known.hash == hash_of(made) &&
                   (!known.executable || !made || *known.executable == made->executable);
        });
        if (!proven) {
            const manifest::FileHash hash = hash_of(made);
            return base::fail(conflict(
                recipe, rule.path,
                fmt::format(
                    "the patch makes other bytes than the manifest says (sha256 {}); regenerate the set",
                    hash ? base::short_hex(*hash) : "absent")));
        }
    }
    return result;
}

base::Result<std::vector<std::pair<std::string, std::string>>> stock_texts(const manifest::Manifest& manifest,
                                                                           const manifest::Package& package,
                                                                           const std::string& directory) {
    const auto recipe = recipe_of(manifest, package);
    if (!recipe) return base::fail(recipe.error().front());
    Tree tree;
    for (const Rule& rule : (*recipe)->rules) {
        const std::string path = directory + '/' + rule.path;
        base::Result<std::string> bytes = base::read_file(path, patch::largest_file);
        if (!bytes) {
            tree[rule.path] = std::nullopt;
            continue;
        }
        tree[rule.path] = FileVersion{*std::move(bytes), access(path.c_str(), X_OK) == 0};
    }
    const base::Result<Tree> stock = to_stock(**recipe, tree, Unknown::keep);
    if (!stock) return base::fail(stock.error());
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& [path, file] : *stock) {
        if (file && (!tree[path] || file->bytes != tree[path]->bytes)) texts.emplace_back(path, file->bytes);
    }
    return texts;
}

}  // namespace drydock::install
