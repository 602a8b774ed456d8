#include "cli/progress.hpp"

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds shortest_pause{80};

std::size_t columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

class TerminalProgress final : public base::Progress {
  public:
    TerminalProgress() = default;
    TerminalProgress(const TerminalProgress&) = delete;
    TerminalProgress& operator=(const TerminalProgress&) = delete;
    ~TerminalProgress() override {
        if (drawn_) put("\r\x1b[K");
    }

    void update(std::string_view what, std::uint64_t done, std::uint64_t total) override {
        const Clock::time_point now = Clock::now();
        if (what == what_ && now - last_ < shortest_pause) return;
        what_ = what;
        last_ = now;
        std::string line = printable(what);
        if (total > 0) line += fmt::format(" {}/{}", done, total);
        if (line.size() > columns()) line.resize(columns());
        put("\r\x1b[K" + line);
        drawn_ = true;
    }

  private:
    static void put(const std::string& text) {
        // It is only a sign of life.
        (void)!::write(STDERR_FILENO, text.data(), text.size());
    }
    std::string what_;
    Clock::time_point last_;
    bool drawn_{false};
};

}  // namespace

std::unique_ptr<base::Progress> make_progress(bool shown) {
    if (!shown) return std::make_unique<base::Silent>();
    return std::make_unique<TerminalProgress>();
}

}  // namespace drydock::cli
