// simdjson.cc -- the same text by simdjson's on-demand reader, which analyses nothing: of every
// event its phase, category, name and times, of its arguments the correlation. For trace.c alone,
// and only where simdjson is installed.
#include <simdjson.h>

using namespace simdjson;

static size_t length_of(ondemand::object &event, const char *key) {
    std::string_view text;
    return event[key].get_string().get(text) ? 0 : text.size();
}

static double number_of(ondemand::object &event, const char *key) {
    double value;
    return event[key].get_double().get(value) ? 0 : value;
}

// A sum over what was read, so that none of it is left out; 0 where the text is no trace. `room`:
// bytes that may be read beyond `size`.
extern "C" double bench_simdjson(const char *text, size_t size, size_t room) {
    static ondemand::parser parser;
    ondemand::document document;
    ondemand::array events;
    double sum = 0;
    if (parser.iterate(text, size, size + room).get(document) ||
        document["traceEvents"].get_array().get(events))
        return 0;
    for (auto one : events) {
        ondemand::object event, arguments;
        if (one.get_object().get(event)) return 0;
        sum += static_cast<double>(length_of(event, "ph") + length_of(event, "cat") +
                                   length_of(event, "name"));
        sum += number_of(event, "ts") + number_of(event, "dur");
        int64_t correlation;
        if (!event["args"].get_object().get(arguments) &&
            !arguments["correlation"].get_int64().get(correlation))
            sum += static_cast<double>(correlation);
    }
    return sum;
}
