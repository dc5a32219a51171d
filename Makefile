# Everything that people and CI do with this project. `make` alone lists the commands.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
PY := $(BIN)/python
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Without byte code every process of the site and of the tests would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

# make ... SETTINGS=/etc/agency-site/site.env: the settings of the units, read as systemd reads them, for one command.
ifeq ($(origin SETTINGS),command line)
export AGENCY_SETTINGS_FILE := $(SETTINGS)
endif

.DEFAULT_GOAL := help
.PHONY: help run dev staff examples content-export backup restore test test-all first-actions mutants simulate simulate-mutants check format bench art brand photographs dates lock licences sbom migration upgrade-from-0052 clean

help: ## list the commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

run: .venv/ready ## install, migrate, build and serve the site at http://localhost:3000 (PORT=... changes it)
	@exec $(PY) -m agency_site.web.serve

dev: .venv/ready ## serve with hot reload: pages at http://localhost:3000, API and socket at the next port
	@exec $(PY) -m agency_site.web.dev

staff: .venv/ready ## create or reset a staff account: EMAIL=... ROLE=owner [NAME=...]; without ROLE it names the roles
	@$(PY) -m agency_site.auth.command --email="$(EMAIL)" --role="$(ROLE)" --name="$(NAME)"

examples: .venv/tests-ready ## fill a new development database with a few dozen records in every state, accounts of staff included
	@$(PY) -m tests.examples

content-export: .venv/ready ## write what staff have published as Markdown into agency_site/content, and the rest as steps into content-export.txt
	@$(PY) -m agency_site.features.editing.export

backup: .venv/ready ## write a checked backup of the database to AGENCY_BACKUP_FOLDER, encrypted for AGENCY_BACKUP_RECIPIENT
	@$(PY) -m agency_site.db.backups.command backup

restore: .venv/ready ## restore a backup: FROM=... [IDENTITY=key.txt] [FORCE=1 puts it in the place of what is there] [STAGING=1 makes a copy that reaches no customer]
	@$(PY) -m agency_site.db.backups.command restore "$(FROM)" --identity="$(IDENTITY)" $(if $(FORCE),--force) $(if $(STAGING),--staging)

# Two runs, because Playwright occupies the event loop of its process.
PYTEST := $(PY) -m pytest -p no:cacheprovider -q -n auto --dist worksteal
SELECTION :=
test: SELECTION := -m "not thorough"
test: ## the tests for every change, in 10 minutes on two cores
test-all: ## all tests, in 35 minutes: PostgreSQL everywhere, every browser, every page, faults
test test-all: .venv/tests-ready
	@$(PYTEST) $(SELECTION) tests/unit tests/integration tests/simulation
	@$(PYTEST) $(SELECTION) tests/e2e

first-actions: .venv/tests-ready ## every control of every kind of page, used first, later and on a slow network; PAGES='/ /book' limits it
	@FIRST_ACTIONS="$(or $(PAGES),all)" $(PY) -m pytest tests/e2e/test_first_action.py -p no:cacheprovider -q

mutants: .venv/mutants-ready ## mutation testing of the rules; MUTANTS='agency_site.db.leases*' limits it
	@$(BIN)/mutmut run --max-children 2 $(MUTANTS)
	@$(BIN)/mutmut results

SEEDS ?= 0-1999
FAULTS ?= all
simulate: .venv/tests-ready ## simulate payments and bookings under faults: SEEDS=17 or 0-1999, FAULTS=all, none or crash,messages,...
	@$(PY) -m tests.simulation --seeds $(SEEDS) --faults $(FAULTS)

simulate-mutants: .venv/tests-ready ## does the simulation notice a broken product? FAULTS=... are those under which it holds
	@$(PY) -m tests.simulation.mutants --faults $(FAULTS)

# All of it, whatever fails first: what is wrong is known at once.
CHECKS := \
  "$(BIN)/ruff format --check --quiet ." \
  "$(BIN)/ruff check --quiet ." \
  "$(PY) -m pytest -q -p no:cacheprovider -n 0 --no-header tests/unit/test_vocabulary.py" \
  "$(BIN)/lint-imports --no-logo" \
  "$(PY) -m tests.migrations_check" \
  "$(PY) -m agency_site.content.check" \
  "$(BIN)/mypy"
check: .venv/tests-ready ## format, lint, words, import contracts, migrations, content, types: everything that is wrong
	@wrong=0; for each in $(CHECKS); do said=$$($$each 2>&1) || { wrong=1; echo "$$said" | tail -n 40; }; done; exit $$wrong

format: .venv/tests-ready ## format the code
	@$(BIN)/ruff format --quiet . && $(BIN)/ruff check --quiet --fix .

bench: .venv/tests-ready ## measure; prints figures and ratios
	@$(PY) -m tests.bench

art: .venv/tests-ready ## draw patterns, covers, icons and share images again; ONLY='careers' limits it
	@$(PY) -m agency_site.artwork.command $(ONLY)

brand: .venv/tests-ready ## change colour and font of headings everywhere: COLOUR=\#0b6e4f FONT=path/to/Font.ttf, or one of them
	@$(PY) -m agency_site.artwork.brand_command --colour="$(COLOUR)" --font="$(FONT)"

STUDIO := .build/studio
photographs: $(STUDIO)/ready ## render the scenes that have no picture yet; ONLY='baraka_hardware jua_solar' renders them anew
	@$(STUDIO)/bin/python -m tools.studio.command $(ONLY)

dates: .venv/ready ## record which pages have changed words, for the sitemap
	@$(PY) -m agency_site.web.dates

migration: .venv/ready ## write a migration from the tables: make migration NAME=add_something
	@$(PY) -m agency_site.db.migration_command "$(NAME)"

upgrade-from-0052: .venv/ready ## give a database of before release 1.0 the tables of 1.0 (docs/releasing.md)
	@$(PY) -m agency_site.db.upgrade_to_1_0

LOCK := $(BIN)/uv pip compile -q --python-version 3.11 --no-header --generate-hashes
lock: .venv/ready ## resolve the pins and hashes of all packages anew from pyproject.toml
	$(LOCK) pyproject.toml -o requirements.txt
	$(LOCK) --extra test -c requirements.txt pyproject.toml -o tests/requirements.txt
	$(LOCK) --group mutants -c tests/requirements.txt -o tests/mutants-requirements.txt
	$(LOCK) --group sbom -o tests/sbom-requirements.txt
	$(LOCK) --group studio -o tools/studio/requirements.txt
	$(LOCK) --group uv -o uv-requirements.txt

licences: .venv/tests-ready ## write docs/licences.md from what all packages declare
	@$(PY) -m tests.licences

SBOM := .build/sbom
sbom: .venv/ready $(SBOM)/tools/ready ## write software bills of materials (CycloneDX) of packages and front end to .build/sbom
	@$(SBOM)/tools/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible -o $(SBOM)/python.cdx.json requirements.txt 2>$(SBOM)/python.log || { cat $(SBOM)/python.log; exit 1; }
	@# npm objects to packages that name an older React as their peer; what is locked is listed all the same.
	@cd reflex.lock && ../$(BIN)/npm exec --yes --package=@cyclonedx/cyclonedx-npm@6.0.1 -- cyclonedx-npm --package-lock-only --ignore-npm-errors --output-reproducible --output-file ../$(SBOM)/frontend.cdx.json package.json 2>../$(SBOM)/frontend.log || { cat ../$(SBOM)/frontend.log; exit 1; }
	@ls -l $(SBOM)/*.cdx.json

clean: ## remove everything that can be built again; data stays in .data
	rm -rf .venv .web .build mutants .states .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# With uv, or with pip where uv cannot be had; every file must have one of the hashes that the requirements list.
INSTALL := -m agency_site.web.build.packages

# The stamps are written last: an interrupted installation is simply done again.
.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try: make PYTHON=python3.12 run"; exit 1; }
	@if [ ! -x $(BIN)/pip ]; then rm -rf .venv; $(PYTHON) -m venv .venv >/dev/null 2>&1 || { rm -rf .venv; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null; \
	  else echo "Python's venv module is missing. Install it: sudo apt-get install python3-venv"; exit 1; fi; $(PYTHON) -m venv .venv; }; fi
	@$(PY) $(INSTALL) requirements.txt
	@touch $@

.venv/tests-ready: .venv/ready tests/requirements.txt
	@$(PY) $(INSTALL) tests/requirements.txt
	@touch $@

# Not among the test packages: it is wanted seldom, and brings a user interface of its own.
.venv/mutants-ready: .venv/tests-ready tests/mutants-requirements.txt
	@$(PY) $(INSTALL) tests/mutants-requirements.txt
	@touch $@

# An environment of its own: a gigabyte that neither the site nor its tests need.
$(STUDIO)/ready: tools/studio/requirements.txt
	@rm -rf $(STUDIO) && $(PYTHON) -m venv $(STUDIO)
	@$(STUDIO)/bin/python $(INSTALL) tools/studio/requirements.txt
	@touch $@

# An environment of its own: the lists name what runs the site, not what writes them.
$(SBOM)/tools/ready: tests/sbom-requirements.txt
	@rm -rf $(SBOM)/tools && $(PYTHON) -m venv $(SBOM)/tools
	@$(SBOM)/tools/bin/python $(INSTALL) tests/sbom-requirements.txt
	@touch $@
