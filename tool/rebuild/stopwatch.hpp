#pragma once

#include <chrono>

namespace drydock::rebuild {

/// Adds the time that it lives to a sum.
class Stopwatch {
  public:
    explicit Stopwatch(std::chrono::milliseconds& sum) : sum_(sum) {}
    ~Stopwatch() {
        sum_ +=
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    std::chrono::milliseconds& sum_;
    std::chrono::steady_clock::time_point begin_{std::chrono::steady_clock::now()};
};

}  // namespace drydock::rebuild
