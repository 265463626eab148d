import json
from collections import Counter
from typing import Any

import pytest

from tests.infra.synthesised import SERVICES, Synthesised, declared_tables, text

STREAMED = [
    (f"services/{service.name}/trigger.py", name)
    for service in SERVICES
    for name, schema in declared_tables(service).items()
    if schema.stream
]
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
def test_a_batch_is_retried_until_just_before_the_stream_forgets_it(aws: Synthesised, file: str, table: str) -> None:
    mapping = follows(aws, file, table)

    assert mapping["MaximumRetryAttempts"] == -1
    assert mapping["MaximumRecordAgeInSeconds"] == 23 * 60 * 60
    assert mapping["BisectBatchOnFunctionError"] is True


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
    filters = [json.loads(made["Pattern"]) for made in follows(aws, file, table)["FilterCriteria"]["Filters"]]
    by_ttl = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}

    def passes(record: dict[str, Any]) -> bool:
        return any(matches(record, pattern) for pattern in filters)

    assert passes({"eventName": "INSERT"})
    assert passes({"eventName": "MODIFY"})
    assert passes({"eventName": "REMOVE"})
    assert passes({"eventName": "REMOVE", "userIdentity": None})
    assert not passes({"eventName": "REMOVE", "userIdentity": by_ttl})


@streamed
def test_what_a_trigger_gives_up_on_is_kept_whole_and_private(aws: Synthesised, file: str, table: str) -> None:
    resource = aws.resources[bucket_of(aws, file, table)]

    assert resource["Type"] == "AWS::S3::Bucket"
    assert resource["DeletionPolicy"] == "Retain"
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


def matches(record: dict[str, Any], pattern: dict[str, Any]) -> bool:
    """As Lambda's filters match, where leaves are compared and an absent parent means an absent leaf."""
    for key, wanted in pattern.items():
        found = record.get(key)
        if isinstance(wanted, dict):
            if not matches(found if isinstance(found, dict) else {}, wanted):
                return False
        elif wanted == [{"exists": False}]:
            if key in record:
                return False
        elif found not in wanted:
            return False
    return True
