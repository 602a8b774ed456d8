// Any bytes as a log of zstd frames, held against libzstd's own reading of each frame in one go; and texts in
// frames of which the last may be cut.

#include <algorithm>

#define ZSTD_STATIC_LINKING_ONLY  // for a frame's header
#include <zstd.h>

#include "session/frames.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/log_checks.hpp"
#include "tests/session/logs.hpp"

namespace drydock::fuzz {
namespace {

using session::Encoding;
using session::Frame;
using session::FrameState;
using session::Verdict;

constexpr std::string_view magic = "\x28\xB5\x2F\xFD";
constexpr std::size_t largest_text = 1U << 21U;    ///< a bomb is not followed farther
constexpr std::size_t largest_judged = 1U << 18U;  ///< with sanitizers many lines take long

struct Text {
    std::string text;
    bool whole{true};   ///< none of it was left out
    std::string wrong;  ///< what zstd says
};

Text decoded(session::Reader& reader, const Frame& frame) {
    static session::FrameDecoder decoder;
    Text result;
    const auto wrong = decoder.decode(reader, frame, [&](std::string_view piece) {
        result.text += piece;
        result.whole = result.text.size() <= largest_text;
        return result.whole;
    });
    require(wrong.has_value(), "a file in memory cannot be read");
    result.wrong = wrong->value_or("");
    return result;
}

/// Whether a block says that it has more text than a block may have: libzstd refuses it in pieces only.
bool has_large_block(std::string_view frame) {
    constexpr std::size_t header_size = 3;
    ZSTD_frameHeader about{};
    if (ZSTD_getFrameHeader(&about, frame.data(), frame.size()) != 0) return false;
    frame.remove_prefix(about.headerSize);
    while (frame.size() >= header_size) {
        std::size_t header = 0;
        for (std::size_t i = header_size; i-- > 0;)
            header = header << 8U | static_cast<unsigned char>(frame[i]);
        const std::size_t size = header >> 3U;
        if (size > about.blockSizeMax) return true;
        if ((header & 1U) != 0) return false;
        frame.remove_prefix(std::min(frame.size(), header_size + ((header & 6U) == 2 ? 1 : size)));
    }
    return false;
}

/// The same by libzstd alone.
void check_text(std::string_view frame, const Text& text) {
    static std::string target(largest_text, '\0');
    const std::size_t size = ZSTD_decompress(target.data(), target.size(), frame.data(), frame.size());
    if (!text.whole) return require(ZSTD_isError(size) != 0, "a text that is larger than in one go");
    if (text.wrong.empty()) {
        require(ZSTD_isError(size) == 0 && text.text == std::string_view(target).substr(0, size),
                "another text than in one go");
    } else {
        // In pieces a frame that asks for a larger window than zstd's usual limit is refused.
        require(ZSTD_isError(size) != 0 || has_large_block(frame) ||
                    text.wrong.find("too much memory") != std::string::npos,
                "what can be decoded in one go is refused");
    }
}

struct Texts {
    std::vector<std::string> whole;  ///< every frame's, where all are whole and right
    std::size_t size{0};             ///< of all that was decoded, behind a frame that is wrong, too
};

Texts check_frames(std::string_view bytes) {
    const base::FileDescriptor file = file_of(bytes);
    session::Reader reader(file, bytes.size());
    Texts texts;
    bool all_whole = true;
    for (std::uint64_t at = 0; at < bytes.size() && texts.size <= largest_text;) {
        const base::Sys<Frame> frame = session::find_frame(reader, at);
        require(frame.has_value() && frame->begin == at, "a frame that is not where it is looked for");
        require(frame->reason.empty() == (frame->state != FrameState::broken), "broken without a reason");
        const bool complete = frame->state == FrameState::complete;
        all_whole = all_whole && complete;
        if (frame->state == FrameState::broken) break;
        require(frame->end > at && frame->end <= bytes.size(), "a frame that leaves the file");
        const std::string_view rest = bytes.substr(static_cast<std::size_t>(at));
        const std::size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
        require(ZSTD_isError(size) != 0 || (complete && size == frame->end - at), "a frame of another size");
        Text text = decoded(reader, *frame);
        texts.size += text.text.size();
        if (!complete) break;
        require(ZSTD_isError(size) == 0 || !text.wrong.empty(), "what libzstd finds no end of is decoded");
        check_text(rest.substr(0, static_cast<std::size_t>(frame->end - at)), text);
        all_whole = all_whole && text.whole && text.wrong.empty();
        texts.whole.push_back(std::move(text.text));
        at = frame->end;
    }
    if (!all_whole) texts.whole.clear();
    return texts;
}

/// The frames' text as lines has the same verdict, if the first is the header line and nothing is cut.
void check_verdict(std::string_view bytes, const std::vector<std::string>& texts) {
    const session::Judgement framed = judged(bytes, Encoding::zstd);
    if (texts.empty()) return;
    std::string lines;
    for (const std::string& text : texts) lines += text;
    const bool opens = framed.stock.verdict == Verdict::opens;
    const bool header_alone = !texts[0].empty() && texts[0].find('\n') == texts[0].size() - 1;
    require(framed.stock.verdict != Verdict::truncated, "whole frames are cut");
    if (!header_alone) return require(!opens, "a first frame that is not the header line");
    const session::Judgement plain = judged(lines, Encoding::plain);
    require(opens == (plain.stock.verdict == Verdict::opens), "frames change the verdict");
    require(!opens || framed.events == plain.events, "frames change the number of events");
}

/// Texts, each up to an 0xff byte, as a log; `cut`: without the last frame's last bytes.
std::string frames_of(std::string_view texts, bool cut) {
    std::string bytes;
    std::size_t last = 0;
    while (!texts.empty()) {
        const std::string_view text = texts.substr(0, texts.find('\xff'));
        texts.remove_prefix(std::min(text.size() + 1, texts.size()));
        last = bytes.size();
        bytes += session::make_frame(text).value();
        const base::FileDescriptor file = file_of(bytes);
        session::Reader reader(file, bytes.size());
        require(decoded(reader, session::find_frame(reader, last).value()).text == text,
                "what was put into a frame does not come out");
    }
    if (cut) bytes.resize(last + (bytes.size() - last) * 2 / 3);
    return bytes;
}

void try_frames(std::string_view bytes) {
    const Texts texts = check_frames(bytes);
    if (texts.size > largest_judged) return;
    check_verdict(bytes, texts.whole);
    check_mending(bytes, Encoding::zstd);
    check_following(bytes, Encoding::zstd, bytes.size() * 2 / 3);
}

/// What the harness never writes: a frame without a checksum, of blocks that say one byte many times.
std::string repeating_frame(std::size_t blocks, std::size_t size) {
    std::string frame = std::string(magic) + std::string("\x00\x58", 2);  // a window of 2 MiB
    for (; blocks > 0; --blocks) {
        const std::size_t header = size << 3U | 2U | (blocks == 1 ? 1U : 0U);
        for (const unsigned shift : {0U, 8U, 16U}) frame += static_cast<char>(header >> shift & 0xFFU);
        frame += blocks % 2 == 0 ? '\n' : 'x';
    }
    return frame;
}

const std::vector<std::string>& table() {
    static const std::vector<std::string> framed = [] {
        std::vector<std::string> result = {
            repeating_frame(1, 5),
            repeating_frame(1, 1U << 18U),
            repeating_frame(9, 1U << 17U),
            repeating_frame(11, 100'000),
            repeating_frame(40, 1U << 17U),
            session::make_frame(test::usual_header() + "\n").value() + repeating_frame(10, 1U << 17U),
            test::usual_header() + "\n\xff" + test::written_out("$B\n$U\n\xff$A\n$R\n$E\n"),
            test::usual_header() + "\n\xff" + test::written_out("$B\n$U\n\xff$A\n$R\n\xfe")};
        for (test::LogFile& log : test::table_of_logs()) {
            if (log.suffix == ".jsonl.zstd") result.push_back(std::move(log.bytes));
        }
        return result;
    }();
    return framed;
}

}  // namespace

/// Frames, where they begin as such; else their texts, which an 0xfe byte at the end cuts.
void try_one(std::string_view input) {
    if (input.starts_with(magic)) return try_frames(input);
    const bool cut = input.ends_with('\xfe');
    try_frames(frames_of(input.substr(0, input.size() - (cut ? 1 : 0)), cut));
}

std::uint64_t fixed_inputs() {
    return table().size();
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    if (number < fixed_inputs()) return table()[number];
    const std::uint64_t log_seed = (std::uint64_t{seed} << 32U) + number;
    if (number % 2 == 1) return test::mutated_logs(2, log_seed)[1].bytes;  // the second is of frames
    std::string text = test::mutated_logs(1, log_seed)[0].bytes;
    for (std::size_t at = text.find('\n'); at < text.size(); at = text.find('\n', at + 2 + at % 700))
        text.insert(at + 1, 1, '\xff');
    return text + (number % 6 == 0 ? "\xfe" : "");
}

std::vector<std::string_view> words() {
    using namespace std::string_view_literals;
    return {magic,
            "\x50\x2A\x4D\x18"sv,
            "\xff"sv,
            "\xfe"sv,
            "\n"sv,
            "\n\xff"sv,
            "\x24\x00\x01\x00\x00"sv,
            "\x01\x00\x00"sv,
            "\x03\x00\x00"sv,
            "\x02\x00\x10\x41"sv,
            "\x07\x00\x00"sv,
            "\x28\xB5\x2F\xFD\x20\x01"sv,
            "\x28\xB5\x2F\xFD\x00\x58"sv,
            "{"sv,
            "}"sv,
            "\"type\":"sv,
            "turn/end"sv,
            "null"sv};
}

}  // namespace drydock::fuzz
