# Two commands do all the set-up: `make run` (a first minute with the program) and `make test`.
# They need python3 >= 3.11, make and git, and no key, server or system package.

PYTHON ?= python3
BIN := .venv/bin
# Bytecode is kept, or every command that a test starts would compile the whole program again.
export PYTHONDONTWRITEBYTECODE :=
PIP := PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet

.PHONY: run test test-slow test-long faults kills fuzz redteam browser screenshots format bench bench-peers clean help

help:
	@echo "make run        a first minute: checks on a faulty change, a committee, the exam of a small model live"
	@echo "make test       format check, lint, strict types, import contracts, all quick tests"
	@echo "make test ROOM=protocols/review   the quick tests of one room alone"
	@echo "make test-slow  the slower suites: planted defects, kills, faults, every example of the docs, a debate on the real model"
	@echo "make test-long  the longest ones: every generated defect; new examples for every property; whole sessions and twenty attacks on the real model; an hour"
	@echo "make faults     simulated crashes, disks, clocks and providers, one seed each (SEEDS=2000)"
	@echo "make kills      kill -9 of commands, servers and workers at random moments (N=200)"
	@echo "make fuzz       new examples for every property; strange inputs for every reader (EACH=30 seconds)"
	@echo "make redteam    a fixed suite of attacks on every protocol"
	@echo "make browser    install Chromium, where it is missing, for the tests of the page"
	@echo "make bench      measure the engine beside a bare baseline, intake, gates and the page in a real browser"
	@echo "make bench-peers  the same debate in five other engines, each installed in .peers"
	@echo "make screenshots  pictures of every screen of the page, light and dark, for the docs"
	@echo "make format     format the code"

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Quorate needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "This Python lacks venv or pip. On Debian and Ubuntu: apt-get install python3-venv python3-pip"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/run: .venv/made pyproject.toml constraints.txt
	@echo "Installing Quorate and the embedded model ..."
	@$(PIP) --editable '.[local,review,serve]'
	@$(BIN)/quorate models pull smollm2
	@touch $@

.venv/dev: .venv/run
	@echo "Installing the development tools ..."
	@$(PIP) --editable '.[local,review,serve,models,postgres,durable,watch,sign,keyring,dev]'
	@touch $@

# Any verdict will do: what is shown is how they come about.
run: .venv/run
	@echo; echo "1 of 3: what code proves about a change with planted faults. No model, no key."; echo
	$(BIN)/quorate review --diff examples/planted.diff --checks-only || [ $$? -le 2 ]
	@echo; echo "2 of 3: a committee decides on a change. Its members are a script: what they say is written down before,"
	@echo "what follows from it is not."; echo
	$(BIN)/quorate review --diff examples/change.diff --panel examples/review-panel.yaml --seed 7 --no-input \
	  --out quorate-out 2> .venv/run.log || [ $$? -le 2 ] || { cat .venv/run.log; exit 1; }
	@echo; echo "3 of 3: may a real model vote? The embedded one, of 135 million parameters, is shown functions with and"
	@echo "without a fault, live, and says in one word what it thinks of each. Whoever guesses has 50 %."; echo
	$(BIN)/quorate exam local:smollm2 --protocol review --seconds 40
	@echo; echo "Open quorate-out/review-report.html. Then try: $(BIN)/quorate explain, $(BIN)/quorate models,"
	@echo "and put a better model on the seats: docs/how-to/local-models.md"

test: .venv/dev
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	  echo "Chromium is not installed, so the tests of the page are skipped; to run them: make browser"
ifdef ROOM
	$(BIN)/pytest -n auto --dist loadgroup --timeout 600 -m "not slow and not long" tests/$(ROOM)
else
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/pytest -n auto --dist loadgroup --timeout 600 -m "not slow and not long"
endif

# The page is tested in a real browser, which is no Python package.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { \
	  command -v apt-get >/dev/null || { echo "Install Chromium with your system's package manager."; exit 1; }; \
	  echo "Installing Chromium ..."; \
	  if [ "$$(id -u)" = 0 ]; then run=; else run=sudo; fi; \
	  $$run apt-get update -qq && $$run apt-get install -y -qq --no-install-recommends chromium; }

test-slow: .venv/dev
	$(BIN)/pytest -n auto --dist loadgroup --timeout 2400 -m slow

test-long: .venv/dev
	HYPOTHESIS_PROFILE=search $(BIN)/pytest -n auto --dist loadgroup -m "long or hypothesis"

faults: .venv/dev
	$(BIN)/python -m tests.faults $(or $(SEEDS),2000)

kills: .venv/dev
	$(BIN)/python -m tests.kills $(or $(N),200)

fuzz: .venv/dev
	@$(PIP) --editable '.[fuzz]'
	HYPOTHESIS_PROFILE=search $(BIN)/pytest -n auto --dist loadgroup --timeout 2400 -m hypothesis
	$(BIN)/python -m fuzzing all $(or $(EACH),30)

redteam: .venv/dev
	$(BIN)/quorate redteam

bench: .venv/dev
	$(BIN)/python benchmarks/engine.py --json quorate-out/engine.json
	$(BIN)/python benchmarks/intake.py
	$(BIN)/python benchmarks/gates.py
	$(BIN)/python benchmarks/page.py

bench-peers: .venv/dev
	$(BIN)/python benchmarks/peers --json quorate-out/peers.json

screenshots: .venv/dev
	$(BIN)/python docs/screenshots.py

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv quorate-out
