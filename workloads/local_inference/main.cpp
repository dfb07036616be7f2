// One layer of a network, or one plain operation of the client, as a region of interest.
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "kernels.h"
#include "options.h"
#include "plain.h"
#include "regions.h"

namespace {

using namespace local_inference;

enum Region : std::uint32_t { warming, measured };

enum Exit { done = 0, refused = 1, wrong_arguments = 2 };

std::uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

void write_bytes(const void *data, std::size_t size) {
    const auto *bytes = static_cast<const char *>(data);
    while (size > 0) {
        const auto written = write(STDOUT_FILENO, bytes, size);
        if (written <= 0) {
            throw std::runtime_error("standard output cannot be written");
        }
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
}

void run(const Options &options) {
    const auto layer = options.type == Type::int32 ? make_plain(options) : make_kernel(options);
    // A simulator that knows regions by these functions sees both; its caches are warm in the second.
    choco_region_begin(warming, false);
    layer->run();
    choco_region_end(warming, false);
    const auto start_ns = now_ns();
    choco_region_begin(measured, options.gem5_markers);
    layer->run();
    choco_region_end(measured, options.gem5_markers);
    const auto time_ns = now_ns() - start_ns;
    if (options.write_output) {
        write_bytes(layer->output(), layer->output_bytes());
    } else {
        const auto text = "time_ns\n" + std::to_string(time_ns) + "\n";
        client_ops::write_text(STDOUT_FILENO, text.c_str());
    }
}

void say(const std::exception &error) {
    const auto line = std::string("error: ") + error.what() + "\n";
    client_ops::write_text(STDERR_FILENO, line.c_str());
}

}  // namespace

int main(int count, char **arguments) {
    const std::vector<std::string> given(arguments + 1, arguments + count);
    if (given.size() == 1 && given[0] == "--help") {
        client_ops::write_text(STDOUT_FILENO, usage);
        return done;
    }
    try {
        run(parse(given));
        return done;
    } catch (const UsageError &error) {
        say(error);
        return wrong_arguments;
    } catch (const std::exception &error) {
        say(error);
        return refused;
    }
}
