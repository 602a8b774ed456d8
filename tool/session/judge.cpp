#include <algorithm>

#include <fmt/format.h>

#include "session/batches.hpp"
#include "session/checks.hpp"
#include "session/frames.hpp"
#include "session/reader.hpp"
#include "session/scanner.hpp"
#include "session/session.hpp"

namespace drydock::session {
namespace {

using base::Sys;

/// More than that node reads into no buffer.
constexpr std::uint64_t largest_file = 0x7FFFFFFF;

/// One log's way through scanner and checks.
class Trial {
  public:
    Trial(const base::FileDescriptor& file, Reader& reader, const JudgeOptions& options, Observer* observer)
        : file_(file),
          reader_(reader),
          encoding_(options.encoding),
          checks_(options),
          scanner_(checks_, observer) {}

    Sys<Judgement> run() {
        const bool too_large = reader_.size() > largest_file;
        const Sys<void> read = encoding_ == Encoding::zstd ? read_frames() : read_lines();
        if (!read) return tl::unexpected(read.error());
        checks_.finish();
        if (too_large) refuse("the file is larger than node reads: 2 GiB");
        return judgement();
    }

  private:
    void refuse(std::string message, std::size_t line = 0) { fault_ = {std::move(message), line}; }

    void refuse_headless(std::string message) {
        refuse(std::move(message));
        headless_ = true;
    }

    Sys<void> read_lines() {
        std::optional<base::Errno> error;
        Batches::of_lines(file_, reader_.size()).each([&](Batch& batch) {
            error = batch.error;
            return scanner_.write(batch.text, &batch.ahead) && !error;
        });
        if (error && !scanner_.refusal()) return tl::unexpected(*error);
        if (scanner_.lines() == 0) refuse_headless("there is no header line");
        truncated_ = scanner_.issue() || scanner_.ends_in_line();
        return {};
    }

    /// The loader looks at all frames' headers before it decodes one.
    Sys<void> read_frames() {
        std::optional<Frame> torn;
        std::uint64_t complete_end = 0;
        while (complete_end < reader_.size() && !torn) {
            const Sys<Frame> frame = find_frame(reader_, complete_end);
            if (!frame) return tl::unexpected(frame.error());
            if (frame->state == FrameState::broken) refuse(frame->reason);
            if (frame->state == FrameState::broken) return {};
            if (frame->state == FrameState::torn) torn = *frame;
            if (frame->state == FrameState::complete) complete_end = frame->end;
        }
        if (complete_end == 0) {
            refuse_headless("there is no complete zstd frame, so no header line");
            return {};
        }
        const Sys<void> read = read_complete_frames(complete_end);
        if (!read || fault_ || scanner_.refusal()) return read;
        if (scanner_.issue() || scanner_.ends_in_line()) {
            refuse(scanner_.issue() ? "in a complete zstd frame: " + scanner_.issue()->message
                                    : "the last complete zstd frame ends within a line",
                   scanner_.issue() ? scanner_.issue()->line : scanner_.lines() + 1);
            return {};
        }
        return torn ? recover(*torn) : read;
    }

    Sys<void> read_complete_frames(std::uint64_t end) {
        bool first = true;
        const auto end_frame = [&] {
            if (first && !fault_ && (scanner_.lines() != 1 || scanner_.ends_in_line()))
                refuse("the first zstd frame is not exactly the header line");
            first = false;
        };
        std::optional<base::Errno> error;
        Batches::of_frames(file_, reader_.size(), end).each([&](Batch& batch) {
            const std::string_view text = batch.text;
            std::size_t at = 0;
            for (const FrameEnd& frame : batch.ends) {
                const bool going_on = scanner_.write(text.substr(at, frame.at - at), &batch.ahead);
                at = frame.at;
                if (going_on && frame.wrong) refuse(*frame.wrong);
                end_frame();
                if (fault_ || !going_on) return false;
            }
            if (!scanner_.write(text.substr(at), &batch.ahead)) {
                end_frame();
                return false;
            }
            error = batch.error;
            return !error;
        });
        if (error) return tl::unexpected(*error);
        return {};
    }

    /// Of the last frame what can be decoded, if all of that is free of faults.
    Sys<void> recover(const Frame& torn) {
        truncated_ = true;
        FrameDecoder decoder;
        const auto wrong = decoder.decode(reader_, torn, [](std::string_view) { return true; });
        if (!wrong) return tl::unexpected(wrong.error());
        if (*wrong) return {};
        const auto again =
            decoder.decode(reader_, torn, [this](std::string_view text) { return scanner_.write(text); });
        if (!again) return tl::unexpected(again.error());
        return {};
    }

    [[nodiscard]] std::string truncation() const {
        if (scanner_.issue()) return scanner_.issue()->message;
        if (scanner_.ends_in_line()) return "the last line is cut";
        return "the last zstd frame is cut";
    }

    [[nodiscard]] Opening opening(bool patched) const {
        if (fault_) return {Verdict::refused, fault_->message, fault_->line};
        if (scanner_.refusal())
            return {Verdict::refused, scanner_.refusal()->message, scanner_.refusal()->line};
        if (const Opening* refusal = checks_.refusal(patched)) return *refusal;
        if (!truncated_) return {};
        const std::size_t line = scanner_.issue()          ? scanner_.issue()->line
                                 : scanner_.ends_in_line() ? scanner_.lines() + 1
                                                           : 0;
        return {Verdict::truncated, truncation(), line};
    }

    [[nodiscard]] Judgement judgement() const {
        Judgement judgement;
        judgement.stock = opening(false);
        judgement.patched = opening(true);
        judgement.header = checks_.header();
        judgement.headless = headless_;
        judgement.events = scanner_.events();
        judgement.lost = scanner_.dropped() + (scanner_.ends_in_line() ? 1 : 0);
        judgement.closers = checks_.closers();
        judgement.remembered = checks_.remembered();
        return judgement;
    }

    const base::FileDescriptor& file_;
    Reader& reader_;
    Encoding encoding_;
    LoadChecks checks_;
    Scanner scanner_;
    bool truncated_{false};
    bool headless_{false};
    std::optional<Fault> fault_;  ///< with the bytes, before what scanner and checks say
};

}  // namespace

void Observer::on_header(const Header& /*header*/) {}
void Observer::on_row(const Row& /*row*/) {}

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::opens:
            return "opens";
        case Verdict::truncated:
            return "truncated";
        case Verdict::refused:
            break;
    }
    return "refused";
}

Encoding encoding_of(std::string_view name, std::string_view first_bytes) {
    const auto ends_with = [name](std::string_view suffix) {
        return name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
    };
    if (ends_with(".jsonl.zstd")) return Encoding::zstd;
    if (ends_with(".jsonl")) return Encoding::plain;
    return first_bytes.substr(0, 4) == "\x28\xB5\x2F\xFD" ? Encoding::zstd : Encoding::plain;
}

base::Result<Judgement> judge(const base::FileDescriptor& file, const JudgeOptions& options,
                              Observer* observer) {
    const base::Sys<base::FileInfo> info = base::info_of(file);
    if (!info) return base::fail(base::io_error(info.error(), "cannot read the log"));
    if (info->type != base::FileType::regular) return base::fail(base::ErrorKind::io, "not a regular file");
    Reader reader(file, info->size);
    Sys<Judgement> judgement = Trial(file, reader, options, observer).run();
    if (!judgement) return base::fail(base::io_error(judgement.error(), "cannot read the log"));
    Sys<std::string> meanwhile = written_since(*info, file);
    if (!meanwhile) return base::fail(base::io_error(meanwhile.error(), "cannot read the log"));
    judgement->meanwhile = *std::move(meanwhile);
    return *std::move(judgement);
}

}  // namespace drydock::session
