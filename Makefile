# Every verb of the project. `make` alone shows those that people need, `make more` all; each installs what it needs.

PYTHON3 ?= python3
PYTHON := .venv/bin/python
ANDON := PYTHONPATH=library ANDON_CALLED_BY=make $(PYTHON) -m andon.tools.cli
RUN := PYTHONPATH=functions:library:. $(PYTHON) -m
CDK := node_modules/.bin/cdk
TSC := node_modules/.bin/tsc
PROGRESS = PYTHONPATH=library $(PYTHON3) -m andon.tools.stack.progress

# The version of jsii's banner about Node 20's end of life that is not to be shown.
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20
# pip leaves compiling to the first import (see below), which has to be able to keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE

INSTALLED := .venv/.installed .local/emulator-venv/.installed node_modules/.installed

.PHONY: help more install new samples up redeploy call device connect claim down import demo console inbox token load archive audit bench gateway gateway-check test t deployed walk walked machine pages others measured types nag wheel site contracts contracts-current contracts-lint docs release mutants lint check synth openapi agents figures pictures costs simulate query trace what-if train new-project new-view-version fill prove cutover in-step retire redrive replay-failures catch-up erase replay format lock pins kept budgets apart deploy smoke

TASKS := Run it here: up demo inbox down, Look into it: call query trace console, Change it: new t test redeploy, Deploy it: deploy

help:
	@awk -F':.*## ' -v tasks='$(TASKS), All other verbs: more' '/^[a-z-]+:.*## / { means[$$1] = $$2 } \
	END { for (i = 1; i <= split(tasks, of, ", "); i++) { split(of[i], task, ": "); print task[1]; \
	for (j = 1; j <= split(task[2], verbs, " "); j++) printf "  make %-9s %s\n", verbs[j], means[verbs[j]] } }' $(firstword $(MAKEFILE_LIST))

more:  ## list all verbs
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

up: STARTED := $(shell date +%s)
up: install  ## run everything on this machine, with data in it (another port: PORT=4567; all answers: V=1)
	@$(ANDON) up --started $(STARTED) $(if $(PORT),--port $(PORT)) $(if $(V),--verbose)

redeploy: install  ## bring changed code to the running system, within seconds; where the infrastructure changed, all of it
	@$(ANDON) redeploy

# As they were typed: an id may have a $ in it.
call: override export CALL := $(value CALL)
call: override export BODY := $(value BODY)
call: install  ## send a signed request to the running system: CALL="GET /board/Acme" ROLE=operator BODY='{"name": "Oven"}' AT=gdl-1
	@set -f; $(ANDON) call $$CALL $(if $(BODY),"$$BODY") $(if $(ROLE),--as '$(ROLE)') $(if $(AT),--at '$(AT)')

down:  ## end what `make up` started
	@$(if $(wildcard $(PYTHON)),$(ANDON) down,echo "nothing is running here")

# So the library calls it, which knows no devices.
connect: device
device: install  ## let a machine, or a plant's gateway, connect to the running system by MQTT: ID=press-7 or FACTORY=gdl-1 (a new certificate: AGAIN=1)
	@$(ANDON) connect $(if $(FACTORY),factory '$(FACTORY)',equipment '$(ID)') $(if $(AGAIN),--again) $(ON_STACK)

claim: override export TO := $(value TO)
claim: install  ## make a claim, by which machines or gateways get a certificate of their own: KIND=equipment TO=folder; alone lists; withdraw: END=3fa2b1
	@$(ANDON) claim $(if $(KIND),'$(KIND)') $(if $(value TO),--to "$$TO") $(if $(END),--end '$(END)') $(ON_STACK)

# As they were typed: a token, and folders with a $ in their names.
import: override export CSV := $(value CSV)
import: override export FACTORY := $(value FACTORY)
import: override export URL := $(if $(filter line,$(origin URL)),$(value URL))
import: install  ## bring a plant's machines, people and causes from sheets: FACTORY=gdl-1 CSV=demo/plant (say only what would change: DRY_RUN=1)
	@DRY_RUN=$(DRY_RUN) $(RUN) demo.importing.make_import

demo: install  ## let the demo factory live on the running system, until Ctrl-C: SPEED=10
	@$(RUN) demo.make_demo $(if $(SPEED),--speed $(SPEED))

console: install  ## watch the flow through the running system, and its faults; one screen of it: ONCE=1
	@$(ANDON) console

inbox: install  ## read mails, SMS, webhooks and pushes that the running system sent, then those that come; what there is: ONCE=1 N=20
	@$(ANDON) inbox

# Make has an AS of its own, the assembler.
override AS := $(if $(filter line,$(origin AS)),$(value AS))
token: install  ## print a token for the running system: ROLE=operator, or ROLE=device AS=press-7 (a user's name); AT=gdl-1,Acme: limited to places
	@$(ANDON) token $(ROLE) $(if $(AS),'$(AS)') $(if $(AT),--at '$(AT)')

load: install  ## report many states at once to the running system: N=2000 C=8 (commands, clients)
	@$(RUN) demo.load $(if $(N),--commands $(N)) $(if $(C),--clients $(C))

archive: install  ## bring the lake's days into the archive of the running system now, instead of within the hour
	@$(ANDON) archive

audit: install  ## compare all rows of the running system's views with what their events make of them, and repair
	@$(ANDON) audit

costs: install  ## count what each design for versions costs, and a report, and price a million of those by part
	@$(RUN) lab.costs

simulate: install  ## many machines on a model of AWS's limits: lag, lateness, what gives first, dollars: MACHINES=60000 HOURS=24
	@$(RUN) lab.simulate $(if $(MACHINES),--machines $(MACHINES)) $(if $(HOURS),--hours $(HOURS)) $(ARGS)

# As they were typed: a $ in the path of a JSON member is not Make's, and some systems have a NAME of their own.
query: override export SQL := $(value SQL)
query: override export ARGS := $(value ARGS)
query: override export NAME := $(if $(filter line,$(origin NAME)),$(NAME))
query: install  ## ask the lake: SQL="SELECT …" or NAME=story ARGS="equipment=press-7" (CSV=file PLOT=file.png, NAMES=1); alone lists
	@$(ANDON) query

trace: override export ID := $(if $(filter line,$(origin ID)),$(value ID))
trace: override export OTLP := $(value OTLP)
trace: override export LAKE := $(if $(filter line,$(origin LAKE)),$(value LAKE))
trace: override export UNTIL := $(if $(filter line,$(origin UNTIL)),$(UNTIL))
trace: install  ## follow a fact from its cause to all that came of it: ID=<event, x-after, or press-7/ERROR/time> (OTLP=file.json, LAKE=folder, UNTIL=day)
	@$(ANDON) trace

# As they were typed: an expression may have a $ in it, and folders, too.
what-if: override export RULE := $(if $(filter line,$(origin RULE)),$(value RULE))
what-if: override export SINCE := $(if $(filter line,$(origin SINCE)),$(value SINCE))
what-if: override export UNTIL := $(if $(filter line,$(origin UNTIL)),$(value UNTIL))
what-if: override export BASE := $(if $(filter line,$(origin BASE)),$(value BASE))
what-if: override export SET := $(if $(filter line,$(origin SET)),$(value SET))
what-if: override export LAKE := $(if $(filter line,$(origin LAKE)),$(value LAKE))
what-if: override export ROSTERS := $(if $(filter line,$(origin ROSTERS)),$(value ROSTERS))
what-if: override export JSON := $(if $(filter line,$(origin JSON)),$(value JSON))
what-if: override export PLOT := $(if $(filter line,$(origin PLOT)),$(value PLOT))
what-if: install  ## decide the lake's past anew with changed rules, and say what differs: RULE=escalate or all, SINCE=day (BASE=HEAD, SET="AFTER_MS=…", LAKE=folder, ROSTERS=file, JSON=file, PLOT=file.png)
	@$(ANDON) what-if

train: install  ## learn from the lake what is usual, for anomalies: ARGS="since=2026-11-01"; how good it is: EVALUATE=1
	@$(RUN) demo.lake.make_train

new: install  ## write a service, view, fact or rule that works, with its test: ARGS="view register --of equipment/state-reported"
	@$(ANDON) new $(ARGS)

new-project: install  ## make a project of its own, which depends on the library's wheel: DIR=../permits NAME=Permits SERVICE=permits (any option: ARGS="--field district --person")
	@$(ANDON) new project '$(DIR)' '$(NAME)' $(if $(SERVICE),--service '$(SERVICE)') $(ARGS)

new-view-version: install  ## write the next version of a view beside it, a copy to edit: VIEW=board
	@$(ANDON) new-view-version '$(VIEW)'

fill: install  ## fill a view's next version from the lake, while events go on: VIEW=board (events a second: RATE=200)
	@$(ANDON) fill '$(VIEW)' $(if $(RATE),--rate $(RATE)) $(ON_STACK)

# How much: read by provers themselves.
prove: export override PEOPLE := $(PEOPLE)
prove: export override REQUESTS := $(REQUESTS)
prove: ANDON := PYTHONPATH=library:gateway ANDON_CALLED_BY=make $(PYTHON) -m andon.tools.cli
prove: install  ## run a prover of lab/: NAME=telling SEEDS=20 SEED=1 ONLY="chains crowd" DEPLOYED=1; or compare all rows of a view's two versions: VIEW=board
	@$(ANDON) prove $(if $(VIEW),'$(VIEW)' $(ON_STACK),'$(NAME)' $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) \
	$(if $(DEPLOYED),--deployed) $(if $(ONLY),--only $(ONLY)))

cutover: install  ## prove, then let the next version serve, in one deployment: VIEW=board (the one before again: BACK=1)
	@$(ANDON) cutover '$(VIEW)' $(if $(BACK),--back) $(ON_STACK) $(if $(STACK),$(ARGS))

in-step: install  ## compare all rows of two versions of a service; send what one lacks to it: SEND=1
	@$(ANDON) in-step $(if $(SEND),--send) $(ON_STACK)

retire: install  ## remove the version of a view that does not serve from this clone: VIEW=board (also what is in no commit: UNCOMMITTED=1)
	@$(ANDON) retire '$(VIEW)' $(if $(UNCOMMITTED),--uncommitted)

redrive: install  ## put dead letters back on their queue: QUEUE=board (see some first: SHOW=1); alone lists them
	@$(ANDON) redrive $(if $(QUEUE),'$(QUEUE)') $(if $(SHOW),--show) $(if $(RATE),--rate $(RATE)) $(ON_STACK)

replay-failures: install  ## bring what triggers gave up on through them again, out of S3: SERVICE=dispatch (only list: DRY_RUN=1)
	@$(ANDON) replay-failures $(if $(SERVICE),'$(SERVICE)') $(if $(DRY_RUN),--dry-run) $(ON_STACK)

catch-up: install  ## bring a subscriber what was published before it was there: TO=dispatch OF=equipment SINCE=2026-11-21T09:35:00Z (UNTIL=…)
	@$(ANDON) catch-up '$(TO)' '$(OF)' '$(SINCE)' $(if $(UNTIL),'$(UNTIL)') $(ON_STACK)

ON_STACK = $(if $(STACK),--stack '$(STACK)')

# As they were typed: a name may have a quote in it.
erase: override export ALSO := $(value ALSO)
erase: install  ## erase a person's name, and every mention of it in texts: ID=op-17 ALSO="Ana,Anita" (count only: DRY_RUN=1; an id is called so: KEEP_IDS=1; a day later: AGAIN=1)
	@$(ANDON) erase '$(ID)' --also "$$ALSO" $(if $(AGAIN),--again) $(if $(DRY_RUN),--dry-run) $(if $(KEEP_IDS),--keep-ids) $(ON_STACK)

replay: install  ## run one handler on a sample, in this process: EVENT=events/stream/state-reported.json
	@$(ANDON) replay $(EVENT)

bench: install  ## what handlers cost on the wire, beside boto3 and aws-lambda-stream, each figure with its goal (into the pages, too: ARGS=--write); a lake of made-up events alone: N=1000000
	$(if $(N),,@$(RUN) lab $(ARGS))
	@$(RUN) lab.lake $(if $(N),--events $(N))

# Where its sources are not, its distribution is installed: gateway/README.md. Without a CONFIG: a press of our own.
GATEWAY := PYTHONPATH=gateway $(PYTHON) -m andon_gateway.cli
SAMPLE := PYTHONPATH=gateway:functions:library:. ANDON_CALLED_BY=make $(PYTHON) -m demo.plc.sample

gateway: export CONFIG := $(value CONFIG)
gateway: install  ## run the gateway of a plant from its sources, until Ctrl-C: CONFIG=gateway.toml; without: a sample server's, to the running system
	@$(if $(value CONFIG),$(GATEWAY) run "$$CONFIG",$(SAMPLE) run)

gateway-check: export CONFIG := $(value CONFIG)
gateway-check: install  ## read each value of a gateway's configuration once, and print the states: CONFIG=gateway.toml; without: the sample's
	@$(if $(value CONFIG),$(GATEWAY) check "$$CONFIG",$(SAMPLE) check)

test: lint  ## check, and run every test (check, then some of them: ARGS="-k order")
	@$(if $(ARGS),$(MAKE) --no-print-directory types nag site && $(PYTHON) -m pytest --config-file=pyproject.toml $(ARGS),$(MAKE) --no-print-directory \
	--jobs=5 BESIDE=1 deployed types site contracts-current machine pages walked others measured)

t: override export P := $(value P)
t: install  ## run the tests and laws of one package or room, with fewer examples: P=views/board
	@$(RUN) tests.support.near "$$P"

apart: install  ## build and test library, gateway, factory and lab each alone, outside the repository: ARGS="gateway -x"
	@$(RUN) tests.support.apart $(ARGS)

# Five at a time, in this order. Three of them mostly wait, two for a stack, each for its own, and one for a browser;
# what only computes gives way to them, `machine` least: it takes longest. All but `others` say what they have to say in
# one piece. What `nag` looks for, `machine` does, in the templates that it has anyway.
deployed:
	@$(PYTHON) -m pytest $(UNFOUND) $(E2E) --ignore=$(WALK) $(IN_ONE_PIECE)

walked:
	@$(PYTHON) -m pytest $(UNFOUND) $(WALK) $(IN_ONE_PIECE)

walk: install  ## take a project made with every option of the generators through its life, on a stack of its own
	@EVERY_OPTION=1 $(PYTHON) -m pytest $(UNFOUND) $(WALK)

pages:
	@$(PYTHON) -m pytest $(UNFOUND) $(PAGES) $(IN_ONE_PIECE)

machine:
	@$(if $(BESIDE),nice -n 2) $(PYTHON) -m pytest $(UNFOUND) $(MACHINE) $(IN_ONE_PIECE)

others:
	@$(GIVING_WAY) $(PYTHON) -m pytest $(addprefix --ignore=,$(E2E) $(MACHINE) $(PAGES) $(MEASURED))

measured:
	@$(GIVING_WAY) $(PYTHON) -m pytest $(UNFOUND) $(MEASURED) $(addprefix --ignore=,$(E2E)) $(IN_ONE_PIECE)

# The plugin of schemathesis is for tests/test_openapi.py: half a second of CPU for all others.
UNFOUND := -p no:schemathesis
E2E := tests/e2e lab/tests/e2e
WALK := tests/e2e/test_walk.py
PERMISSIONS := library/andon/testing/laws/test_permissions.py
PAGES := tests/pages tests/demo
MEASURED := lab/tests gateway/tests tests/gateway
WITH_WHEEL := library/tests/tools library/tests/test_wheel.py library/tests/test_releases.py tests/test_course.py
WITH_TEMPLATE := $(PERMISSIONS) tests/testing/test_proving.py
MACHINE := tests/infra tests/tools $(WITH_WHEEL) $(WITH_TEMPLATE)
GIVING_WAY = $(if $(BESIDE),nice -n 5)
IN_ONE_PIECE = $(if $(BESIDE),> .local/test-$@.log 2>&1; status=$$?; cat .local/test-$@.log; exit $$status)

# What does not fit into the time is counted, and said: all of it comes night by night.
mutants: install  ## change code in small ways, and see that tests notice: SINCE=origin/main (what a change touched), FILE=functions/views/board/view.py, NIGHT=3 (a seventh of all), LAWS=1 or LAWS=tests/infra; by other tests: TESTS=tests/views; so many seconds: WITHIN=100
	@nice env $(RUN) tests.mutants $(if $(SINCE),--since '$(SINCE)') $(if $(FILE),--file $(FILE)) $(if $(NIGHT),--night $(NIGHT)) \
	$(if $(LAWS),--laws $(filter-out 1,$(LAWS))) $(if $(TESTS),--tests $(TESTS)) $(if $(WITHIN),--within $(WITHIN))

check: lint types nag wheel site contracts-current  ## lint (code, pipeline), formatting, types (Python's and the page's), a synth for AWS with cdk-nag and cfn-lint, the site of docs/, the contracts of events

lint: install
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/zizmor --offline --no-progress --quiet .github
	@$(TSC)

types: install
	@$(PROGRESS) "checking types" .venv/bin/mypy $(IN_ONE_PIECE)

# cfn-lint looks for the same as the CDK's own validation, which only warns, in half of a synth's time. A template is
# the same with bytecode and a layer or without; tests build both.
nag: export CDK_VALIDATION := false
nag: export CDK_DISABLE_STACK_TRACE := true
nag: install
	@mkdir -p .local/no-layer
	@$(PROGRESS) "synthesising for AWS, with cdk-nag" $(LOOK) $(IN_ONE_PIECE)
	@$(PROGRESS) "synthesising the stage prod, too" $(LOOK) --context=stage=prod $(NO_BROKER) --output=cdk.out/prod $(IN_ONE_PIECE)
	@$(PROGRESS) "synthesising a stage with every option" $(PYTHON) -m pytest --quiet tests/infra/test_replica.py $(IN_ONE_PIECE)
	@$(PROGRESS) "checking the templates, with cfn-lint" .venv/bin/cfn-lint $(IN_ONE_PIECE)

wheel: install
	@$(PROGRESS) "building the library's wheel" $(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps \
	--no-build-isolation --wheel-dir=.local/wheel library/ $(IN_ONE_PIECE)

site: contracts-current
	@$(PROGRESS) "building the site of docs/" $(MKDOCS) build --quiet $(IN_ONE_PIECE)

contracts-current: install
	@ANDON_CALLED_BY=make $(PROGRESS) "asking who needs what of each event" $(PYTHON) -m andon.tools.cli contracts $(IN_ONE_PIECE)

contracts: install  ## say who publishes what, who needs what of it, and who breaks, and write the documents; the state is the released one: RELEASE=1
	@$(ANDON) contracts $(if $(RELEASE),--release)

contracts-lint: install  ## what AsyncAPI's own parser and EventCatalog's own linter say of these documents (76 MB of npm, once)
	@$(RUN) lab.contracts.lint

docs: contracts-current  ## show docs/ as a site on this machine, with a search and the library's API, until Ctrl-C: PORT=8000
	@$(MKDOCS) serve --dev-addr=127.0.0.1:$(or $(PORT),8000)

# Its advice to move on is for a terminal.
MKDOCS := env NO_MKDOCS_2_WARNING=1 PYTHONPATH=library .venv/bin/mkdocs

release: check  ## build wheel and sdist of the library, the lists of what they are made of, and checksums, into .local/release/
	@$(RUN) andon.tools.release .local/release

format: install  ## put the code into its format, and repair what lint can
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .

synth: install  ## write the CloudFormation for AWS to cdk.out/
	@$(SYNTH) $(ARGS)

# It looks at a stage without deploying it: nobody has to be woken, or told of anything.
NO_BROKER := --context=liveOrigin=wss://nobody.example
LOOK = $(CDK) synth --quiet --no-notices --no-staging --context=bytecode=none --context=layer=.local/no-layer \
	--context=alarmTopic=nobody
SYNTH = $(CDK) synth --quiet --no-notices --context=bytecode=optional --context=alarmTopic=nobody \
	$(if $(STAGE),--context=stage=$(STAGE) $(NO_BROKER))

pictures: install  ## draw the pictures of the page in docs/pictures/ anew
	@$(RUN) demo.board.pictures

openapi: install  ## write docs/openapi.json anew, from what the handlers say
	@$(ANDON) openapi

samples: install  ## write events/ anew, of the requests in tests/*/*/samples.py; docs/openapi.json and AGENTS.md, too
	@$(ANDON) samples

figures: install  ## write figures where files name them: of alarms, tables and their dollars, from stages' templates; of services' versions; constants; missed goals
	@$(ANDON) figures
	@$(RUN) lab --held

agents: install  ## write AGENTS.md and llms.txt anew, from packages, docs and verbs
	@$(ANDON) agents

budgets: install  ## lower what each room and folder may have of statements, names and words to what it has, in tests/budgets.toml
	@$(RUN) tests.support.budgets

kept: install  ## hold what outlives its stack, in infra/kept.json, by logical ids (what is to go: GONE="Board/BoardTable8FAAD6DD")
	@$(ANDON) kept $(if $(GONE),--gone $(GONE))

deploy: install  ## deploy a stage of cdk.json to AWS: STAGE=prod (dev without it; while a roll-back alarm rings: REPAIR=1), see docs/deploy.md
	@$(ANDON) deploy $(if $(STAGE),--stage $(STAGE)) $(if $(REPAIR),--repair) $(ARGS)

smoke: install  ## send one fact through a stage on AWS, and take it back: STAGE=prod (without it: the running system)
	@$(RUN) demo.smoke $(if $(STAGE),--stage $(STAGE))

lock: install  ## pin requirements/*.in and package.json again (newer versions: ARGS=--upgrade)
	@$(PROGRESS) "pinning requirements" $(MAKE) --no-print-directory pins

PIN := .venv/bin/pip-compile --quiet --no-header --annotation-style=line --strip-extras --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
TEMPLATE := library/andon/tools/templates/project
TOOLS := library/andon/tools/pins
pins:
	@cd requirements && ../$(PIN) $(ARGS) runtime.in
	@cd requirements && ../$(PIN) $(ARGS) powertools.in
	@cd requirements && ../$(PIN) $(ARGS) dev.in
	@cd requirements && ../$(PIN) $(ARGS) emulator.in
	@cd requirements && ../$(PIN) $(ARGS) uv.in
	@cp requirements/runtime.* $(TEMPLATE)/requirements
	@cp requirements/emulator.* requirements/uv.* $(TOOLS)
	@cd $(TOOLS) && $(CURDIR)/$(PIN) --no-annotate --constraint=$(CURDIR)/requirements/dev.txt dev.in
	@cd $(TEMPLATE) && npm install --package-lock-only --silent --no-audit --no-fund
	@cd lab/contracts/node && npm install --package-lock-only --silent --no-audit --no-fund
	@npm install --package-lock-only --silent --no-audit --no-fund

install:  ## install what is missing (the other verbs do it too)
	@$(PYTHON3) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; if it \
	has another name: make PYTHON3=python3.13 $(MAKECMDGOALS)")'
	@command -v npm >/dev/null || { echo "Node 20 or newer is needed, with npm: https://nodejs.org" >&2; exit 1; }
	@$(MAKE) --no-print-directory --question $(INSTALLED) 2>/dev/null || $(PROGRESS) \
		"installing Python packages, the emulator, the CDK's command line and a browser" \
		$(MAKE) --no-print-directory --jobs=3 $(INSTALLED)

# With hashes nothing is installed but the files that were pinned, and with --no-deps nothing is worked out again. Where
# uv has no way (to an index in pip's own settings), pip goes it: without --no-compile most of its time goes into modules
# of aws-cdk-lib that nothing here imports.
PINNED := --quiet --no-deps --require-hashes --requirement
PIP := -m pip --disable-pip-version-check
UV_INTO = .venv/bin/uv pip install --python $(1) $(PINNED) $< 2>/dev/null
PIP_INTO = $(PYTHON) $(PIP) --python $(1) install --no-compile $(PINNED) $<

.venv/bin/pip:
	@$(PYTHON3) -m venv .venv

.venv/bin/uv: requirements/uv.txt | .venv/bin/pip
	@$(PYTHON) $(PIP) install $(PINNED) $<
	@touch $@

.venv/.installed: requirements/dev.txt | .venv/bin/uv
	@$(call UV_INTO,$(PYTHON)) || $(call PIP_INTO,$(PYTHON))
	@touch $@

.local/emulator-venv/.installed: requirements/emulator.txt | .venv/bin/uv
	@$(PYTHON3) -m venv --without-pip .local/emulator-venv
	@$(call UV_INTO,.local/emulator-venv/bin/python) || $(call PIP_INTO,.local/emulator-venv/bin/python)
	@touch $@

node_modules/.installed: package.json package-lock.json .npmrc
	@npm ci --silent --no-audit --no-fund
	@touch $@
