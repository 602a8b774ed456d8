#include "cli/command_stream.hpp"

#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/json.hpp"
#include "base/utf.hpp"
#include "cli/line_reader.hpp"
#include "cli/render_problems.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::JsonView;
using base::Result;

constexpr std::size_t longest_line = std::size_t{256} << 20U;
constexpr std::size_t written_at_once = std::size_t{256} * 1024;

std::int64_t clock_milliseconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Session.append's envelope around each event, on standard output.
class EventLog final : public stream::Log {
  public:
    EventLog(const StreamMapOptions& options, const Channels& channels)
        : options_(options), channels_(channels), seq_(options.seq) {}

    [[nodiscard]] std::optional<double> ignorable_level() const override { return 1; }

    Result<void> append_ignorable(std::string_view type, std::string_view data) override {
        buffer_ += R"({"type":")";
        buffer_ += type;
        fmt::format_to(std::back_inserter(buffer_), R"(","seq":{},"time":{},"data":)", seq_++,
                       options_.time ? *options_.time : clock_milliseconds());
        buffer_ += data;
        buffer_ += ",\"ignorable\":true}\n";
        return buffer_.size() < written_at_once ? Result<void>() : flush();
    }

    Result<void> flush() {
        const base::Sys<void> written = failure_ == 0 ? channels_.out(buffer_) : base::Sys<void>();
        buffer_.clear();
        if (written) return {};
        failure_ = written.error().value;
        return base::fail(base::io_error(written.error(), "cannot write to standard output"));
    }

    /// The errno of a write that failed; 0 without one.
    [[nodiscard]] int failure() const { return failure_; }

  private:
    const StreamMapOptions& options_;
    const Channels& channels_;
    std::uint64_t seq_;
    std::string buffer_;
    int failure_{0};
};

base::Sys<base::FileDescriptor> open_input(const std::string& file) {
    const int descriptor = file == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                       : open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return base::errno_now();
    return base::FileDescriptor(descriptor);
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class Mapping {
  public:
    Mapping(const StreamMapOptions& options, const Channels& channels)
        : options_(options),
          channels_(channels),
          name_(options.file == "-" ? "standard input" : options.file),
          log_(options, channels),
          sink_(log_, options.child_id, options.provider, [this](const Error& error) { refuse(error); }),
          recording_(options.source, sink_) {}

    StreamMapOutcome run() {
        base::Sys<base::FileDescriptor> file = open_input(options_.file);
        if (file) {
            LineReader lines(*std::move(file), longest_line);
            read(lines);
        } else {
            refuse(base::io_error(file.error(), fmt::format("cannot open {}", name_)));
        }
        recording_.close();
        if (const Result<void> written = log_.flush(); !written) refuse(written.error());
        return std::move(outcome_);
    }

  private:
    void read(LineReader& lines) {
        while (log_.failure() == 0) {
            const base::Sys<std::optional<InputLine>> line = lines.next();
            if (!line) return refuse(base::io_error(line.error(), fmt::format("cannot read {}", name_)));
            if (!*line) return;
            take(**line);
        }
    }

    void take(const InputLine& line) {
        if (line.too_long) {
            return leave_out(line, fmt::format("longer than {} MiB", longest_line >> 20U));
        }
        if (is_blank(line.text)) return;
        const auto message = base::is_utf8(line.text) ? document_.parse(line.text)
                                                      : document_.parse(base::repair_utf8(line.text));
        if (!message) {
            const base::JsonError& error = message.error();
            return leave_out(line, fmt::format("no JSON: {} at byte {}", error.message, error.offset + 1));
        }
        recording_.record(child_message(*message));
    }

    /// The message itself, or the update in a whole notification.
    [[nodiscard]] JsonView child_message(JsonView message) const {
        const bool notified =
            options_.source == stream::Source::acp && message["method"].string() == "session/update";
        return notified ? message["params"]["update"] : message;
    }

    void leave_out(const InputLine& line, const std::string& reason) {
        channels_.err(problems_text(
            {base::error_at(ErrorKind::check, name_, line.number, reason + "; the line is left out")}));
        outcome_.exit = graver(outcome_.exit, ExitCode::check_failed);
    }

    /// A reader that has gone away is no failure: it has what it wanted.
    void refuse(const Error& error) {
        if (log_.failure() == EPIPE) return;
        outcome_.exit = graver(outcome_.exit, exit_code(error.kind));
        outcome_.problems.push_back(error);
    }

    const StreamMapOptions& options_;
    const Channels& channels_;
    std::string name_;
    StreamMapOutcome outcome_;
    EventLog log_;
    stream::Sink sink_;
    stream::Recording recording_;
    base::JsonDocument document_;
};

}  // namespace

StreamMapOutcome map_stream(const StreamMapOptions& options, const Channels& channels) {
    return Mapping(options, channels).run();
}

}  // namespace drydock::cli
