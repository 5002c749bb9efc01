# ceiling: `make`, `make quick`, `make test`, `make install`. See CONTRIBUTING.md.
CC       ?= cc
BUILD    ?= build
PREFIX   ?= /usr/local
OPTIMIZE ?= -O2 -g
WARNINGS  = -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
            -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
CFLAGS   += -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off $(OPTIMIZE) $(WARNINGS) -Isrc -Iinclude -MMD -MP
LDLIBS   += -lz -lm -lpthread

# MPI, where its compiler is found: `make MPICC=` builds without. The words are those it would add to cc's.
MPICC    ?= mpicc
mpi      := $(if $(MPICC),$(shell $(MPICC) -show 2>/dev/null))
mpi_share = $(if $(mpi),$(BUILD)/obj/cli/share_mpi.o)

# ISA-L, where its header is found, inflates three times as fast as zlib: `make ISAL=` builds without.
ISAL     ?= -lisal
isal     := $(if $(ISAL),$(shell echo 'int main(void) { return 0; }' | \
              $(CC) -include isa-l/igzip_lib.h -x c - -o /dev/null $(ISAL) 2>/dev/null && echo $(ISAL)))
LDLIBS   += $(isal)

sources  := $(filter-out src/cli/main.c src/cli/share_mpi.c src/wasm/%,$(wildcard src/*/*.c))
objects  := $(sources:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/dataset_table.o
data     := $(shell find data -type f -not -path "data/*runs/*" 2>/dev/null | sort)
tests    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out tests/fuzz/%,$(wildcard tests/*/*.c)))
scripts  := $(wildcard tests/*/*.sh)
fuzzers  := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

all: $(BUILD)/ceiling

# share_mpi.o stands before the library, and so for its share_alone.o.
$(BUILD)/ceiling: $(BUILD)/obj/cli/main.o $(mpi_share) $(BUILD)/libceiling.a $(BUILD)/part-mpi
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(filter -L% -l% -Wl$(comma)%,$(mpi)) $(LDLIBS)

comma := ,
$(BUILD)/obj/cli/share_mpi.o: CFLAGS += $(patsubst -I%,-isystem %,$(filter -I% -D%,$(mpi)))

# Written when an optional part came or went, so that what depends on it is made again.
$(BUILD)/part-isal: part = $(isal)
$(BUILD)/part-mpi: part = $(mpi)
$(BUILD)/part-isal $(BUILD)/part-mpi: FORCE
	@mkdir -p $(@D)
	@echo '$(part)' | cmp -s - $@ || echo '$(part)' >$@

$(BUILD)/libceiling.a: $(objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj/cli/inflate.o: CFLAGS += $(if $(isal),-DCLG_ISAL)
$(BUILD)/obj/cli/inflate.o: $(BUILD)/part-isal

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

$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/replay/replay.c $(BUILD)/libceiling.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests -o $@ tests/fuzz/fuzz_$*.c tests/fuzz/replay/replay.c $(BUILD)/libceiling.a $(LDLIBS)

# Everything but the sanitized run: what one runs between two edits.
quick: all $(tests) $(fuzzers) page-if-it-can
	@BUILD=$(BUILD) tests/run $(tests) $(scripts)

# Before the tests, two of which would otherwise make it at once.
page-if-it-can: all
	@! tools/web_needs.sh >/dev/null 2>&1 || $(MAKE) -s web

# The same tests under address and undefined-behaviour sanitizers, then plainly: the count is of both.
sanitize = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
test: all $(tests) $(fuzzers) page-if-it-can
	@$(MAKE) -s BUILD=$(BUILD)/sanitize OPTIMIZE="$(sanitize)" LDFLAGS="-fsanitize=address,undefined" sanitized
	@BUILD=$(BUILD) tests/run $(tests) $(scripts) $(BUILD)/sanitize/count

sanitized: all $(tests) $(fuzzers)
	@BUILD=$(BUILD) tests/run $(tests) $(filter-out tests/house/% tests/web/%,$(scripts)) >$(BUILD)/log 2>&1; \
	 printf '#!/bin/sh\ncat %s\n' $(BUILD)/log >$(BUILD)/count; chmod +x $(BUILD)/count

# Looks for new faults in every reader: make fuzz SECONDS=60 (needs clang).
SECONDS ?= 20
fuzz:
	@$(MAKE) -s CC=clang BUILD=$(BUILD)/clang-fuzz OPTIMIZE="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" $(BUILD)/clang-fuzz/libceiling.a
	@for t in $(wildcard tests/fuzz/fuzz_*.c); do n=$$(basename $$t .c); n=$${n#fuzz_}; \
	 mkdir -p $(BUILD)/clang-fuzz/found-$$n; \
	 clang -std=c17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc -Itests \
	   -o $(BUILD)/clang-fuzz/$$n $$t $(BUILD)/clang-fuzz/libceiling.a $(LDLIBS) && \
	 $(BUILD)/clang-fuzz/$$n -max_total_time=$(SECONDS) -rss_limit_mb=4096 -timeout=10 -print_final_stats=1 \
	   -artifact_prefix=$(BUILD)/clang-fuzz/ \
	   $(BUILD)/clang-fuzz/found-$$n tests/fuzz/corpus/$$n 2>$(BUILD)/clang-fuzz/$$n.log || { tail -40 $(BUILD)/clang-fuzz/$$n.log; exit 1; }; \
	 printf '%s: ' $$n; grep -o 'number_of_executed_units: *[0-9]*' $(BUILD)/clang-fuzz/$$n.log; done

# Ratios inside one run; never part of the tests. make bench TRACES="trace.json.gz ..." reads those
# instead of a trace of its own.
bench: $(patsubst tools/bench/%.c,$(BUILD)/bench/%,$(wildcard tools/bench/*.c))
	$(BUILD)/bench/search
	$(BUILD)/bench/serve $(SERVING)
	$(BUILD)/bench/trace $(TRACES)

$(BUILD)/bench/%: tools/bench/%.c $(BUILD)/libceiling.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $< $(BUILD)/libceiling.a $(LDLIBS)

# The page: the same core as WebAssembly in one HTML file that needs no server and no network.
WASM_CC    ?= clang
wasm_flags  = --target=wasm32-wasi -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -O2 -msimd128 -mbulk-memory \
              -mnontrapping-fptoint -msign-ext $(WARNINGS) \
              -nostdlibinc -isystem /usr/include/wasm32-wasi -Isrc -Iinclude -MMD -MP
wasm_sources := src/wasm/door.c $(filter-out src/cli/%,$(sources))
wasm_objects := $(wasm_sources:src/%.c=$(BUILD)/wasm/%.o) $(BUILD)/wasm/dataset_table.o

web: $(BUILD)/ceiling.html

$(BUILD)/ceiling.html: $(BUILD)/page $(BUILD)/ceiling.wasm.gz $(wildcard web/*)
	$(BUILD)/page web/index.html $@ core=$(BUILD)/ceiling.wasm.gz

$(BUILD)/page: tools/page.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -O1 $(WARNINGS) -o $@ $<

$(BUILD)/ceiling.wasm.gz: $(BUILD)/ceiling.wasm
	gzip -9nc $< >$@

$(BUILD)/ceiling.wasm: $(BUILD)/wasm/tools $(wasm_objects)
	$(WASM_CC) --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-debug -Wl,--gc-sections -Wl,--stack-first \
	  -Wl,-z,stack-size=1048576 -o $@ $(wasm_objects) -lm

$(BUILD)/wasm/%.o: src/%.c | $(BUILD)/wasm/tools
	@mkdir -p $(@D)
	$(WASM_CC) $(wasm_flags) -c -o $@ $<

$(BUILD)/wasm/dataset_table.o: $(BUILD)/dataset_table.c | $(BUILD)/wasm/tools
	$(WASM_CC) $(wasm_flags) -c -o $@ $<

$(BUILD)/wasm/tools: tools/web_needs.sh
	@mkdir -p $(@D)
	@WASM_CC=$(WASM_CC) tools/web_needs.sh && touch $@

format:
	@clang-format -i $(wildcard include/*.h src/*/*.[ch] tests/*.h tests/*/*.c tests/fuzz/replay/*.c tools/*.c tools/bench/*.c)

# The output that README and docs/ show, and the page of serving's errors, printed again: make docs DOCS_DATA=folder:folder.
docs: all
	$(BUILD)/ceiling validate --serving --markdown data/serving-runs/*.csv >$(BUILD)/accuracy-serving.md
	cp $(BUILD)/accuracy-serving.md docs/
	tools/docs.sh

# Program, library, manual page, completion, the page where it was built; `make uninstall` takes the same away.
installed = bin/ceiling lib/libceiling.a lib/pkgconfig/ceiling.pc include/ceiling.h share/man/man1/ceiling.1 \
            share/bash-completion/completions/ceiling share/ceiling/ceiling.html
place     = $(DESTDIR)$(PREFIX)

install: all
	install -d $(addprefix $(place)/,$(dir $(installed)))
	install -m 755 $(BUILD)/ceiling $(place)/bin/ceiling
	install -m 644 $(BUILD)/libceiling.a $(place)/lib/libceiling.a
	install -m 644 include/ceiling.h $(place)/include/ceiling.h
	printf '%s\n' 'Name: ceiling' 'Description: how far adding GPUs gets you' \
	  "Version: $$(sed -n 's/.*CLG_VERSION "\(.*\)"/\1/p' src/base/version.h)" \
	  'Cflags: -I$(PREFIX)/include' 'Libs: -L$(PREFIX)/lib -lceiling $(LDLIBS)' >$(place)/lib/pkgconfig/ceiling.pc
	$(BUILD)/ceiling man >$(place)/share/man/man1/ceiling.1
	$(BUILD)/ceiling completion >$(place)/share/bash-completion/completions/ceiling
	[ ! -f $(BUILD)/ceiling.html ] || install -m 644 $(BUILD)/ceiling.html $(place)/share/ceiling/ceiling.html

uninstall:
	rm -f $(addprefix $(place)/,$(installed))

clean:
	rm -rf $(BUILD)

.PHONY: FORCE all web page-if-it-can docs quick test sanitized fuzz bench format install uninstall clean
.SECONDARY:
-include $(objects:.o=.d) $(BUILD)/obj/cli/main.d $(BUILD)/obj/cli/share_mpi.d $(wasm_objects:.o=.d) $(tests:=.d) $(fuzzers:=.d)
