import json
from collections import Counter
from typing import Any

import pytest

from andon.cdk.names import pascal
from andon.content.contents import Content, row_of
from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.schema import Keys
from andon.packages.package import Package
from andon.rules.timing import READ_SHARDS, Due, shard_of
from andon.testing.synthesised import Synthesised, text
from tests.support.infra.synthesised import CONTROL, SERVICES, SWEPT, VIEWS, declared_tables


def streams(packages: list[Package]) -> list[tuple[str, str]]:
    """Pairs of a function, a trigger or a push, and a table whose stream it follows."""
    return [
        (package.path("push" if package.side == "views" else "trigger"), name)
        for package in packages
        for name, schema in declared_tables(package).items()
        if schema.stream
    ]


PUSHED = streams(VIEWS)
STREAMED = streams(SERVICES) + PUSHED
KEYS = {name: schema.keys for package in SERVICES + VIEWS for name, schema in declared_tables(package).items()}
PUSHED_WITHIN = 5 * 60  # by then every screen has read all of it again
BY_TTL = {"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}}

streamed = pytest.mark.parametrize(("file", "table"), STREAMED)


def follows(synthesised: Synthesised, file: str, table: str) -> dict[str, Any]:
    stream = f"{synthesised.output(table)}.StreamArn"
    [mapping] = [made for made in synthesised.mappings(file) if text(made["EventSourceArn"]) == stream]
    return mapping


def bucket_of(synthesised: Synthesised, file: str, table: str) -> str:
    destination = follows(synthesised, file, table)["DestinationConfig"]["OnFailure"]["Destination"]
    name: str = destination["Fn::GetAtt"][0]
    return name


@streamed
def test_a_trigger_misses_no_change_and_a_batch_is_retried_until_just_before_the_stream_forgets_it_or_nobody_needs_it(
    aws: Synthesised, local: Synthesised, file: str, table: str
) -> None:
    mapping, here = follows(aws, file, table), follows(local, file, table)

    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert (mapping["MaximumRetryAttempts"], mapping["BisectBatchOnFunctionError"]) == (-1, True)
    assert mapping["MaximumRecordAgeInSeconds"] == (PUSHED_WITHIN if (file, table) in PUSHED else 23 * 60 * 60)
    assert here["MaximumRecordAgeInSeconds"] == 60, "on the emulator a bad record blocks its stream for a minute only"
    assert here.get("MaximumBatchingWindowInSeconds") is None
    batch = (100, 1) if (file, table) in PUSHED else (200, 2)
    assert (mapping["BatchSize"], mapping["MaximumBatchingWindowInSeconds"]) == batch
    resumes = ["ReportBatchItemFailures"] if file.endswith("trigger") else None
    assert (mapping.get("FunctionResponseTypes"), here.get("FunctionResponseTypes")) == (resumes, None)
    assert len(filters(aws, file, table)) <= 5  # a mapping has no more


@streamed
def test_the_filter_drops_what_ttl_removed_and_nothing_else(aws: Synthesised, file: str, table: str) -> None:
    patterns = filters(aws, file, table)
    inserted, modified, removed = (change(KEYS[table], kind, {"ttl": 1}) for kind in ("INSERT", "MODIFY", "REMOVE"))

    assert passes(inserted, patterns)
    assert passes(modified, patterns)
    assert passes(removed, patterns)
    assert passes(removed | {"userIdentity": None}, patterns)
    assert not passes(removed | BY_TTL, patterns)


@pytest.mark.parametrize(("file", "table"), streams(SERVICES))
@pytest.mark.parametrize(("marked", "passed"), [("report-expired", True), (True, True), (False, False)])
def test_of_what_ttl_removed_the_filter_passes_the_rows_whose_expiry_matters(
    aws: Synthesised, file: str, table: str, *, marked: str | bool, passed: bool
) -> None:
    removed = change(KEYS[table], "REMOVE", {"expire": marked})

    assert passes(removed | BY_TTL, filters(aws, file, table)) == passed


def test_of_what_ttl_removed_the_filter_passes_the_rows_that_objects_live_by(aws: Synthesised) -> None:
    [(package, contents)] = [(one, one.contents) for one in SERVICES if one.contents]
    content = Content("0" * 64, "image/png", 1, "Acme")
    row = contents.key_of(content) | row_of(content, now_ms=0)
    removed = change(contents.table.keys, "REMOVE", row)

    assert passes(removed | BY_TTL, filters(aws, package.path("trigger"), pascal(contents.table.variable)))


@pytest.mark.parametrize(("file", "table"), streams(SWEPT))
def test_the_filter_drops_what_comes_and_goes_in_the_index_of_due_times(
    aws: Synthesised, file: str, table: str
) -> None:
    dues = [
        Due(at_ms=number, key=f"Equipment#d#{number}", anchor="event#1", rules=("silent",), ttl=0)
        for number in range(99)
    ]
    assert {shard_of(due.key) for due in dues} == set(range(READ_SHARDS))
    keys, patterns = KEYS[table], filters(aws, file, table)

    changes = [change(keys, kind, due.row(keys)) for due in dues for kind in ("INSERT", "MODIFY", "REMOVE")]

    assert not [one for one in changes if passes(one, patterns) or passes(one | BY_TTL, patterns)]


@pytest.mark.parametrize(("file", "table"), streams(SERVICES))
@pytest.mark.parametrize("kind", ["INSERT", "MODIFY", "REMOVE"])
def test_a_trigger_is_not_called_for_latched_rows(aws: Synthesised, file: str, table: str, kind: str) -> None:
    latched = change(KEYS[table], kind, {"latched": True})
    opened = change(KEYS[table], kind, {"latched": False})
    expired = change(KEYS[table], kind, {"latched": True, "expire": True}) | BY_TTL

    assert not passes(latched, filters(aws, file, table))
    assert passes(opened, filters(aws, file, table))
    assert kind != "REMOVE" or not passes(expired, filters(aws, file, table))


@pytest.mark.parametrize(("file", "table"), streams(SERVICES))
def test_a_control_service_decides_upon_latched_rows_that_crossed(aws: Synthesised, file: str, table: str) -> None:
    crossed = change(KEYS[table], "MODIFY", {"latched": True, "origin": "another"})
    decides = {service.path("trigger") for service in CONTROL if service.latched}

    assert decides
    assert passes(crossed, filters(aws, file, table)) == (file in decides)


@streamed
def test_on_the_emulator_filters_do_not_ask_what_is_absent(
    aws: Synthesised, local: Synthesised, file: str, table: str
) -> None:
    assert '"exists": false' in json.dumps(filters(aws, file, table))
    assert '"exists": false' not in json.dumps(filters(local, file, table))
    removed = change(KEYS[table], "REMOVE", {"latched": True})
    assert passes(removed, filters(local, file, table)), "a trigger passes over it itself"


def test_each_service_keeps_its_failures_apart(aws: Synthesised) -> None:
    stores = {bucket_of(aws, file, table): file for file, table in STREAMED}

    assert sorted(stores.values()) == sorted({file for file, _ in STREAMED})


def test_no_stream_has_more_than_two_readers(aws: Synthesised) -> None:
    # DynamoDB throttles a third: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
    sources = [text(made["EventSourceArn"]) for made in aws.of_type("AWS::Lambda::EventSourceMapping").values()]

    readers = Counter(source for source in sources if source.endswith(".StreamArn"))

    assert max(readers.values()) <= 2


def filters(synthesised: Synthesised, file: str, table: str) -> list[dict[str, Any]]:
    return [json.loads(made["Pattern"]) for made in follows(synthesised, file, table)["FilterCriteria"]["Filters"]]


def change(keys: Keys, kind: str, row: dict[str, Any]) -> dict[str, Any]:
    """A record of the stream, of a row that has its key unless `row` says so."""
    typed = to_typed({**dict.fromkeys(keys.names, "x"), **row})
    image = "OldImage" if kind == "REMOVE" else "NewImage"
    return {"eventName": kind, "dynamodb": {"Keys": {name: typed[name] for name in keys.names}, image: typed}}


def passes(record: dict[str, Any], patterns: list[dict[str, Any]]) -> bool:
    return any(matches(record, pattern) for pattern in patterns)


def matches(record: dict[str, Any], pattern: dict[str, Any]) -> bool:
    """As Lambda's filters match, where leaves are compared and an absent parent means an absent leaf."""
    for key, wanted in pattern.items():
        found = record.get(key)
        if isinstance(wanted, dict):
            if not matches(found if isinstance(found, dict) else {}, wanted):
                return False
        elif not any(fits(found, one) for one in wanted):
            return False
    return True


def fits(found: object, wanted: object) -> bool:
    """As one alternative for a leaf; with the operators that AWS lists for Lambda, and no others that rules have."""
    is_leaf = isinstance(found, str | bool)
    match wanted:
        case {"exists": bool(expected)}:
            return is_leaf == expected
        case {"anything-but": [*others]}:
            return is_leaf and found not in others
        case str() | bool():
            return found == wanted
    raise NotImplementedError(f"Lambda's filters do not know {wanted}")
