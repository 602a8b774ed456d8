// Reads a file with simdjson's DOM, line by line, and nothing else: log_simdjson FILE

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <simdjson.h>

int main(int argc, char** argv) {
    if (argc != 2) return EXIT_FAILURE;
    simdjson::padded_string text;
    if (simdjson::padded_string::load(argv[1]).get(text) != simdjson::SUCCESS) return EXIT_FAILURE;
    simdjson::dom::parser parser;
    std::size_t lines = 0;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end; ++lines) {
        const auto* stop =
            static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
        if (stop == nullptr) stop = end;
        if (parser.parse(at, static_cast<std::size_t>(stop - at), false).error() != simdjson::SUCCESS)
            return EXIT_FAILURE;
        at = stop + 1;
    }
    std::printf("%zu lines\n", lines);
}
