// Any bytes as a session log, in both encodings: no crash, no wrong memory, and what is true of every log
// holds. An entry for libFuzzer, whose input is a log, plain or in frames; with DRYDOCK_FUZZ_MAIN a program
// of its own, which mutates logs as tests/session does: session_fuzz [ROUNDS [SEED]]

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "session/frames.hpp"
#include "session/mend.hpp"
#include "session/review.hpp"
#include "session/session.hpp"

namespace {

using namespace drydock;

std::string_view current;  ///< what is tried

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "session_fuzz: %s; the input follows\n", what);
    std::fwrite(current.data(), 1, current.size(), stderr);
    std::abort();
}

base::FileDescriptor file_of(std::string_view bytes) {
    base::FileDescriptor file(memfd_create("log", MFD_CLOEXEC));
    require(write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "no memory file");
    return file;
}

session::JudgeOptions options_of(session::Encoding encoding) {
    session::JudgeOptions options;
    options.encoding = encoding;
    options.known_types = {"turn/start",  "turn/end",      "user/message",    "assistant/message",
                           "tool/result", "step/start",    "assistant/chunk", "tool/call",
                           "step/end",    "request/header"};
    options.patched_types = {"subagent/stream"};
    return options;
}

session::Judgement judge(std::string_view bytes, session::Encoding encoding) {
    session::Review review;
    const auto judgement = session::judge(file_of(bytes), options_of(encoding), &review);
    require(judgement.has_value(), "a log in memory cannot be read");
    const bool refused = judgement->stock.verdict == session::Verdict::refused;
    require(refused == !judgement->stock.reason.empty() ||
                judgement->stock.verdict == session::Verdict::truncated,
            "a refusal without a reason");
    require(refused || judgement->patched.verdict == judgement->stock.verdict,
            "a patched harness opens less");
    require(judgement->stock.verdict != session::Verdict::opens || judgement->lost == 0,
            "it opens whole, and loses");
    return *judgement;
}

/// A copy that is made opens.
void mend(std::string_view bytes, session::Encoding encoding) {
    std::string copy;
    const auto mending = session::mend(file_of(bytes), options_of(encoding), [&copy](std::string_view piece) {
        copy += piece;
        return base::Sys<void>();
    });
    if (!mending || mending->lines.empty()) return;
    require(judge(copy, encoding).stock.verdict != session::Verdict::refused, "a mended copy does not open");
}

void try_one(std::string_view input) {
    current = input;
    for (const session::Encoding encoding : {session::Encoding::plain, session::Encoding::zstd}) {
        judge(input, encoding);
        mend(input, encoding);
    }
    // The same text whole in frames opens where it opens as it is and is not cut.
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) return;
    const session::Judgement plain = judge(input, session::Encoding::plain);
    const std::string frames = session::make_frame(input.substr(0, end + 1)).value() +
                               session::make_frame(input.substr(end + 1)).value();
    const session::Judgement framed = judge(frames, session::Encoding::zstd);
    const bool opens = plain.stock.verdict == session::Verdict::opens;
    require(opens == (framed.stock.verdict == session::Verdict::opens), "frames change the verdict");
    require(!opens || plain.events == framed.events, "frames change the number of events");
}

}  // namespace

#ifdef DRYDOCK_FUZZ_MAIN

#include "tests/session/logs.hpp"

int main(int argc, char** argv) {
    const std::size_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    for (const test::LogFile& log : test::table_of_logs()) try_one(log.bytes);
    for (const test::LogFile& log : test::mutated_logs(rounds, seed)) try_one(log.bytes);
    std::printf("session_fuzz: %zu rounds with seed %llu\n", rounds, static_cast<unsigned long long>(seed));
}

#else

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try_one({reinterpret_cast<const char*>(data), size});
    return 0;
}

#endif
