#include "parameters.h"

#include <fstream>
#include <map>
#include <stdexcept>

namespace fast_core {

Parameters read_parameters(const std::string &path) {
    Parameters p;
    std::map<std::string, unsigned *> fields = {
        {"fetch_width", &p.fetch_width},
        {"issue_width", &p.issue_width},
        {"commit_width", &p.commit_width},
        {"memory_issue_width", &p.memory_issue_width},
        {"decode_latency", &p.decode_latency},
        {"front_end_buffer", &p.front_end_buffer},
        {"accesses_in_memory", &p.accesses_in_memory},
        {"transfers", &p.transfers},
        {"store_buffer", &p.store_buffer},
        {"line_bytes", &p.line_bytes},
        {"l1_latency", &p.l1_latency},
        {"l2_latency", &p.l2_latency},
        {"dram_latency", &p.dram_latency},
        {"predictor_local", &p.predictor_local},
        {"predictor_global", &p.predictor_global},
        {"target_buffer", &p.target_buffer},
        {"return_stack", &p.return_stack},
    };
    const char *const unit_names[] = {"integer", "multiply", "divide", "floating", "memory", "misc"};
    for (std::size_t i = 0; i < unit_count; ++i) {
        const std::string name = unit_names[i];
        auto &unit = p.units[i];
        fields[name + ".count"] = &unit.count;
        fields[name + ".latency"] = &unit.latency;
        fields[name + ".forwarding"] = &unit.forwarding;
        fields[name + ".interval"] = &unit.interval;
        fields[name + ".extra_latency"] = &unit.extra_latency;
    }
    std::map<std::string, Cache *> caches = {{"l1i", &p.l1i}, {"l1d", &p.l1d}, {"l2", &p.l2}};
    for (auto &[name, cache] : caches) {
        fields[name + ".size_bytes"] = &cache->size_bytes;
        fields[name + ".ways"] = &cache->ways;
    }
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error(path + ": cannot be read");
    }
    std::string name, text;
    while (file >> name >> text) {
        const auto dot = name.find('.');
        if (dot != std::string::npos && name.substr(dot) == ".replacement") {
            caches.at(name.substr(0, dot))->random_replacement = text == "random";
            continue;
        }
        const auto field = fields.find(name);
        if (field == fields.end()) {
            throw std::runtime_error(path + ": unknown parameter " + name);
        }
        *field->second = static_cast<unsigned>(std::stoul(text));
    }
    return p;
}

}  // namespace fast_core
