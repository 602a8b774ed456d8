#include "cli/render_sbom.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/result.hpp"
#include "base/utf.hpp"
#include "cli/json_document.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What package.json says, where that can be read.
const std::string& name_of(const install::PackageReport& package) {
    return package.found_name.empty() ? package.name : package.found_name;
}

Json property(std::string_view name, std::string_view value) {
    return {{"name", fmt::format("drydock:{}", name)}, {"value", value}};
}

/// A file with its SHA-256: one that lies there with its state and the copies of its code that stay stock, a
/// stock one with where its hash comes from.
Json file_component(const install::FileReport& file, const base::Digest& hash, bool lies_there) {
    Json component = {{"type", "file"},
                      {"name", file.path},
                      {"hashes", {{{"alg", "SHA-256"}, {"content", base::to_hex(hash)}}}}};
    if (lies_there) {
        component["properties"] = {property("state", install::state_name(file.state))};
        if (!file.label.empty()) component["properties"].push_back(property("label", file.label));
        for (const std::string& copy : file.second_copies)
            component["properties"].push_back(property("stock-copy", copy));
    } else if (file.origin) {
        component["properties"] = {property("origin", origin_name(*file.origin))};
    }
    return component;
}

/// A component of a package as npm knows it.
Json npm_component(std::string_view name, std::string_view version) {
    Json component = {{"type", "library"}};
    const std::size_t slash = name.starts_with('@') ? name.find('/') : std::string_view::npos;
    if (slash != std::string_view::npos) component["group"] = name.substr(0, slash);
    component["name"] = slash == std::string_view::npos ? name : name.substr(slash + 1);
    if (!version.empty()) component["version"] = version;
    component["purl"] = package_url(name, version);
    return component;
}

Json attachment(std::string_view bytes) {
    Json text = {{"contentType", "text/x-diff"}};
    const bool plain = base::is_utf8(bytes);
    if (!plain) text["encoding"] = "base64";
    text["content"] = plain ? std::string(bytes) : base::to_base64(bytes);
    return text;
}

std::string trimmed(const std::string& text) {
    return text.substr(0, text.find_last_not_of(" \n") + 1);
}

Json patch_entry(const install::PackageReport& package, const install::HeldPatch& patch) {
    Json entry = {{"type", "unofficial"}, {"diff", {{"text", attachment(*patch.text)}}}};
    // Of another tool's patch the manifest does not say why it was made.
    if (patch.revision == 0 || (package.why.empty() && package.resolves.empty())) return entry;
    Json issue = {{"type", "defect"}};
    if (!package.resolves.empty()) issue["name"] = trimmed(package.resolves);
    if (!package.why.empty()) issue["description"] = trimmed(package.why);
    entry["resolves"] = Json::array({std::move(issue)});
    return entry;
}

/// What the copy was, what was done to it, and by which patch.
Json pedigree(const install::Outcome& set, const install::PackageReport& package) {
    Json ancestor = npm_component(name_of(package), package.version);
    Json stock = Json::array();
    for (const install::FileReport& file : package.files) {
        if (file.stock) stock.push_back(file_component(file, *file.stock, false));
    }
    if (!stock.empty()) ancestor["components"] = std::move(stock);
    Json patches = Json::array();
    std::vector<std::string> notes;
    for (const install::HeldPatch& patch : package.patches) {
        patches.push_back(patch_entry(package, patch));
        const std::string of = patch.revision == 0 ? std::string() : fmt::format(" of {}", set.set);
        notes.push_back(fmt::format("{}{} (sha256 {}) made {}", patch.label, of,
                                    base::to_hex(base::sha256(*patch.text)), fmt::join(patch.files, ", ")));
    }
    return {{"ancestors", Json::array({std::move(ancestor)})},
            {"patches", std::move(patches)},
            {"notes", fmt::format("{}", fmt::join(notes, "; "))}};
}

Json component(const install::Outcome& set, const install::PackageReport& package,
               const std::string& reference) {
    Json entry = npm_component(name_of(package), package.version);
    entry["bom-ref"] = reference;
    Json files = Json::array();
    for (const install::FileReport& file : package.files) {
        if (file.sha256) files.push_back(file_component(file, *file.sha256, true));
    }
    if (!files.empty()) entry["components"] = std::move(files);
    if (!package.patches.empty()) entry["pedigree"] = pedigree(set, package);
    entry["evidence"] = {{"occurrences", {{{"location", package.directory}}}}};
    entry["properties"] = {property("root", package.root),
                           property("state", install::state_name(package.state))};
    return entry;
}

/// What names each copy in the document: its purl, with a number from the second copy on; empty for what is
/// not installed.
std::vector<std::string> references(const std::vector<install::PackageReport>& packages) {
    std::vector<std::string> names;
    std::map<std::string, unsigned> seen;
    for (const install::PackageReport& package : packages) {
        names.emplace_back();
        if (package.state == install::State::absent) continue;
        names.back() = package_url(name_of(package), package.version);
        const unsigned count = ++seen[names.back()];
        if (count > 1) names.back() += fmt::format("#{}", count);
    }
    return names;
}

/// Which patched copy needs which: told where there is only one that it can be.
Json dependencies(const std::vector<install::PackageReport>& packages,
                  const std::vector<std::string>& names) {
    Json list = Json::array();
    for (std::size_t i = 0; i < packages.size(); ++i) {
        if (packages[i].state != install::State::patched) continue;
        Json needed = Json::array();
        for (const std::string& required : packages[i].requirements) {
            std::vector<std::string> copies;
            for (std::size_t k = 0; k < packages.size(); ++k) {
                if (packages[k].name == required && !names[k].empty()) copies.push_back(names[k]);
            }
            if (copies.size() == 1) needed.push_back(copies.front());
        }
        if (!needed.empty()) list.push_back({{"ref", names[i]}, {"dependsOn", std::move(needed)}});
    }
    return list;
}

Json metadata(const SetReport& report) {
    const install::Outcome& outcome = report.outcome;
    Json properties = {property("set", outcome.set), property("version", outcome.version),
                       property("revision", std::to_string(outcome.revision)),
                       property("status", report.adopted ? "adopted" : "active")};
    for (const base::Error& note : outcome.notes)
        properties.push_back(property("note", base::describe(note)));
    return {{"tools",
             {{"components",
               {{{"type", "application"}, {"name", "drydock"}, {"version", DRYDOCK_VERSION_STRING}}}}}},
            {"properties", std::move(properties)}};
}

/// A UUID of version 8, whose bits are the application's own: the first of a SHA-256.
std::string serial_number(std::string_view document) {
    base::Digest digest = base::sha256(document);
    digest.bytes[6] = static_cast<std::uint8_t>((digest.bytes[6] & 0x0fU) | 0x80U);
    digest.bytes[8] = static_cast<std::uint8_t>((digest.bytes[8] & 0x3fU) | 0x80U);
    const std::string hex = base::to_hex(digest);
    return fmt::format("urn:uuid:{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                       hex.substr(16, 4), hex.substr(20, 12));
}

}  // namespace

std::string package_url(std::string_view name, std::string_view version) {
    static constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string url = "pkg:npm/";
    const auto add = [&url](std::string_view text, bool with_slash) {
        for (const char each : text) {
            if (plain.find(each) != std::string_view::npos || (with_slash && each == '/')) {
                url += each;
            } else {
                url += fmt::format("%{:02X}", static_cast<unsigned char>(each));
            }
        }
    };
    add(name, true);
    if (version.empty()) return url;
    url += '@';
    add(version, false);
    return url;
}

std::string sbom_document(const SetReport& report) {
    const std::vector<install::PackageReport>& packages = report.outcome.packages;
    const std::vector<std::string> names = references(packages);
    Json components = Json::array();
    for (std::size_t i = 0; i < packages.size(); ++i) {
        if (!names[i].empty()) components.push_back(component(report.outcome, packages[i], names[i]));
    }
    Json document = {{"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
                     {"bomFormat", "CycloneDX"},
                     {"specVersion", "1.6"},
                     {"serialNumber", Json()},
                     {"version", 1},
                     {"metadata", metadata(report)},
                     {"components", std::move(components)},
                     {"dependencies", dependencies(packages, names)},
                     // Of all that is installed only what the set patches is listed.
                     {"compositions", {{{"aggregate", "incomplete"}}}}};
    document["serialNumber"] = serial_number(printed(document));
    return printed(document);
}

}  // namespace drydock::cli
