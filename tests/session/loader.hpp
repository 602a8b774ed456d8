#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "session/session.hpp"
#include "tests/session/logs.hpp"

namespace drydock::test {

/// What the published loader says of each log, in order; see judge.mjs.
std::vector<nlohmann::json> ask_loader(const std::vector<LogFile>& logs);

/// The options under which a log is judged as that loader's harness does.
session::JudgeOptions options_for(const std::string& suffix);

/// What we say of a log.
session::Judgement judge_log(const LogFile& log, session::Observer* observer = nullptr);

/// Our judgement in the words of judge.mjs.
std::string in_short(const session::Judgement& judgement);
std::string in_short(const nlohmann::json& answer);

}  // namespace drydock::test
