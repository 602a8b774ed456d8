#include "cli/patch_journal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/suggest.hpp"
#include "cli/text.hpp"
#include "patch/names.hpp"

namespace drydock::cli {
namespace {

using base::Digest;
using base::ErrorKind;
using base::Result;
using base::StepKind;
using base::Sys;
using Hash = std::optional<Digest>;

constexpr std::string_view journal_schema = "drydock.patch-journal/1";
constexpr std::string_view end_of_head = "begun\n";
constexpr std::uint64_t largest_journal = 256U << 20U;
constexpr std::uint64_t largest_kept_file = std::uint64_t{1} << 31U;
constexpr std::array<std::pair<StepKind, std::string_view>, 4> step_words{
    {{StepKind::write, "write"},
     {StepKind::remove, "remove"},
     {StepKind::make_directory, "make-directory"},
     {StepKind::remove_directory, "remove-directory"}}};

struct JournalStep {
    StepKind kind{};
    std::string path;
    Hash old_hash;  ///< nothing: no file
    Hash new_hash;
    mode_t mode{0};  ///< the new one
    std::string new_path;
    std::string old_path;
};

struct JournalText {
    std::string work;
    std::set<std::string> directories;
    bool complete{false};  ///< with its steps: renames may have begun
    std::vector<JournalStep> steps;
};

tl::unexpected<base::Error> journal_error(std::string message) {
    base::Error error;
    error.kind = ErrorKind::io;
    error.file = base::patch_journal_name;
    error.message = std::move(message);
    return base::fail(std::move(error));
}

tl::unexpected<base::Error> journal_error(base::Errno reason, std::string_view action) {
    return journal_error(fmt::format("cannot {} it: {}", action, base::errno_text(reason.value)));
}

std::string hash_word(const Hash& hash) {
    return hash ? base::to_hex(*hash) : "absent";
}

std::string line_of(const JournalStep& step) {
    const auto* word = std::find_if(step_words.begin(), step_words.end(),
                                    [&step](const auto& known) { return known.first == step.kind; });
    return fmt::format("{}\t{}\t{}\t{}\t{:o}\t{}\t{}\n", word->second, patch::quote_if_needed(step.path),
                       hash_word(step.old_hash), hash_word(step.new_hash), step.mode,
                       patch::quote_if_needed(step.new_path), patch::quote_if_needed(step.old_path));
}

/// Reads a journal's text; nothing for one that is not ours.
class JournalReader {
  public:
    explicit JournalReader(std::string_view text) : text_(text) {}

    std::optional<JournalText> read() {
        const std::string first = fmt::format("{}\t", journal_schema);
        // Cut short before it was written: nothing else was.
        if (text_.size() < first.size() && first.starts_with(text_)) return std::move(journal_);
        if (!text_.starts_with(first)) return std::nullopt;
        const std::size_t head = text_.find(end_of_head);
        if (head == std::string_view::npos) return std::move(journal_);
        const std::size_t steps = head + end_of_head.size();
        if (!read_head(text_.substr(0, head))) return std::nullopt;
        // The last line vouches for those before it; without it no rename was begun.
        const std::size_t last = text_.rfind("complete\t");
        if (last == std::string_view::npos || last < steps || text_[last - 1] != '\n' ||
            text_.substr(last) != "complete\t" + base::to_hex(base::sha256(text_.substr(0, last))) + "\n") {
            return std::move(journal_);
        }
        if (!read_steps(text_.substr(steps, last - steps))) return std::nullopt;
        journal_.complete = true;
        return std::move(journal_);
    }

  private:
    static std::vector<std::string_view> split(std::string_view text, char separator) {
        std::vector<std::string_view> parts;
        for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
            parts.push_back(text.substr(0, at));
            text.remove_prefix(at + 1);
        }
        parts.push_back(text);
        return parts;
    }

    /// A path below the directory, maybe the empty one.
    static std::optional<std::string> path_of(std::string_view word) {
        std::string path(word);
        if (word.starts_with('"')) {
            const std::optional<patch::Unquoted> unquoted = patch::unquote(word);
            if (!unquoted || unquoted->length != word.size()) return std::nullopt;
            path = unquoted->name;
        }
        if (!path.empty() && !base::is_safe_relative(path)) return std::nullopt;
        return path;
    }

    static bool read_hash(std::string_view word, Hash& hash) {
        if (word == "absent") return true;
        hash = base::digest_from_hex(word);
        return hash.has_value();
    }

    bool read_head(std::string_view text) {
        std::vector<std::string_view> lines = split(text, '\n');
        lines.pop_back();
        for (const std::string_view line : lines) {
            const std::vector<std::string_view> words = split(line, '\t');
            if (words.size() != 2) return false;
            if (words[0] == journal_schema) {
                journal_.work = words[1];
                continue;
            }
            const std::optional<std::string> path = path_of(words[1]);
            if (words[0] != "directory" || !path) return false;
            journal_.directories.insert(*path);
        }
        return true;
    }

    bool read_steps(std::string_view text) {
        std::vector<std::string_view> lines = split(text, '\n');
        lines.pop_back();
        return std::all_of(lines.begin(), lines.end(),
                           [this](std::string_view line) { return read_step(split(line, '\t')); });
    }

    bool read_step(const std::vector<std::string_view>& words) {
        if (words.size() != 7) return false;
        const auto* word = std::find_if(step_words.begin(), step_words.end(),
                                        [&words](const auto& known) { return known.second == words[0]; });
        const std::optional<std::string> path = path_of(words[1]);
        const std::optional<std::string> new_path = path_of(words[5]);
        const std::optional<std::string> old_path = path_of(words[6]);
        if (word == step_words.end() || !path || path->empty() || !new_path || !old_path) return false;
        JournalStep step{word->first, *path, {}, {}, 0, *new_path, *old_path};
        if (!read_hash(words[2], step.old_hash) || !read_hash(words[3], step.new_hash)) return false;
        const auto [end, error] =
            std::from_chars(words[4].data(), words[4].data() + words[4].size(), step.mode, 8);
        if (error != std::errc() || end != words[4].data() + words[4].size()) return false;
        journal_.steps.push_back(std::move(step));
        return true;
    }

    std::string_view text_;
    JournalText journal_;
};

/// A file as it lies there now.
struct KeptFile {
    std::string bytes;
    base::Attributes attributes;
    base::Identity identity;
};

/// Nothing where there is no regular file that can be read.
std::optional<KeptFile> read_kept(const base::Directory& root, const std::string& path) {
    const Sys<base::FileDescriptor> file = root.open_file(path);
    if (!file) return std::nullopt;
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info || info->type != base::FileType::regular) return std::nullopt;
    Sys<base::Attributes> attributes = base::attributes_of(*file);
    Sys<std::string> bytes = base::read_all(*file, largest_kept_file);
    if (!attributes || !bytes) return std::nullopt;
    return KeptFile{*std::move(bytes), *std::move(attributes), info->identity};
}

bool is_there(const base::Directory& root, const std::string& path) {
    const Sys<std::optional<base::FileInfo>> info = root.info(path);
    return !info || info->has_value();
}

/// False when one stays.
bool remove_temporaries_in(const base::Directory& root, const std::set<std::string>& directories) {
    bool all = true;
    for (const std::string& path : directories) {
        const Sys<base::Directory> directory = root.open_directory(path);
        if (!directory) continue;
        all = base::remove_temporaries(*directory) && all;
    }
    return all;
}

/// False when it stays.
bool remove_journal(const base::Directory& root) {
    const std::string name(base::patch_journal_name);
    if (unlinkat(root.fd(), name.c_str(), 0) != 0) return false;
    fsync(root.fd());
    return true;
}

/// Ends or takes back what a complete journal tells of.
class Settlement {
  public:
    Settlement(const base::Directory& root, const JournalText& journal) : root_(root), journal_(journal) {}

    Result<SettledPatch> run() {
        look();
        const bool forward = others_.empty() && all_of(Now::old_one, [](const File& file) {
                                 return !file.step->new_hash || file.new_bytes.has_value();
                             });
        const bool back = all_of(Now::new_one, [](const File& file) {
            return !file.step->old_hash || file.old_bytes.has_value();
        });
        const bool done = all_of(Now::old_one, [](const File&) { return false; });
        constexpr std::string_view had_done =
            "an earlier run had done its work but was cut short before it had tidied up";
        SettledPatch settled;
        if (forward) {
            settled.same_work_done = true;
            settled.message = done ? std::string(had_done)
                                   : "ended what an earlier run began and was cut short in: " + file_names();
            plan_forward();
        } else if (back) {
            settled.message =
                fmt::format("took back what an earlier run began and was cut short in: {}", file_names());
            plan_back();
        } else if (done) {
            settled.message = had_done;
            plan_forward();
        } else {
            return journal_error(
                "tells of a run that was cut short, and can be neither ended nor taken back, since its "
                "temporary files are gone; put its files in order by hand, then remove it");
        }
        if (!others_.empty()) {
            settled.message +=
                fmt::format("; left alone, since changed by somebody else: {}", fmt::join(others_, ", "));
        }
        if (const Result<void> written = write(); !written) return base::fail(written.error());
        return settled;
    }

  private:
    [[nodiscard]] std::string file_names() const {
        std::vector<std::string> names;
        for (const File& file : files_) names.push_back(file.step->path);
        return base::first_names(names);
    }

    enum class Now : std::uint8_t { old_one, new_one, other };
    struct File {
        const JournalStep* step{nullptr};
        Now now{Now::other};
        std::optional<base::Identity> identity;
        std::optional<KeptFile> new_bytes;  ///< of its temporaries, if they are what the journal says
        std::optional<KeptFile> old_bytes;
    };

    template <class Condition>
    [[nodiscard]] bool all_of(Now now, Condition condition) const {
        return std::all_of(files_.begin(), files_.end(),
                           [&](const File& file) { return file.now != now || condition(file); });
    }

    std::optional<KeptFile> temporary(const std::string& path, const Hash& hash) const {
        if (path.empty() || !hash) return std::nullopt;
        std::optional<KeptFile> kept = read_kept(root_, path);
        if (kept && base::sha256(kept->bytes) != *hash) kept.reset();
        return kept;
    }

    void look() {
        for (const JournalStep& step : journal_.steps) {
            if (step.kind != StepKind::write && step.kind != StepKind::remove) continue;
            File file;
            file.step = &step;
            const std::optional<KeptFile> there = read_kept(root_, step.path);
            if (there || !is_there(root_, step.path)) {
                const Hash hash = there ? Hash(base::sha256(there->bytes)) : Hash();
                // Where only the mode changes, the mode tells.
                const bool mode_tells = step.old_hash == step.new_hash;
                const bool new_mode = there && there->attributes.mode == step.mode;
                if (hash == step.new_hash && (!mode_tells || new_mode)) {
                    file.now = Now::new_one;
                } else if (hash == step.old_hash) {
                    file.now = Now::old_one;
                }
            }
            if (there) file.identity = there->identity;
            if (file.now == Now::other) others_.push_back(step.path);
            if (file.now == Now::old_one) file.new_bytes = temporary(step.new_path, step.new_hash);
            if (file.now == Now::new_one) file.old_bytes = temporary(step.old_path, step.old_hash);
            files_.push_back(std::move(file));
        }
    }

    base::Target target(const std::string& path, std::optional<base::Identity> identity = {}) const {
        return {&root_, path, path, identity};
    }

    void bring(File& file, std::optional<KeptFile>& wanted) {
        if (wanted) {
            transaction_.write(target(file.step->path, file.identity), std::move(wanted->bytes),
                               wanted->attributes);
        } else {
            transaction_.remove(target(file.step->path, file.identity));
        }
    }

    void plan_forward() {
        for (const JournalStep& step : journal_.steps) {
            if (step.kind == StepKind::make_directory && !is_there(root_, step.path)) {
                transaction_.make_directory(target(step.path), step.mode);
            }
        }
        for (File& file : files_) {
            if (file.now == Now::old_one) bring(file, file.new_bytes);
        }
        for (const JournalStep& step : journal_.steps) {
            if (step.kind == StepKind::remove_directory) transaction_.remove_directory(target(step.path));
        }
    }

    void plan_back() {
        for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
            if (file->now == Now::new_one) bring(*file, file->old_bytes);
        }
        for (auto step = journal_.steps.rbegin(); step != journal_.steps.rend(); ++step) {
            if (step->kind == StepKind::make_directory) transaction_.remove_directory(target(step->path));
        }
    }

    Result<void> write() {
        if (Result<void> staged = transaction_.stage(); !staged) return staged;
        if (Result<void> done = transaction_.run(); !done) return done;
        // Before the directories that they lie in.
        remove_temporaries_in(root_, journal_.directories);
        static_cast<void>(transaction_.tidy());
        return {};
    }

    const base::Directory& root_;
    const JournalText& journal_;
    std::vector<File> files_;
    std::vector<std::string> others_;
    base::Transaction transaction_;
};

Result<std::optional<JournalText>> read_journal(const base::Directory& root) {
    const Sys<base::FileDescriptor> file = root.open_file(base::patch_journal_name);
    if (!file && file.error().value == ENOENT) return std::optional<JournalText>();
    if (!file) return journal_error(file.error(), "read");
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info) return journal_error(info.error(), "read");
    if (info->type != base::FileType::regular) return journal_error("is no regular file; move it away");
    // What another user wrote there must not have us rename files.
    if (info->uid != geteuid()) {
        return journal_error(fmt::format(
            "is of user {}, whose run was cut short here; run drydock patch as that user first", info->uid));
    }
    const Sys<std::string> text = base::read_all(*file, largest_journal);
    if (!text) return journal_error(text.error(), "read");
    std::optional<JournalText> journal = JournalReader(*text).read();
    if (!journal) return journal_error("is no journal of drydock patch; move it away");
    return journal;
}

std::vector<SettledPatch::File> files_of(const JournalText& journal) {
    std::vector<SettledPatch::File> files;
    for (const JournalStep& step : journal.steps) {
        if (step.kind == StepKind::remove) {
            files.push_back({step.path, patch::Operation::remove});
        } else if (step.kind == StepKind::write) {
            files.push_back({step.path, step.old_hash ? patch::Operation::modify : patch::Operation::create});
        }
    }
    return files;
}

}  // namespace

Result<PatchJournal> PatchJournal::begin(const base::Directory& root, std::set<std::string> directories,
                                         const Digest& work) {
    PatchJournal journal(root, std::move(directories));
    journal.file_ = base::FileDescriptor(openat(root.fd(), std::string(base::patch_journal_name).c_str(),
                                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!journal.file_.valid()) return journal_error(base::Errno{errno}, "make");
    std::string text = fmt::format("{}\t{}\n", journal_schema, base::to_hex(work));
    for (const std::string& path : journal.directories_) {
        text += fmt::format("directory\t{}\n", patch::quote_if_needed(path));
    }
    text += end_of_head;
    if (const Sys<void> written = base::write_all(journal.file_, text); !written) {
        remove_journal(root);
        return journal_error(written.error(), "write");
    }
    journal.text_ = std::move(text);
    remove_temporaries_in(root, journal.directories_);
    return journal;
}

Result<void> PatchJournal::add_steps(const base::Transaction& transaction) {
    const std::vector<base::StagedStep> staged = transaction.staged();
    // One rename is done or not.
    if (staged.size() < 2) return {};
    std::string text;
    for (const base::StagedStep& step : staged) {
        JournalStep line{step.kind, step.path, {}, {}, step.mode, step.new_path, step.old_path};
        if (step.kind == StepKind::write) line.new_hash = base::sha256(step.bytes);
        if (step.kind == StepKind::remove || step.replaces) {
            const std::optional<KeptFile> old = read_kept(*root_, step.path);
            if (!old) return journal_error(fmt::format("{} changed while we worked; run again", step.path));
            line.old_hash = base::sha256(old->bytes);
        }
        text += line_of(line);
    }
    text += fmt::format("complete\t{}\n", base::to_hex(base::sha256(text_ + text)));
    if (Result<void> synced = transaction.sync_names(); !synced) return synced;
    if (const Sys<void> written = base::write_all(file_, text); !written) {
        return journal_error(written.error(), "write");
    }
    if (const Sys<void> synced = base::sync(file_); !synced) return journal_error(synced.error(), "sync");
    if (const Sys<void> synced = base::sync_directory(*root_); !synced) {
        return journal_error(synced.error(), "sync the directory of");
    }
    return {};
}

bool PatchJournal::end() {
    return remove_temporaries_in(*root_, directories_) && remove_journal(*root_);
}

bool journal_is_there(const base::Directory& root) {
    return is_there(root, std::string(base::patch_journal_name));
}

Result<std::optional<SettledPatch>> settle_patch(const base::Directory& root, const Digest& work) {
    const Result<std::optional<JournalText>> journal = read_journal(root);
    if (!journal) return base::fail(journal.error());
    if (!*journal) return std::optional<SettledPatch>();
    SettledPatch settled;
    settled.message = "removed what an earlier run had left that was cut short";
    if ((*journal)->complete) {
        Result<SettledPatch> done = Settlement(root, **journal).run();
        if (!done) return base::fail(done.error());
        settled = *std::move(done);
        settled.same_work_done = settled.same_work_done && (*journal)->work == base::to_hex(work);
        if (settled.same_work_done) settled.files = files_of(**journal);
    }
    if (!remove_temporaries_in(root, (*journal)->directories) || !remove_journal(root)) {
        settled.message +=
            fmt::format("; {} could not be removed; the next run does it", base::patch_journal_name);
    }
    return std::optional(std::move(settled));
}

}  // namespace drydock::cli
