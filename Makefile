# One command an intent; README.md and CONTRIBUTING.md name the same.
VENV ?= .venv
PYTHON ?= python3
ifneq ($(words $(VENV))$(findstring ',$(VENV)),1)
$(error VENV=$(VENV): make takes no target with a blank or an apostrophe; give a path without)
endif
BIN := $(VENV)/bin
# What the environment was made from, and for which checkout: it is made anew when that changes, unless it belongs
# to another checkout or was made by hand elsewhere: that is left alone and used with the code of this one.
STAMP := $(VENV)/.installed
HELD := $(shell cat '$(STAMP)' 2>/dev/null)
NOW := $(firstword $(shell cat requirements.lock pyproject.toml book/pyproject.toml | cksum)) $(CURDIR)
FOREIGN := $(if $(HELD),$(subst |$(strip $(CURDIR))|,,|$(wordlist 2,99,$(HELD))|),$(if \
  $(filter .venv $(CURDIR)/.venv,$(VENV)),,$(wildcard $(BIN)/python)))
export PYTHONPATH := $(CURDIR)/lib:$(CURDIR)/book$(if $(PYTHONPATH),:$(PYTHONPATH))
SOURCE ?= embedded
SWEEP ?= sweeps/paper.yaml
CORES ?= 2
export PATH := $(abspath $(BIN)):$(PATH)
# The book is built from disk; nothing in it asks the network.
export PYDEVD_DISABLE_FILE_VALIDATION := 1
# Small matrices: threads would only wait for each other when sections run side by side.
export OPENBLAS_NUM_THREADS := 1

# One word for the shell, whatever is in it: what is given is data, and never a command.
q = '$(subst ','\'',$(1))'
# Parameters of a section that may be given by name, as in SPLIT=fresh300. Only from the command line: a
# variable MODEL or SEED that happens to be in the environment changes nothing.
NAMES := MODEL:model MODELS:models CONDITION:condition CONDITIONS:conditions SPLIT:split TASK:task \
  REGIMES:regimes N_QUESTIONS:n_questions BUDGET:budget K:k N_BOOT:n_boot SEED:seed LEVEL:level
upper = $(word 1,$(subst :, ,$(1)))
lower = $(word 2,$(subst :, ,$(1)))
given = $(filter command,$(origin $(call upper,$(1))))
NAMED = $(foreach n,$(NAMES),$(if $(call given,$(n)),-p $(call q,$(call lower,$(n))=$(value $(call upper,$(n))))))

# What was given and is read by nothing is misspelt: an error, or a section would run with its defaults.
PARAMETERS := $(foreach n,$(NAMES),$(call upper,$(n)))
GIVEN := $(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $(v))),$(v)))
UNKNOWN := $(filter-out SHELL VENV PYTHON NAME PARAMS SOURCE SWEEP PROFILE CORES RUNS OUT $(PARAMETERS),$(filter-out -%,$(GIVEN)))
ifneq ($(UNKNOWN),)
$(error $(UNKNOWN): nothing here reads that; known are SOURCE NAME PARAMS $(PARAMETERS) VENV PYTHON, and any \
  other parameter of a section goes into PARAMS="name=value")
endif
ifneq ($(filter book,$(MAKECMDGOALS)),)
ifneq ($(filter $(PARAMETERS) PARAMS NAME,$(GIVEN)),)
$(error $(filter $(PARAMETERS) PARAMS NAME,$(GIVEN)): the book takes only SOURCE; a parameter goes to make section NAME=...)
endif
endif

# Never handed on: what is exported is expanded, and what was given as a value would run as a command.
unexport $(PARAMETERS) SOURCE NAME PARAMS SWEEP PROFILE CORES RUNS OUT

.PHONY: install book pdf report section store demo test test-live test-frameworks test-slurm plan sweep status lint types rooms bench data embed clean help

help:
	@echo "install  the environment in $(VENV) (made by the others when needed)"
	@echo "book     execute the sections, build the book [SOURCE=hub or SOURCE=runs/a,runs/b]"
	@echo "pdf      the book, printed: _build/judged-useless.pdf"
	@echo "section  one section: make section NAME=02_judgments [SPLIT=fresh300 N_BOOT=500 ...]"
	@echo "         any parameter: [PARAMS=\"n_boot=500 split=fresh300\"]; by name: SOURCE $(foreach n,$(NAMES),$(call upper,$(n)))"
	@echo "report   the paper's main tables with runs beside them: make report RUNS=\"runs/a runs/b\" [OUT=report.html]"
	@echo "store    execute the sections with their defaults and keep the outputs, as committed"
	@echo "demo     a real model on this machine, no GPU, no key: two runs, and page 09 on them (about 10 minutes, 4 GB)"
	@echo "test     pytest and nbval        lint, types  ruff, import contracts, mypy        bench  every benchmark"
	@echo "test-live  a real vLLM on the CPU: installed in .venv-live, started, tested, stopped"
	@echo "test-slurm  a real Slurm on this machine, as root: set up, a sweep with killed jobs, taken down"
	@echo "test-frameworks  the rule and the transcripts with LangChain, Inspect, LiteLLM ...: in .venv-frameworks"
	@echo "data     all released episodes from the hub, compared with the paper"
	@echo "embed    what make data brought, into data/episodes: the default of every page from then on"
	@echo "plan, sweep, status  what a sweep comes to, running it, how far it is [SWEEP=sweeps/paper.yaml PROFILE=... CORES=2]"
	@echo "clean    what was built; never data or runs"

install: $(STAMP)

ifeq ($(FOREIGN),)
$(STAMP): $(if $(HELD),$(if $(filter-out $(NOW),$(HELD)),again),requirements.lock pyproject.toml)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; set it with make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "making the environment in $(VENV) from requirements.lock (about 1.5 GB, a few minutes)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable . --editable ./book
	@printf '%s\n' $(call q,$(NOW)) > $@
else
$(STAMP): ;@echo "using $(VENV) as it is, with the code of this checkout, which did not make it" >&2
endif
.PHONY: again
again: ;

book: $(STAMP)
	@echo "executing what changed and building the book; the first time takes a minute or two"
	@$(BIN)/python -m paper_book.build book --source $(call q,$(value SOURCE))

pdf: book
	@$(BIN)/python tools/print_book.py

section: $(STAMP)
	@test -n $(call q,$(value NAME)) || { echo "name a section: make section NAME=02_judgments" >&2; exit 2; }
	@$(BIN)/python -m paper_book.sections run $(call q,$(value NAME)) --source $(call q,$(value SOURCE)) $(NAMED) $(foreach p,$(value PARAMS),-p $(call q,$(p)))

report: $(STAMP)
	@test -n $(call q,$(value RUNS)) || { echo 'name the runs: make report RUNS="runs/a runs/b" [OUT=report.html]' >&2; exit 2; }
	@$(BIN)/python -m paper_book.main_tables $(foreach r,$(value RUNS),$(call q,$(r))) $(if $(value OUT),--out $(call q,$(value OUT)))

demo: $(STAMP)
	@$(BIN)/python tools/demo.py

store: $(STAMP)
	$(BIN)/python -m paper_book.sections store $(foreach n,$(value NAME),$(call q,$(n)))

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest -n 2 --dist loadfile --nbval --nbval-sanitize-with tests/nbval_sanitize.cfg -p no:doctest notebooks
	@$(BIN)/python tools/count_cells.py

test-live:
	$(PYTHON) tests/live/run_live.py

.venv-frameworks/.installed: requirements-frameworks.lock
	$(PYTHON) -m venv .venv-frameworks
	.venv-frameworks/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

test-frameworks: .venv-frameworks/.installed
	@# Frameworks leave loops and sockets of their own open, which is not this project's to mend.
	.venv-frameworks/bin/python -m pytest -W default tests/frameworks

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

rooms: $(STAMP)
	$(BIN)/python tools/draw_rooms.py --write CONTRIBUTING.md

data: $(STAMP)
	$(BIN)/judged-useless fetch

embed: $(STAMP)
	$(BIN)/python tools/embed_episodes.py

test-slurm: $(STAMP)
	$(BIN)/python tests/slurm/run_slurm.py

plan status: $(STAMP)
	@$(BIN)/python sweeps/sweep.py $@ $(call q,$(value SWEEP))

sweep: $(STAMP)
	@$(BIN)/python -m snakemake --snakefile sweeps/Snakefile --quiet rules --keep-going --rerun-incomplete --nolock \
	  --config sweep=$(call q,$(value SWEEP)) $(if $(value PROFILE),--profile $(call q,$(value PROFILE)),--cores $(call q,$(value CORES))) \
	  || { echo "some cells failed; the same command goes on with what is missing, and make status SWEEP=$(value SWEEP) names it" >&2; exit 1; }

bench: $(STAMP)
	@for file in agent client environment estimators rule; do file=benchmarks/$$file.py; echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean:
	rm -rf _build .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis
