// Writes a session log of about SIZE bytes, as a long session leaves it, plain and in zstd frames:
// log_generate SIZE PLAIN ZSTD

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include <zstd.h>

namespace {

class Generator {
  public:
    Generator(const char* plain, const char* zstd)
        : plain_(plain, std::ios::binary), zstd_(zstd, std::ios::binary) {}

    bool run(std::size_t size) {
        batch_ =
            "{\"type\":\"session\",\"version\":0,\"id\":\"bench\",\"createdAt\":1,\"cwd\":\"/srv/"
            "x\",\"delegationDepth\":0}\n";
        flush();
        for (std::size_t turn = 1; written_ < size; ++turn) add_turn(std::to_string(turn));
        return plain_.flush().good() && zstd_.flush().good();
    }

  private:
    std::string words(std::size_t count) {
        static const char* const list[] = {"the ",    "file ", "const ",    "value = ", "return ",
                                           "\\n    ", "test ", "\\\"a\\\"", "patch ",   "0x7f ",
                                           "(x, y) ", "é ",    "{ ",        "}\\n"};
        std::string text;
        for (std::size_t i = 0; i < count; ++i) text += list[random_() % 14];
        return text;
    }

    void event(const std::string& type, const std::string& data, const std::string& rest = {}) {
        batch_ += "{\"type\":\"" + type + "\",\"seq\":" + std::to_string(seq_++) +
                  ",\"time\":" + std::to_string(1'790'000'000'000 + seq_ * 7) + ",\"data\":" + data + rest +
                  "}\n";
    }

    void row(const std::string& type, const std::string& at, std::size_t members) {
        std::string gaps;
        std::string texts;
        for (std::size_t i = 0; i < members; ++i) {
            if (i > 0) gaps += (i > 1 ? "," : "") + std::to_string(random_() % 40);
            texts += (i > 0 ? ",\"" : "\"") + words(1) + "\"";
        }
        batch_ += "{\"type\":\"" + type + "\",\"seq0\":" + std::to_string(seq_) +
                  ",\"time0\":" + std::to_string(1'790'000'000'000 + seq_ * 7) + ",\"data\":{" + at +
                  ",\"index\":0,\"dt\":[" + gaps + "],\"texts\":[" + texts + "]}}\n";
        seq_ += members;
    }

    void add_turn(const std::string& turn) {
        event("turn/start", "{\"turn\":" + turn + "}");
        event("user/message",
              "{\"id\":\"u" + turn + "\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"" +
                  words(60) + "\"}],\"source\":{\"kind\":\"user\"}}",
              ",\"surfaceOp\":\"append\"");
        for (int step = 1; step <= 6; ++step)
            add_step("\"turn\":" + turn + ",\"step\":" + std::to_string(step));
        event("turn/end", "{\"turn\":" + turn + ",\"reason\":{\"kind\":\"completed\"}}");
        flush();
    }

    void add_step(const std::string& at) {
        const std::string call = "call-" + std::to_string(seq_);
        event("step/start", "{" + at + "}");
        const std::size_t first = seq_;
        row("reasoning-chunks", at, 30 + random_() % 60);
        row("text-chunks", at, 20 + random_() % 40);
        std::string sources = std::to_string(first);
        for (std::size_t i = first + 1; i < seq_; ++i) sources += "," + std::to_string(i);
        event("assistant/message",
              "{" + at + ",\"message\":{\"id\":\"a" + call +
                  "\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool-call\",\"id\":\"" + call +
                  "\",\"name\":\"bash\",\"arguments\":\"{}\"}],\"source\":{\"kind\":\"model\",\"provider\":"
                  "\"p\",\"model\":\"m\"}}}",
              ",\"sourceEventSeqs\":[" + sources + "],\"surfaceOp\":\"append\"");
        event("tool/call", "{" + at + ",\"callId\":\"" + call + "\",\"name\":\"bash\",\"arguments\":\"{}\"}");
        for (int i = 0; i < 4; ++i) {
            event("subagent/stream",
                  "{\"childId\":\"child\",\"provider\":\"acp\",\"index\":" + std::to_string(index_++) +
                      ",\"item\":{\"kind\":\"assistant\",\"text\":\"" + words(200) + "\"}}",
                  ",\"ignorable\":true");
        }
        event("tool/result",
              "{" + at + ",\"message\":{\"source\":{\"kind\":\"tool\",\"callId\":\"" + call +
                  "\"},\"content\":[{\"type\":\"tool-result\",\"toolCallId\":\"" + call +
                  "\",\"content\":[{\"type\":\"text\",\"text\":\"" + words(200 + random_() % 3000) +
                  "\"}]}],\"role\":\"user\",\"id\":\"r" + call + "\"}}",
              ",\"sourceEventSeqs\":[" + std::to_string(seq_ - 5) + "],\"surfaceOp\":\"append\"");
        event("step/end", "{" + at + "}");
        flush();
    }

    void flush() {
        plain_ << batch_;
        std::string frame(ZSTD_compressBound(batch_.size()), '\0');
        ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
        zstd_.write(frame.data(), static_cast<std::streamsize>(ZSTD_compress2(
                                      context_, frame.data(), frame.size(), batch_.data(), batch_.size())));
        written_ += batch_.size();
        batch_.clear();
    }

    std::ofstream plain_;
    std::ofstream zstd_;
    ZSTD_CCtx* context_ = ZSTD_createCCtx();
    std::mt19937 random_{1};
    std::string batch_;
    std::size_t written_{0};
    std::size_t seq_{0};
    std::size_t index_{0};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: log_generate SIZE PLAIN ZSTD\n", stderr);
        return EXIT_FAILURE;
    }
    return Generator(argv[2], argv[3]).run(std::strtoull(argv[1], nullptr, 10)) ? EXIT_SUCCESS : EXIT_FAILURE;
}
