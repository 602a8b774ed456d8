#include "install/receipt.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/hash.hpp"

namespace drydock::install {
namespace {

using Json = nlohmann::ordered_json;
using base::ErrorKind;
using base::Result;

constexpr std::string_view schema = "drydock.receipt/1";
constexpr int deepest_receipt = 8;
constexpr std::size_t most_values = 1U << 16U;

/// What is wrong with a document; caught at this file's edge.
struct Malformed {
    std::string what;
};

/// Whoever can write to a package can put anything in a receipt's place: it must not cost much memory or
/// time.
Json parse_bounded(std::string_view text) {
    std::size_t values = 0;
    return Json::parse(text, [&values](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
        if (depth > deepest_receipt) throw Malformed{"it is nested too deeply"};
        if (++values > most_values) throw Malformed{"it holds too many values"};
        return true;
    });
}

std::string to_hex(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

std::string from_hex(const std::string& hex) {
    const auto digit = [](char c) -> unsigned {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
        throw Malformed{"a text that is not hexadecimal"};
    };
    if (hex.size() % 2 != 0) throw Malformed{"a hexadecimal text of odd length"};
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        bytes += static_cast<char>(static_cast<unsigned char>((digit(hex[i]) << 4U) | digit(hex[i + 1])));
    }
    return bytes;
}

/// A text as it is; one that JSON could not carry (no UTF-8) as hexadecimal digits under another key.
void put_text(Json& into, const std::string& key, const std::string& text) {
    try {
        static_cast<void>(Json(text).dump());
        into[key] = text;
    } catch (const Json::exception&) {
        into[key + "Hex"] = to_hex(text);
    }
}

/// The inside of a JSON string, for a text that is UTF-8.
std::string in_json(std::string_view text) {
    std::string result;
    result.reserve(text.size() + text.size() / 8);
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
        result.append(text, plain, at - plain);
        plain = at + 1;
        const std::size_t named = std::string_view("\"\\\b\f\n\r\t").find(c);
        if (named == std::string_view::npos) {
            result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            result += '\\';
            result += "\"\\bfnrt"[named];
        }
    }
    result.append(text, plain);
    return result;
}

std::string hash_text(const manifest::FileHash& hash) {
    return hash ? base::to_hex(*hash) : "absent";
}

Json file_json(const ReceiptFile& file) {
    Json json;
    json["path"] = file.path;
    json["stock"] = hash_text(file.stock);
    json["patched"] = hash_text(file.patched);
    if (file.stock_executable) json["stockExecutable"] = *file.stock_executable;
    if (file.patched_executable) json["patchedExecutable"] = *file.patched_executable;
    if (file.restore) {
        Json restore;
        restore["mode"] = fmt::format("{:04o}", file.restore->mode);
        for (const auto& [name, value] : file.restore->extended) restore["extended"][name] = to_hex(value);
        json["restore"] = std::move(restore);
    }
    return json;
}

Json files_json(const std::vector<ReceiptFile>& files) {
    Json list = Json::array();
    for (const ReceiptFile& file : files) list.push_back(file_json(file));
    return list;
}

const Json& member(const Json& json, const std::string& key) {
    if (!json.is_object()) throw Malformed{"no object where one is expected"};
    const auto found = json.find(key);
    if (found == json.end()) throw Malformed{fmt::format("no '{}'", key)};
    return *found;
}

std::string text_of(const Json& json, const std::string& key) {
    const Json& value = member(json, key);
    if (!value.is_string()) throw Malformed{fmt::format("'{}' is no text", key)};
    return value.get<std::string>();
}

std::string any_text_of(const Json& json, const std::string& key) {
    return json.contains(key + "Hex") ? from_hex(text_of(json, key + "Hex")) : text_of(json, key);
}

unsigned number_of(const Json& json, const std::string& key, std::uint64_t most = UINT32_MAX) {
    const Json& value = member(json, key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
        throw Malformed{fmt::format("'{}' is no number in its range", key)};
    }
    return value.get<unsigned>();
}

std::optional<bool> flag_of(const Json& json, const std::string& key) {
    const auto found = json.find(key);
    if (found == json.end()) return std::nullopt;
    if (!found->is_boolean()) throw Malformed{fmt::format("'{}' is neither true nor false", key)};
    return found->get<bool>();
}

manifest::FileHash hash_of(const Json& json, const std::string& key) {
    const std::string text = text_of(json, key);
    if (text == "absent") return std::nullopt;
    const std::optional<base::Digest> digest = base::digest_from_hex(text);
    if (!digest) throw Malformed{fmt::format("'{}' is no sha256", key)};
    return *digest;
}

std::string path_of(const Json& value) {
    if (!value.is_string() || !base::is_safe_relative(value.get<std::string>())) {
        throw Malformed{"a path that leaves the package"};
    }
    return value.get<std::string>();
}

Restore restore_of(const Json& json) {
    Restore attributes;
    std::uint64_t mode = 0;
    for (const char c : text_of(json, "mode")) {
        if (c < '0' || c > '7') throw Malformed{"'mode' is no octal mode"};
        mode = mode * 8 + static_cast<std::uint64_t>(c - '0');
        if (mode > 0777) throw Malformed{"'mode' has more than permission bits"};
    }
    attributes.mode = static_cast<mode_t>(mode);
    if (json.contains("extended")) {
        for (const auto& item : member(json, "extended").items()) {
            if (!is_restorable(item.key()) || !item.value().is_string()) {
                throw Malformed{"an extended attribute that no receipt of ours holds"};
            }
            attributes.extended.emplace_back(item.key(), from_hex(item.value().get<std::string>()));
        }
    }
    return attributes;
}

std::vector<ReceiptFile> files_of(const Json& json) {
    const Json& list = member(json, "files");
    if (!list.is_array() || list.empty()) throw Malformed{"'files' is no list of files"};
    std::vector<ReceiptFile> files;
    for (const Json& item : list) {
        ReceiptFile file;
        file.path = path_of(member(item, "path"));
        file.stock = hash_of(item, "stock");
        file.patched = hash_of(item, "patched");
        file.stock_executable = flag_of(item, "stockExecutable");
        file.patched_executable = flag_of(item, "patchedExecutable");
        if (item.contains("restore")) file.restore = restore_of(item["restore"]);
        const bool twice = std::any_of(files.begin(), files.end(),
                                       [&file](const ReceiptFile& other) { return other.path == file.path; });
        if (twice) throw Malformed{fmt::format("it lists {} twice", file.path)};
        files.push_back(std::move(file));
    }
    return files;
}

Receipt receipt_of(const Json& json) {
    if (text_of(json, "schema") != schema) throw Malformed{fmt::format("its schema is not {}", schema)};
    Receipt receipt;
    receipt.set = text_of(json, "set");
    receipt.package = text_of(json, "package");
    receipt.version = text_of(json, "version");
    receipt.revision = number_of(json, "revision");
    receipt.provides = number_of(json, "provides");
    for (const auto& item : member(json, "requires").items()) {
        if (!item.value().is_number_unsigned()) throw Malformed{"a level that is no number"};
        receipt.requirements[item.key()] = item.value().get<unsigned>();
    }
    receipt.files = files_of(json);
    for (const Json& item : member(json, "createdDirectories"))
        receipt.created_directories.push_back(path_of(item));
    receipt.patch = any_text_of(json, "patch");
    if (json.contains("from")) {
        for (const Json& item : json["from"]) {
            receipt.from.push_back({text_of(item, "label"), number_of(item, "revision"), files_of(item),
                                    any_text_of(item, "patch")});
        }
    }
    return receipt;
}

/// The lines of a receipt that tell what it is for, as print() writes them: at each boot, so without a
/// document.
std::string head_of(const Receipt& receipt) {
    return fmt::format(
        "{{\n  \"schema\": \"{}\",\n  \"set\": \"{}\",\n  \"package\": \"{}\",\n  \"version\": \"{}\",\n"
        "  \"revision\": {},",
        schema, in_json(receipt.set), in_json(receipt.package), in_json(receipt.version), receipt.revision);
}

}  // namespace

Glance glance_at_receipt(const base::Directory& package, const Receipt& expected) {
    const base::Sys<base::FileDescriptor> file = package.open_file(receipt_name);
    if (!file) return file.error().value == ENOENT ? Glance::absent : Glance::other;
    const std::string head = head_of(expected);
    std::string found(head.size(), '\0');
    const ssize_t count = pread(file->get(), found.data(), found.size(), 0);
    return count == static_cast<ssize_t>(head.size()) && found == head ? Glance::ours : Glance::other;
}

bool is_receipt(const base::Directory& package, const Receipt& expected, std::string_view patch,
                const base::Digest& patch_digest) {
    const base::Sys<base::FileDescriptor> file = package.open_file(receipt_name);
    if (!file) return false;
    std::string text = print(expected);
    const std::string digest = base::to_hex(base::sha256(expected.patch));
    const std::size_t digest_at = text.find(digest);
    const std::size_t patch_at = text.find("\"patch\": \"\"", digest_at);
    if (digest_at == std::string::npos || patch_at == std::string::npos) return false;
    text.insert(patch_at + std::string_view("\"patch\": \"").size(), in_json(patch));
    text.replace(digest_at, digest.size(), base::to_hex(patch_digest));
    const base::Sys<std::string> found = base::read_all(*file, text.size());
    return found && *found == text;
}

bool is_restorable(std::string_view attribute) {
    return attribute.rfind("user.", 0) == 0;
}

std::vector<std::string> listed_paths_of(const std::vector<ReceiptFile>& files) {
    std::vector<std::string> paths;
    paths.reserve(files.size());
    for (const ReceiptFile& file : files) paths.push_back(file.path);
    return paths;
}

std::string print(const Receipt& receipt) {
    Json json;
    json["schema"] = schema;
    json["set"] = receipt.set;
    json["package"] = receipt.package;
    json["version"] = receipt.version;
    json["revision"] = receipt.revision;
    json["provides"] = receipt.provides;
    json["requires"] = Json::object();
    for (const auto& [package, level] : receipt.requirements) json["requires"][package] = level;
    json["files"] = files_json(receipt.files);
    json["createdDirectories"] = receipt.created_directories;
    json["patchSha256"] = base::to_hex(base::sha256(receipt.patch));
    put_text(json, "patch", receipt.patch);
    for (const ReceiptOrigin& origin : receipt.from) {
        Json from;
        from["label"] = origin.label;
        from["revision"] = origin.revision;
        from["files"] = files_json(origin.files);
        put_text(from, "patch", origin.patch);
        json["from"].push_back(std::move(from));
    }
    return json.dump(2) + "\n";
}

Result<Receipt> parse_receipt(std::string_view text) {
    std::string what;
    try {
        const Json json = parse_bounded(text);
        Receipt receipt = receipt_of(json);
        if (text_of(json, "patchSha256") == base::to_hex(base::sha256(receipt.patch))) return receipt;
        what = "its patch does not match its sha256";
    } catch (const Malformed& malformed) {
        what = malformed.what;
    } catch (const Json::exception&) {
        what = "it is not JSON";
    }
    base::Error error;
    error.kind = ErrorKind::io;
    error.file = receipt_name;
    error.message = "not a receipt of ours: " + what;
    return base::fail(std::move(error));
}

Result<std::optional<Receipt>> read_receipt(const base::Directory& package) {
    const auto trouble = [](base::Errno reason) {
        base::Error error = base::io_error(reason, "cannot read the receipt");
        error.file = receipt_name;
        return base::fail(std::move(error));
    };
    const auto misplaced = [](const std::string& what) {
        base::Error error;
        error.kind = ErrorKind::io;
        error.file = receipt_name;
        error.message = "it is " + what;
        return base::fail(std::move(error));
    };
    const base::Sys<base::FileDescriptor> file = package.open_file(receipt_name);
    if (!file && file.error().value == ENOENT) return std::optional<Receipt>();
    if (!file && file.error().value == ELOOP) return misplaced("a link");
    if (!file) return trouble(file.error());
    const base::Sys<base::FileInfo> info = base::info_of(*file);
    if (!info) return trouble(info.error());
    if (info->type != base::FileType::regular) return misplaced("no regular file");
    const base::Sys<std::string> text = base::read_all(*file, *info, largest_receipt);
    if (!text && text.error().value == EFBIG)
        return misplaced(fmt::format("larger than {} MiB", largest_receipt >> 20U));
    if (!text) return trouble(text.error());
    Result<Receipt> receipt = parse_receipt(*text);
    if (!receipt) return base::fail(receipt.error());
    return std::optional<Receipt>(*std::move(receipt));
}

}  // namespace drydock::install
