import json
from collections import Counter
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.schema import Keys
from andon.packages.package import Package
from andon.rules.due import READ_SHARDS, Due, shard_of
from tests.support.infra.synthesised import CONTROL, KEPT, SERVICES, SWEPT, VIEWS, Synthesised, declared_tables, text


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
def test_a_trigger_misses_no_change_of_its_table(aws: Synthesised, file: str, table: str) -> None:
    assert follows(aws, file, table)["StartingPosition"] == "TRIM_HORIZON"


@streamed
def test_a_batch_is_retried_until_just_before_the_stream_forgets_it_or_nobody_needs_it(
    aws: Synthesised, file: str, table: str
) -> None:
    mapping = follows(aws, file, table)

    assert mapping["MaximumRetryAttempts"] == -1
    assert mapping["MaximumRecordAgeInSeconds"] == (PUSHED_WITHIN if (file, table) in PUSHED else 23 * 60 * 60)
    assert mapping["BisectBatchOnFunctionError"] is True


@streamed
def test_a_change_waits_for_others_for_a_second_but_on_the_emulator(
    aws: Synthesised, local: Synthesised, file: str, table: str
) -> None:
    assert follows(aws, file, table)["MaximumBatchingWindowInSeconds"] == 1
    assert "MaximumBatchingWindowInSeconds" not in follows(local, file, table)


@streamed
def test_partial_batch_responses_are_not_relied_upon(aws: Synthesised, file: str, table: str) -> None:
    assert "FunctionResponseTypes" not in follows(aws, file, table)


@streamed
def test_on_the_emulator_a_bad_record_blocks_its_stream_for_a_minute_only(
    local: Synthesised, file: str, table: str
) -> None:
    assert follows(local, file, table)["MaximumRecordAgeInSeconds"] == 60


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


@streamed
def test_a_mapping_has_no_more_filters_than_it_may(aws: Synthesised, file: str, table: str) -> None:
    assert len(filters(aws, file, table)) <= 5


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


@streamed
def test_what_a_trigger_gives_up_on_is_kept_whole_and_private(aws: Synthesised, file: str, table: str) -> None:
    resource = aws.resources[bucket_of(aws, file, table)]

    assert resource["Type"] == "AWS::S3::Bucket"
    assert resource["DeletionPolicy"] == KEPT
    assert "LifecycleConfiguration" not in resource["Properties"]
    assert set(resource["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    assert "AES256" in json.dumps(resource["Properties"]["BucketEncryption"])


@streamed
def test_a_failure_store_is_refused_without_tls(aws: Synthesised, file: str, table: str) -> None:
    [policy] = [
        made
        for made in aws.of_type("AWS::S3::BucketPolicy").values()
        if made["Bucket"] == {"Ref": bucket_of(aws, file, table)}
    ]

    [denied] = [made for made in policy["PolicyDocument"]["Statement"] if made["Effect"] == "Deny"]
    assert denied["Action"] == "s3:*"
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


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
