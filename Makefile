# ceiling: `make`, `make quick`, `make test`, `make install`. See CONTRIBUTING.md.
CC       ?= cc
BUILD    ?= build
PREFIX   ?= /usr/local
OPTIMIZE ?= -O2 -g
WARNINGS  = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion \
            -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
CFLAGS   += -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off $(OPTIMIZE) $(WARNINGS) -Isrc -MMD -MP
LDLIBS   += -lm

sources  := $(filter-out src/cli/main.c src/wasm/%,$(wildcard src/*/*.c))
objects  := $(sources:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/dataset_table.o
data     := $(shell find data -type f 2>/dev/null | sort)
tests    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out tests/fuzz/%,$(wildcard tests/*/*.c)))

all: $(BUILD)/ceiling

$(BUILD)/ceiling: $(BUILD)/obj/cli/main.o $(BUILD)/libceiling.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libceiling.a: $(objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/pack: tools/pack.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -O1 -o $@ $<

$(BUILD)/dataset_table.c: $(BUILD)/pack $(data) Makefile
	$(BUILD)/pack data $(BUILD)/dataset.bin $@ $(data)

$(BUILD)/obj/dataset_table.o: $(BUILD)/dataset_table.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: tests/%.c $(BUILD)/libceiling.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests -o $@ $< $(BUILD)/libceiling.a $(LDLIBS)

quick: all $(tests)
	@tests/run $(BUILD) $(tests)

test: quick

clean:
	rm -rf $(BUILD)

.PHONY: all quick test clean
.SECONDARY:
-include $(objects:.o=.d) $(BUILD)/obj/cli/main.d $(tests:=.d)
