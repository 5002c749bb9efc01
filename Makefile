# ceiling: `make`, `make quick`, `make test`, `make install`. See CONTRIBUTING.md.
#
# Yours: CC CFLAGS CPPFLAGS LDFLAGS; WERROR=-Werror; HOSTCC, for what runs while building, where CC builds
# for another machine; WITH_MPI and WITH_ISAL: auto (where it is found), yes (an error where it is not), no.
HOSTCC    ?= cc
CFLAGS    ?= -O2 -g
BUILD     ?= build
WITH_MPI  ?= auto
WITH_ISAL ?= auto
WARNINGS   = -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
             -Wstrict-prototypes -Wmissing-prototypes -Wvla $(WERROR)
must       = -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off
compile    = $(CC) $(CPPFLAGS) $(CFLAGS) $(must) -fPIC -fvisibility=hidden $(WARNINGS) -Isrc -Iinclude -MMD -MP
LDLIBS    += -lz -lm -lpthread

# MPI, for traces read by several processes. The words are those that its compiler would add to cc's.
MPICC    ?= mpicc
mpi      := $(if $(filter no,$(WITH_MPI)),,$(shell $(MPICC) -show 2>/dev/null))
mpi_share = $(if $(mpi),$(BUILD)/obj/cli/share_mpi.o)
$(if $(filter yes,$(WITH_MPI)),$(if $(mpi),,$(error WITH_MPI=yes, and $(MPICC) is not here)))

# ISA-L inflates three times as fast as zlib.
ISAL     ?= -lisal
isal     := $(if $(filter no,$(WITH_ISAL)),,$(shell echo 'int main(void) { return 0; }' | \
              $(CC) $(CPPFLAGS) -include isa-l/igzip_lib.h -x c - -o /dev/null $(LDFLAGS) $(ISAL) 2>/dev/null && echo $(ISAL)))
$(if $(filter yes,$(WITH_ISAL)),$(if $(isal),,$(error WITH_ISAL=yes, and isa-l/igzip_lib.h or $(ISAL) is not here)))

sources  := $(filter-out src/cli/% src/wasm/%,$(wildcard src/*/*.c))
objects  := $(sources:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/dataset_table.o
commands := $(patsubst src/%.c,$(BUILD)/obj/%.o,$(filter-out src/cli/main.c src/cli/share_mpi.c,$(wildcard src/cli/*.c)))
archives := $(BUILD)/libcommand.a $(BUILD)/libceiling.a
data     := $(shell find data -type f -not -path "data/*runs/*" 2>/dev/null | sort)
tests    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out tests/fuzz/%,$(wildcard tests/*/*.c)))
scripts  := $(wildcard tests/*/*.sh)
fuzzers  := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

# The library under its full version, and the names that programs and linkers look for.
version  := $(shell sed -n 's/.*CLG_VERSION "\(.*\)"/\1/p' src/base/version.h)
major    := $(firstword $(subst ., ,$(version)))
ifneq ($(findstring darwin,$(shell $(CC) -dumpmachine)),)
shared    = libceiling.$(version).dylib
soname    = libceiling.$(major).dylib
linkname  = libceiling.dylib
sharing   = -dynamiclib -install_name $(libdir)/$(soname) -current_version $(version)
else
shared    = libceiling.so.$(version)
soname    = libceiling.so.$(major)
linkname  = libceiling.so
sharing   = -shared -Wl,-soname,$(soname) -Wl,--version-script=src/api/library.map
endif

all: $(BUILD)/ceiling $(BUILD)/$(shared) $(BUILD)/ceiling-probe

# share_mpi.o stands before the archives, and so for their share_alone.o.
$(BUILD)/ceiling: $(BUILD)/obj/cli/main.o $(mpi_share) $(archives) $(BUILD)/part-mpi
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(filter -L% -l% -Wl$(comma)%,$(mpi)) $(isal) $(LDLIBS)

comma := ,
$(BUILD)/obj/cli/share_mpi.o: extra = $(patsubst -I%,-isystem %,$(filter -I% -D%,$(mpi)))

# Written when an optional part came or went, so that what depends on it is made again.
$(BUILD)/part-isal: part = $(isal)
$(BUILD)/part-mpi: part = $(mpi)
$(BUILD)/part-blas: part = $(openblas)
$(BUILD)/part-isal $(BUILD)/part-mpi $(BUILD)/part-blas: FORCE
	@mkdir -p $(@D)
	@echo '$(part)' | cmp -s - $@ || echo '$(part)' >$@

# What programs of others link with is the core; the command line stands beside it.
$(BUILD)/libceiling.a: $(objects)
$(BUILD)/libcommand.a: $(commands)
$(archives):
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/$(shared): $(objects) src/api/library.map
	$(CC) $(CFLAGS) $(LDFLAGS) $(sharing) -o $@ $(objects) -lm -lpthread

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(compile) $(extra) -c -o $@ $<

$(BUILD)/obj/cli/inflate.o: extra = $(if $(isal),-DCLG_ISAL)
$(BUILD)/obj/cli/inflate.o: $(BUILD)/part-isal

# The probe, a program of its own (probe/): MPI and OpenBLAS where they are, GPUs opened at run time.
openblas := $(shell echo 'int main(void) { return 0; }' | \
              $(CC) $(CPPFLAGS) -include cblas.h -x c - -o /dev/null $(LDFLAGS) -lopenblas 2>/dev/null && echo -lopenblas)
probe    := $(patsubst probe/%.c,$(BUILD)/probe/%.o,$(wildcard probe/*.c))

$(BUILD)/ceiling-probe: $(probe)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(filter -L% -l% -Wl$(comma)%,$(mpi)) $(openblas) -ldl -lm

$(BUILD)/probe/%.o: extra = $(if $(mpi),-DPROBE_MPI) $(if $(openblas),-DPROBE_BLAS) $(patsubst -I%,-isystem %,$(filter -I% -D%,$(mpi)))
$(BUILD)/probe/%.o: probe/%.c $(BUILD)/part-mpi $(BUILD)/part-blas
	@mkdir -p $(@D)
	$(compile) $(extra) -c -o $@ $<

$(BUILD)/pack: tools/pack.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=c17 -O1 -o $@ $<

# A file that is gone is no newer than anything: the list of names changes.
$(BUILD)/data-names: FORCE
	@mkdir -p $(@D)
	@echo '$(data)' | cmp -s - $@ || echo '$(data)' >$@

$(BUILD)/dataset_table.c: $(BUILD)/pack $(data) $(BUILD)/data-names Makefile
	$(BUILD)/pack data $@ $(data)

$(BUILD)/obj/dataset_table.o: $(BUILD)/dataset_table.c
	@mkdir -p $(@D)
	$(compile) -Wno-overlength-strings -c -o $@ $<

$(BUILD)/tests/%: tests/%.c $(archives)
	@mkdir -p $(@D)
	$(compile) -Itests $(LDFLAGS) -o $@ $< $(archives) $(isal) $(LDLIBS)

$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/replay/replay.c $(archives)
	@mkdir -p $(@D)
	$(compile) -Itests $(LDFLAGS) -o $@ tests/fuzz/fuzz_$*.c tests/fuzz/replay/replay.c $(archives) $(isal) $(LDLIBS)

# Everything but the sanitized run: what one runs between two edits.
quick: all $(tests) $(fuzzers) page-if-it-can
	@BUILD=$(BUILD) tests/run $(tests) $(scripts)

# Before the tests, two of which would otherwise make it at once.
page-if-it-can: all
	@! tools/web_needs.sh >/dev/null 2>&1 || $(MAKE) -s web

# The same tests under address and undefined-behaviour sanitizers, then plainly: the count is of both.
sanitize = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
test: all $(tests) $(fuzzers) page-if-it-can
	@$(MAKE) -s BUILD=$(BUILD)/sanitize CFLAGS="$(sanitize)" LDFLAGS="-fsanitize=address,undefined" sanitized
	@BUILD=$(BUILD) tests/run $(tests) $(scripts) $(BUILD)/sanitize/count

sanitized: all $(tests) $(fuzzers)
	@BUILD=$(BUILD) tests/run $(tests) $(filter-out tests/house/% tests/web/% tests/python/%,$(scripts)) >$(BUILD)/log 2>&1; \
	 printf '#!/bin/sh\ncat %s\n' $(BUILD)/log >$(BUILD)/count; chmod +x $(BUILD)/count

# Looks for new faults in every reader: make fuzz SECONDS=60 (needs clang).
SECONDS ?= 20
fuzz:
	@$(MAKE) -s CC=clang BUILD=$(BUILD)/clang-fuzz CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" $(patsubst $(BUILD)/%,$(BUILD)/clang-fuzz/%,$(archives))
	@for t in $(wildcard tests/fuzz/fuzz_*.c); do n=$$(basename $$t .c); n=$${n#fuzz_}; \
	 mkdir -p $(BUILD)/clang-fuzz/found-$$n; \
	 clang -std=c17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc -Itests \
	   -o $(BUILD)/clang-fuzz/$$n $$t $(patsubst $(BUILD)/%,$(BUILD)/clang-fuzz/%,$(archives)) $(isal) $(LDLIBS) && \
	 $(BUILD)/clang-fuzz/$$n -max_total_time=$(SECONDS) -rss_limit_mb=4096 -timeout=10 -print_final_stats=1 \
	   -artifact_prefix=$(BUILD)/clang-fuzz/ \
	   $(BUILD)/clang-fuzz/found-$$n tests/fuzz/corpus/$$n 2>$(BUILD)/clang-fuzz/$$n.log || { tail -40 $(BUILD)/clang-fuzz/$$n.log; exit 1; }; \
	 printf '%s: ' $$n; grep -o 'number_of_executed_units: *[0-9]*' $(BUILD)/clang-fuzz/$$n.log; done

# Ratios inside one run; never part of the tests. make bench TRACES="trace.json.gz ..." reads those
# instead of a trace of its own.
bench: $(patsubst tools/bench/%.c,$(BUILD)/bench/%,$(wildcard tools/bench/*.c))
	$(BUILD)/bench/call
	$(BUILD)/bench/search
	$(BUILD)/bench/serve $(SERVING)
	$(BUILD)/bench/trace $(TRACES)

$(BUILD)/bench/%: tools/bench/%.c $(archives)
	@mkdir -p $(@D)
	$(compile) $(LDFLAGS) -o $@ $< $(archives) $(isal) $(LDLIBS)

# Beside simdjson, where a package such as libsimdjson-dev is there.
ifneq ($(wildcard /usr/include/simdjson.h),)
$(BUILD)/bench/trace: tools/bench/trace.c tools/bench/simdjson.cc $(archives)
	@mkdir -p $(@D)
	$(CXX) -O2 -c -o $@.o tools/bench/simdjson.cc
	$(compile) -DBENCH_SIMDJSON $(LDFLAGS) -o $@ $< $@.o $(archives) $(isal) $(LDLIBS) -lsimdjson -lstdc++
endif

# The page: the same core as WebAssembly in one HTML file that needs no server and no network.
WASM_CC    ?= clang
wasm_flags  = --target=wasm32-wasi -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -O2 -msimd128 -mbulk-memory \
              -mnontrapping-fptoint -msign-ext $(WARNINGS) \
              -nostdlibinc -isystem /usr/include/wasm32-wasi -Isrc -Iinclude -MMD -MP
wasm_sources := src/wasm/exports.c $(sources)
wasm_objects := $(wasm_sources:src/%.c=$(BUILD)/wasm/%.o) $(BUILD)/wasm/dataset_table.o

web: $(BUILD)/ceiling.html

$(BUILD)/ceiling.html: $(BUILD)/page $(BUILD)/ceiling.wasm.gz $(BUILD)/runs.csv.gz $(wildcard web/*)
	$(BUILD)/page web/index.html $@ core=$(BUILD)/ceiling.wasm.gz runs=$(BUILD)/runs.csv.gz

# The page for a static host: make site SITE_URL=https://where.it/will/be
site: $(BUILD)/ceiling.html
	tools/site.sh $< $(BUILD)/site "$(SITE_URL)"

# Whole training runs that others measured: marks on the page's curve.
$(BUILD)/runs.csv.gz: $(filter-out %/finetuning.csv,$(wildcard data/runs/*.csv))
	cat $^ | gzip -9nc >$@

$(BUILD)/page: tools/page.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=c17 -O1 $(WARNINGS) -o $@ $<

$(BUILD)/ceiling.wasm.gz: $(BUILD)/ceiling.wasm
	gzip -9nc $< >$@

$(BUILD)/ceiling.wasm: $(BUILD)/wasm/tools $(wasm_objects)
	$(WASM_CC) --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-debug -Wl,--gc-sections -Wl,--stack-first \
	  -Wl,-z,stack-size=1048576 -o $@ $(wasm_objects) -lm

$(BUILD)/wasm/%.o: src/%.c | $(BUILD)/wasm/tools
	@mkdir -p $(@D)
	$(WASM_CC) $(wasm_flags) -c -o $@ $<

$(BUILD)/wasm/dataset_table.o: $(BUILD)/dataset_table.c | $(BUILD)/wasm/tools
	$(WASM_CC) $(wasm_flags) -Wno-overlength-strings -c -o $@ $<

$(BUILD)/wasm/tools: tools/web_needs.sh
	@mkdir -p $(@D)
	@WASM_CC=$(WASM_CC) tools/web_needs.sh && touch $@

# The Python package over the shared library, as a wheel (python/).
wheel: $(BUILD)/$(shared)
	@python3 python/ceiling_wheel.py $(BUILD)/$(shared) $(BUILD)

format:
	@clang-format -i $(wildcard include/*.h src/*/*.[ch] probe/*.[ch] tests/*.h tests/*/*.c tests/fuzz/replay/*.c tools/*.c tools/bench/*.c)

# The output that README and docs/ show, printed again: make docs DOCS_DATA=folder:folder.
docs: all
	tools/docs.sh

# Program, library, manual page, completion, the page where it was built; `make uninstall` takes the same away.
PREFIX        ?= /usr/local
bindir        ?= $(PREFIX)/bin
libdir        ?= $(PREFIX)/lib
includedir    ?= $(PREFIX)/include
datadir       ?= $(PREFIX)/share
mandir        ?= $(datadir)/man
completiondir ?= $(datadir)/bash-completion/completions
zshdir        ?= $(datadir)/zsh/site-functions
fishdir       ?= $(datadir)/fish/vendor_completions.d
pkgconfigdir  ?= $(libdir)/pkgconfig
installed      = $(bindir)/ceiling $(bindir)/ceiling-probe $(libdir)/libceiling.a $(libdir)/$(shared) $(libdir)/$(soname) $(libdir)/$(linkname) \
                 $(pkgconfigdir)/ceiling.pc $(includedir)/ceiling.h $(mandir)/man1/ceiling.1 $(completiondir)/ceiling $(zshdir)/_ceiling \
                 $(fishdir)/ceiling.fish $(datadir)/ceiling/ceiling.html

# What prints the manual page: a ceiling of this machine where the one built is for another.
machine = $(shell $(1) -dumpmachine | sed 's/-pc-\|-unknown-/-/')
speaks  = $(if $(filter $(call machine,$(HOSTCC)),$(call machine,$(CC))),$(BUILD)/ceiling,$(BUILD)/host/ceiling)
$(BUILD)/host/ceiling:
	$(MAKE) BUILD=$(BUILD)/host CC="$(HOSTCC)" CFLAGS=-O1 CPPFLAGS= LDFLAGS= WITH_MPI=no WITH_ISAL=no $@

.SECONDEXPANSION:
install: all $$(speaks)
	install -d $(addprefix $(DESTDIR),$(dir $(installed)))
	install -m 755 $(BUILD)/ceiling $(DESTDIR)$(bindir)/ceiling
	install -m 755 $(BUILD)/ceiling-probe $(DESTDIR)$(bindir)/ceiling-probe
	install -m 644 $(BUILD)/libceiling.a $(DESTDIR)$(libdir)/libceiling.a
	install -m 755 $(BUILD)/$(shared) $(DESTDIR)$(libdir)/$(shared)
	ln -sf $(shared) $(DESTDIR)$(libdir)/$(soname)
	ln -sf $(soname) $(DESTDIR)$(libdir)/$(linkname)
	install -m 644 include/ceiling.h $(DESTDIR)$(includedir)/ceiling.h
	printf '%s\n' 'Name: ceiling' 'Description: how far adding GPUs gets you' 'Version: $(version)' \
	  'Cflags: -I$(includedir)' 'Libs: -L$(libdir) -lceiling' 'Libs.private: -lm -lpthread' \
	  >$(DESTDIR)$(pkgconfigdir)/ceiling.pc
	$(speaks) man >$(DESTDIR)$(mandir)/man1/ceiling.1
	$(speaks) completion >$(DESTDIR)$(completiondir)/ceiling
	$(speaks) completion zsh >$(DESTDIR)$(zshdir)/_ceiling
	$(speaks) completion fish >$(DESTDIR)$(fishdir)/ceiling.fish
	[ ! -f $(BUILD)/ceiling.html ] || install -m 644 $(BUILD)/ceiling.html $(DESTDIR)$(datadir)/ceiling/ceiling.html

uninstall:
	rm -f $(addprefix $(DESTDIR),$(installed))

clean:
	rm -rf $(BUILD)

.DELETE_ON_ERROR:
.PHONY: FORCE all web site wheel page-if-it-can docs quick test sanitized fuzz bench format install uninstall clean
.SECONDARY:
-include $(objects:.o=.d) $(commands:.o=.d) $(BUILD)/obj/cli/main.d $(BUILD)/obj/cli/share_mpi.d $(probe:.o=.d) $(wasm_objects:.o=.d) $(tests:=.d) $(fuzzers:=.d)
