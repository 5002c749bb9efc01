/* Sixteen bytes as bits, against a look at every byte: of the processor's vectors where it has
 * them, and of plain words (test_lanes_words.c). */
#include "record/lanes.h"
#include "test.h"

static unsigned state = 12345;

/* Bytes around the ones that matter come often. */
static char random_byte(void) {
    static const char near[] = "\"\\{}[]:, \n-./09:\x1f\x20\x7f\x80\xff\t\x5b\x7b\x2d";
    state = state * 1664525u + 1013904223u;
    unsigned high = state >> 16;
    return high % 2 ? near[high / 2 % (sizeof near - 1)] : (char)(high / 2 % 256);
}

static void check(const char *text) {
    clg_lanes bytes = clg_lanes_at(text), folded = clg_lanes_folded(bytes);
    unsigned equal = 0, open = 0, either = 0, decimal = 0, odd = 0;
    for (int i = 0; i < CLG_LANES; i++) {
        unsigned char c = (unsigned char)text[i];
        equal |= (unsigned)(c == '"') << i;
        open |= (unsigned)((c | 0x20) == '{') << i;
        either |= (unsigned)(c == ' ' || c == 0xff) << i;
        decimal |= (unsigned)(c >= '-' && c <= '9') << i;
        odd |= (unsigned)(c < 0x20 || c >= 0x80) << i;
    }
    CHECK(clg_lanes_bits(clg_lanes_equal(bytes, '"')) == equal);
    CHECK(clg_lanes_bits(clg_lanes_equal(folded, '{')) == open);
    CHECK(clg_lanes_bits(clg_lanes_either(clg_lanes_equal(bytes, ' '),
                                          clg_lanes_equal(bytes, '\xff'))) == either);
    CHECK(clg_lanes_bits(clg_lanes_decimal(bytes)) == decimal);
    CHECK(clg_lanes_bits(clg_lanes_odd(bytes)) == odd);
}

int main(void) {
    char text[CLG_LANES + 3];
    CASE("every byte at every place");
    for (int place = 0; place < CLG_LANES; place++)
        for (int c = 0; c < 256; c++) {
            memset(text, c % 3 ? 'a' : '9', sizeof text);
            text[place] = (char)c;
            check(text);
        }
    CASE("neighbours do not carry over");
    for (int i = 0; i < 3000; i++) {
        for (size_t at = 0; at < sizeof text; at++) text[at] = random_byte();
        check(text + i % 3);
    }
    CASE("words begin with their lowest byte");
    CHECK(clg_lanes_word("\x01\x02\x03\x04\x05\x06\x07\x08") == 0x0807060504030201u);
    return DONE;
}
