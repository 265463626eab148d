"""What keeps the folders honest: packages are found by folder name, never listed."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.events import drift, fault
from andon.events.actor import actor_of, with_actor
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.discovery import apis, packages, pages, readers, recomputed, services, subscribers_of, views
from andon.packages.package import FUNCTIONS, ROLES, Package
from andon.recorded.archive import shard_of
from andon.runtime import times
from andon.tools.in_process import openapi
from andon.tools.in_process.lambda_context import LambdaContext
from andon.tools.in_process.lambda_events import bus_message, sqs_event
from andon.tools.in_process.replay import time_of
from andon.tools.in_process.world import InProcess, frozen_clock
from andon.wire import aws
from tests.support.anomalies import model_content, put_model
from tests.support.archive import keep_in_lake
from tests.support.aws_in_memory import AwsInMemory
from tests.support.loop.in_memory import LoopInMemory
from tests.support.services.reports import report

EVENTS = Path(__file__).parents[1] / "events"
STREAM = sorted(EVENTS.glob("stream/*.json"))
DOMAIN = sorted(EVENTS.glob("domain/*.json"))
HTTP = sorted(EVENTS.glob("http/*.json"))
QUEUE = sorted(EVENTS.glob("queue/*.json"))

SAMPLE_ACCOUNT = "000000000000"

NO_FACTS = {fault.TYPE, drift.TYPE}
"""What consumers publish of messages and rows."""


def read(path: Path) -> Any:  # noqa: ANN401  JSON is any
    return json.loads(path.read_text())


def type_of(path: Path) -> str:
    return path.name.split(".", maxsplit=1)[0]


def topic_of(path: Path) -> tuple[str, str]:
    """Return the source and type of a domain sample."""
    return read(path)["tags"]["source"], type_of(path)


def is_of_old(path: Path) -> bool:
    """Return whether a sample has an older shape of its type (`<type>.v<n>.json`), which consumers still read."""
    return re.fullmatch(r".*\.v\d+", path.stem) is not None


def published_types() -> set[tuple[str, str]]:
    facts = [package.load("trigger").FACTS for package in services()]
    return {(declared.source, event_type) for declared in facts for event_type in declared.types}


def rules_named_in(message: dict[str, Any]) -> Iterator[str]:
    for entity in DomainEvent.from_wire(message).entities.values():
        if "rule" in entity:
            yield entity["rule"]


def modules(file: str) -> list[str]:
    paths = sorted(FUNCTIONS.glob(f"*/*/{file}.py"))
    return [".".join(path.relative_to(FUNCTIONS).with_suffix("").parts) for path in paths]


DECLARED = ("routes", "tables", "facts", "subscriptions", "view", "store")
DECLARATIONS = [module for file in DECLARED for module in modules(file)]


def loaded_by(module: str, **environment: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        cwd=FUNCTIONS,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def world_of_module() -> Iterator[AwsInMemory]:
    with AwsInMemory() as world:
        yield world


@pytest.fixture
def world(world_of_module: AwsInMemory) -> InProcess:
    world_of_module.clear()
    return world_of_module


@pytest.mark.parametrize("sample", STREAM, ids=lambda path: path.name)
def test_a_stream_sample_fed_to_its_trigger_publishes_exactly_the_domain_sample(world: InProcess, sample: Path) -> None:
    batch, domain = read(sample), read(EVENTS / "domain" / sample.name)
    source = domain["tags"]["source"]

    with frozen_clock(time_of(batch)):
        Package("services", source).handler("trigger")(batch, LambdaContext(domain["tags"]["functionname"]))

    (message,) = [json.loads(body) for body in world.new_messages()]
    assert message["detail"] == domain
    assert (message["source"], message["detail-type"]) == (source, type_of(sample))


@pytest.mark.parametrize(
    ("listener", "sample"),
    [(package, sample) for package in readers() for sample in DOMAIN if package.subscribes_to(*topic_of(sample))],
    ids=lambda value: value.name,
)
def test_every_listener_digests_the_samples_of_what_it_subscribes_to(
    world: InProcess, listener: Package, sample: Path
) -> None:
    event = DomainEvent.from_wire(read(sample))
    before = {table: world.rows(table) for table in listener.tables}

    with frozen_clock(event.timestamp_ms):
        message = to_message(event, source=event.tags["source"])
        answer = listener.handler("listener")(sqs_event([message]), LambdaContext(f"{listener.name}-listener"))

    assert answer == {"batchItemFailures": []}
    assert {table: world.rows(table) for table in listener.tables} != before
    assert world.new_messages() == [], "a fault was published"


def test_who_listens_declares_its_subscriptions_and_who_declares_them_listens() -> None:
    assert {package for package in services() if package.has("subscriptions")} == set(readers()) - set(views())
    assert [package.name for package in readers() if not package.subscriptions] == []


def test_who_has_rules_has_a_sweep_and_a_sample_of_what_each_decides() -> None:
    deciding = [package for package in services() if package.has("control")]
    decided = {rule for sample in DOMAIN for rule in rules_named_in(read(sample))}

    assert deciding
    assert deciding == [package for package in services() if package.has("sweep")]
    assert {rule.id for package in deciding for rule in package.load("control").CONTROL.rules.all} == decided


def test_a_listener_settles_gaps_of_the_length_that_the_rules_have() -> None:
    """It knows no rules: see `gaps.py`."""
    judged = {
        (package.name, topic_of(sample)): (
            package.load("subscriptions").ON[topic_of(sample)](DomainEvent.from_wire(read(sample))).gap_ms,
            package.load("control").CONTROL.rules.gap_ms_on(topic_of(sample)),
        )
        for package in services()
        if package.has("control")
        for sample in DOMAIN
        if package.load("control").CONTROL.rules.has_any_on(topic_of(sample))
        and package.subscribes_to(*topic_of(sample))
        and not is_of_old(sample)
    }

    assert all(listener == rules for listener, rules in judged.values())
    assert [*filter(None, (rules for _, rules in judged.values()))]


REPORTS = {"14:35": "NORMAL", "14:40": "WARNING1", "14:45": "WARNING1", "14:50": "ERROR", "15:35": "NORMAL"}
SWEEPS = ("14:51", "14:56", "15:21", "15:36")


def decided_upon_reports() -> list[dict[str, Any]]:
    """Report what the samples of decisions are about; return the events that rules decided."""
    published: list[dict[str, Any]] = []
    with LoopInMemory() as loop:
        loop.call(read(EVENTS / "http" / "set-roster.json"))
        body = read(EVENTS / "http" / "register-equipment.json")["body"]
        loop.request("PUT /equipment/{id}", path={"id": "press-8"}, body=body)
        loop.run()
        for time in sorted([*REPORTS, *SWEEPS]):
            with frozen_clock(times.to_ms(f"2020-04-24T{time}Z")):
                if state := REPORTS.get(time):
                    report(loop, "press-8", state, at=f"2020-04-24T{time}Z")
                published += loop.sweep()
    return [event["detail"] for event in published if [*rules_named_in(event["detail"])]]


UNUSUAL = {  # state -> minutes, of a machine that reports each five minutes
    "NORMAL": (0, 5, 25, 30),
    "WARNING1": tuple(range(31, 44)),
    "MELTING": (44,),
}


def anomalies_in_reports() -> list[dict[str, Any]]:
    """Report what the samples of anomalies are about; return the events that rules decided."""
    published: list[dict[str, Any]] = []
    with LoopInMemory() as loop:
        put_model(loop, model_content("press-8"))
        for minute, state in sorted((minute, state) for state, all_of in UNUSUAL.items() for minute in all_of):
            time = f"2020-04-24T14:{minute:02d}:00.000Z"
            with frozen_clock(times.to_ms(time)):
                report(loop, "press-8", state, at=time)
                loop.run()
        with frozen_clock(times.to_ms("2020-04-24T14:46:00Z")):
            published += loop.sweep()
    return [event["detail"] for event in published if event["source"] == "anomalies"]


def without_ids(event: dict[str, Any]) -> dict[str, Any]:
    """Leave out the ids, which come from a table's stream: of an event and of those that it was decided upon."""
    plain: dict[str, Any] = json.loads(json.dumps(event), object_hook=_without_id)
    return plain


def _without_id(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name != "id"}


@pytest.mark.usefixtures("one_thread")
def test_the_samples_of_decisions_are_what_the_rules_decide() -> None:
    decided = [without_ids(event) for event in decided_upon_reports() + anomalies_in_reports()]

    samples = [read(sample) for sample in DOMAIN if [*rules_named_in(read(sample))]]
    assert [event["type"] for event in samples if without_ids(event) not in decided] == []


def test_every_type_that_anybody_subscribes_to_is_published_by_that_service_and_has_a_sample() -> None:
    wanted = {subscription for package in readers() for subscription in package.subscriptions}

    assert wanted <= published_types()
    assert wanted <= {topic_of(sample) for sample in DOMAIN}


def test_every_published_type_has_a_sample_from_its_stream_and_on_the_bus() -> None:
    types = {event_type for _, event_type in published_types()}
    # A fault and a drift come from no stream, and no service publishes an old shape any more.
    of_facts = [sample for sample in DOMAIN if type_of(sample) not in NO_FACTS and not is_of_old(sample)]

    assert types == {type_of(sample) for sample in of_facts}
    assert {sample.name for sample in of_facts} == {sample.name for sample in STREAM}


@pytest.mark.parametrize("sample", DOMAIN, ids=lambda path: path.name)
def test_every_sample_says_who_did_it_and_those_of_before_are_lifted(sample: Path) -> None:
    event = DomainEvent.from_wire(read(sample))

    assert with_actor(event).tags["actor"] == actor_of(event) != ""
    assert is_of_old(sample) == ("actor" not in event.tags)


def test_a_report_of_before_is_lifted_to_the_one_of_today() -> None:
    before, today = (
        DomainEvent.from_wire(read(EVENTS / "domain" / f"state-reported{age}.json")) for age in (".v1", "")
    )

    assert upcast(before, NONE, source="equipment") == today._replace(id=before.id)


def test_a_type_with_an_older_shape_is_still_published() -> None:
    assert {type_of(sample) for sample in DOMAIN if is_of_old(sample)} <= {name for _, name in published_types()}


def test_the_sample_of_a_fault_is_what_its_consumer_publishes_when_it_gets_the_message(world: InProcess) -> None:
    sample = read(EVENTS / "domain" / "fault.json")
    view, _, role = sample["fault"]["consumer"].partition(".")

    with frozen_clock(sample["timestamp"]):
        batch = sqs_event([sample["fault"]["message"]])
        Package("views", view).handler(role)(batch, LambdaContext(f"{view}-{role}"))

    (message,) = [json.loads(body) for body in world.new_messages()]
    assert message["detail"] == sample
    assert (message["source"], message["detail-type"]) == (view, fault.TYPE)


@pytest.mark.parametrize("source", [package.name for package in packages()])
def test_faults_are_kept_whoever_publishes_them(source: str) -> None:
    assert Package("stores", "faults") in subscribers_of(source, fault.TYPE)


def test_the_sample_of_a_drift_is_what_its_view_publishes_of_a_row_that_says_something_else(world: InProcess) -> None:
    sample, event = read(EVENTS / "domain" / "drift-detected.json"), read(EVENTS / "domain" / "state-reported.json")
    view = Package("views", sample["drift"]["view"])
    line = bus_message(DomainEvent.from_wire(event), source="equipment")
    context = LambdaContext("state_log")
    [(table, _)] = view.tables.items()

    with frozen_clock(sample["timestamp"]):
        view.handler("listener")(sqs_event([line]), context)
        keep_in_lake([line])
        [row] = world.rows(table)
        wrong = {name: differing["found"] for name, differing in sample["drift"]["fields"].items()}
        aws.client("dynamodb").put_item(TableName=table, Item=to_typed(row | wrong))
        view.handler("recompute")({"shard": shard_of(event["partitionKey"])}, context)

    (message,) = [json.loads(body) for body in world.new_messages()]
    assert message["detail"] == sample
    assert (message["source"], message["detail-type"]) == (view.name, drift.TYPE)
    assert world.rows(table) == [row]


@pytest.mark.parametrize("source", [package.name for package in packages()])
def test_drift_is_kept_whoever_publishes_it(source: str) -> None:
    assert Package("stores", "drift") in subscribers_of(source, drift.TYPE)


@pytest.mark.parametrize(
    "sample", [sample for sample in DOMAIN if type_of(sample) not in NO_FACTS], ids=lambda path: path.name
)
def test_a_view_has_for_its_partition_key_what_its_events_have(sample: Path) -> None:
    """By it the archive is read, and so the view is recomputed."""
    for view in (view for view in recomputed() if view.subscribes_to(*topic_of(sample))):
        event = upcast(DomainEvent.from_wire(read(sample)), view.load("view").UPCASTERS, source=topic_of(sample)[0])
        update = view.load("view").ON[topic_of(sample)](event)

        assert update.key[view.view.KEYS.partition] == event.partition_key


@pytest.mark.parametrize("source", [package.name for package in packages()])
def test_everything_goes_into_the_lake_whoever_publishes_it(source: str) -> None:
    assert Package("stores", "lake") in subscribers_of(source, "something-done")


def test_the_fault_store_keeps_the_sample_and_publishes_nothing(world: InProcess) -> None:
    event = DomainEvent.from_wire(read(EVENTS / "domain" / "fault.json"))
    store = Package("stores", "faults")

    answer = store.handler("listener")(sqs_event([to_message(event, source="state_log")]), LambdaContext("faults"))

    assert answer == {"batchItemFailures": []}
    assert len([one for one in world.objects(store.store.BUCKET) if one["Key"].startswith("faults/")]) == 1
    assert world.new_messages() == []


def test_the_sample_of_the_lakes_queue_has_samples_of_events_inside() -> None:
    for record in read(EVENTS / "queue" / "lake.json")["Records"]:
        envelope = json.loads(record["body"])
        assert envelope["detail"] == read(EVENTS / "domain" / f"{envelope['detail-type']}.json")


def test_every_package_stands_in_the_stack() -> None:
    stack = (FUNCTIONS.parent / "infra" / "stack.py").read_text()

    assert [page.name for page in pages() if f'Page(self, "{page.name}", hub, api)' not in stack] == []
    assert not [
        f"functions/{package.side}/{package.name} stands in no line of infra/stack.py"
        for package in services() + views()
        if f'(self, "{package.name}", hub, api' not in stack
    ]


def test_every_route_has_a_sample() -> None:
    routes = {route for package in packages() for route in package.routes}

    assert routes == {read(sample)["routeKey"] for sample in HTTP}


def test_samples_name_no_account_but_zeros() -> None:
    accounts = {part for path in STREAM + DOMAIN + HTTP + QUEUE for part in _twelve_digits(path.read_text())}

    assert accounts <= {SAMPLE_ACCOUNT}


def test_the_openapi_document_has_exactly_the_routes() -> None:
    paths = read(openapi.DOCUMENT)["paths"]
    documented = {f"{method.upper()} {path}" for path, operations in paths.items() for method in operations}

    assert documented == {route for package in apis() for route in package.routes}


def test_what_the_openapi_document_leaves_out_asks_for_no_token() -> None:
    left_out = [package for package in packages() if package not in apis()]

    assert left_out == pages() != []
    assert {groups for package in left_out for groups in package.routes.values()} == {frozenset()}


def test_a_route_of_the_documented_api_asks_for_a_group() -> None:
    assert all(groups for package in apis() for groups in package.routes.values())


def test_the_openapi_document_is_what_the_handlers_say() -> None:
    assert openapi.DOCUMENT.read_text() == openapi.text(), "run: make openapi"


@pytest.mark.parametrize("path", sorted(FUNCTIONS.rglob("*.py")), ids=lambda path: str(path.relative_to(FUNCTIONS)))
def test_no_file_imports_another_package(path: Path) -> None:
    imported = set(_imports(path))
    owner = path.relative_to(FUNCTIONS).parts
    mine = ".".join(owner[:2])

    of_packages = {name for name in imported if name.startswith(("pages.", "services.", "stores.", "views."))}
    assert not {name for name in of_packages if not _within(name, mine)}


@pytest.mark.parametrize("module", [*DECLARATIONS, "andon.packages.discovery"])
def test_declarations_and_what_reads_them_load_neither_aws_nor_http_nor_cdk(module: str) -> None:
    assert not {"boto3", "botocore", "pydantic", "aws_lambda_powertools", "aws_cdk"} & loaded_by(module)


@pytest.mark.parametrize("module", [module for role in ROLES for module in modules(role)])
def test_no_handler_loads_boto3_when_it_is_initialised(module: str) -> None:
    """S3 and SQS are called through it, so the fault store's handlers load it, at their first call."""
    on_lambda = {"AWS_WIRE": aws.LIBCURL, "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}

    loaded = loaded_by(module, **on_lambda)

    assert "andon.runtime.log" in loaded
    # Powertools looks whether botocore is there, without loading what is in it.
    assert not {"boto3", "botocore.session"} & loaded


@pytest.mark.parametrize("module", [*modules("trigger"), *modules("listener"), *modules("push"), *modules("sweep")])
def test_what_no_caller_waits_for_loads_neither_pydantic_nor_the_x_ray_sdk(module: str) -> None:
    assert not {"pydantic", "aws_xray_sdk"} & loaded_by(module)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _twelve_digits(text: str) -> Iterator[str]:
    for word in text.replace('"', ":").split(":"):
        if len(word) == len(SAMPLE_ACCOUNT) and word.isdigit():
            yield word
