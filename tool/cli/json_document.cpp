#include "cli/json_document.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace drydock::cli {

nlohmann::ordered_json problems_json(const std::vector<base::Error>& problems) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const base::Error& problem : problems) {
        nlohmann::ordered_json entry = {{"code", kind_name(problem.kind)}, {"message", problem.message}};
        if (!problem.package.empty()) entry["package"] = problem.package;
        if (!problem.file.empty()) entry["file"] = problem.file;
        if (problem.line > 0) entry["line"] = problem.line;
        if (!problem.details.empty()) entry["details"] = problem.details;
        list.push_back(std::move(entry));
    }
    return list;
}

nlohmann::ordered_json document_head(std::string_view command, ExitCode exit,
                                     const std::vector<base::Error>& problems) {
    std::string name(command);
    std::replace(name.begin(), name.end(), ' ', '-');
    return {{"schema", "drydock." + name + "/1"},
            {"exit", static_cast<int>(exit)},
            {"problems", problems_json(problems)}};
}

std::string printed(const nlohmann::ordered_json& document) {
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace drydock::cli
