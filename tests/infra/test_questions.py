"""The table, the work group and the saved queries of Athena: the same SQL over the same columns as on this machine."""

import gzip
import json
from pathlib import Path

import pytest
import sqlglot

from andon.stores.lake import queries
from andon.stores.lake.batch import key_of
from andon.testing.synthesised import Properties, Synthesised, listed, text
from andon.tools.lake.engine import connect


def table(aws: Synthesised) -> Properties:
    [made] = aws.of_type("AWS::Glue::Table").values()
    found: Properties = made["TableInput"]
    return found


def named_columns(aws: Synthesised) -> dict[str, str]:
    made = table(aws)
    columns = [*made["StorageDescriptor"]["Columns"], *made["PartitionKeys"]]
    return {column["Name"]: column["Type"] for column in columns}


def test_the_table_has_the_columns_that_duckdb_reads(aws: Synthesised, tmp_path: Path) -> None:
    lake_with({"id": "1", "source": "equipment", "detail-type": "x", "time": "2026-11-21T09:35:00Z"}, tmp_path)

    read = connect(tmp_path).execute("DESCRIBE events").fetchall()

    assert {name: {"VARCHAR": "string"}[kind] for name, kind, *_ in read} == named_columns(aws)


def test_members_of_the_envelope_that_are_no_names_of_columns_are_mapped(aws: Synthesised, tmp_path: Path) -> None:
    properties = table(aws)["StorageDescriptor"]["SerdeInfo"]["Parameters"]
    envelope = {"id": "1", "source": "equipment", "detail-type": "x", "time": "2026-11-21T09:35:00Z"}
    lake_with(envelope, tmp_path)

    cursor = connect(tmp_path).execute("SELECT id, source, detail_type, time, detail, day, hour FROM events")

    assert cursor.fetchone() == ("1", "equipment", "x", "2026-11-21T09:35:00Z", '{"aB":1}', "2026-11-21", "09")
    assert properties["mapping.detail_type"] == "detail-type"
    assert properties["case.insensitive"] == "FALSE"  # or aB would become ab


def test_partitions_are_computed_and_are_the_folders_of_the_lake(aws: Synthesised) -> None:
    made = table(aws)
    template = text(made["Parameters"]["storage.location.template"])

    key = key_of([{"id": "1", "source": "s", "detail-type": "t", "time": "2026-11-21T09:35:00Z"}])
    folder = template.replace("${day}", "2026-11-21").replace("${hour}", "09")
    assert f"{folder}093500-".endswith(key.partition("093500-")[0] + "093500-")
    assert text(made["StorageDescriptor"]["Location"]) == f"s3://{aws.output('LakeBucket')}/events/"
    assert "09" in made["Parameters"]["projection.hour.values"].split(",")
    assert made["Parameters"]["projection.enabled"] == "true"
    assert made["Parameters"]["projection.day.range"].endswith(",NOW")
    assert [column["Name"] for column in made["PartitionKeys"]] == ["day", "hour"]


def test_a_work_group_limits_what_a_query_reads_and_where_answers_go(aws: Synthesised) -> None:
    [made] = aws.of_type("AWS::Athena::WorkGroup").values()
    settings = made["WorkGroupConfiguration"]

    assert settings["EnforceWorkGroupConfiguration"]
    assert 0 < settings["BytesScannedCutoffPerQuery"] <= 10**12
    assert settings["ResultConfiguration"]["EncryptionConfiguration"] == {"EncryptionOption": "SSE_S3"}
    answers = text(settings["ResultConfiguration"]["OutputLocation"]).removeprefix("s3://").removesuffix("/")
    [rule] = aws.resources[answers]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert rule["ExpirationInDays"] == 30
    assert answers != aws.output("LakeBucket")


def test_whoever_may_ask_reads_the_lakes_events_and_writes_answers_only(aws: Synthesised) -> None:
    [policy] = [one for one in aws.of_type("AWS::IAM::ManagedPolicy").values() if not one.get("Roles")]
    [group] = aws.of_type("AWS::Athena::WorkGroup").values()
    answers = text(group["WorkGroupConfiguration"]["ResultConfiguration"]["OutputLocation"])[5:-1]
    granted = {
        (action, text(resource))
        for statement in policy["PolicyDocument"]["Statement"]
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    }

    on_lake = {(action, on) for action, on in granted if on.startswith(aws.output("LakeBucket"))}
    assert on_lake == {
        ("s3:GetObject", f"{aws.output('LakeBucket')}.Arn/events/*"),
        ("s3:GetBucketLocation", f"{aws.output('LakeBucket')}.Arn"),
        ("s3:ListBucket", f"{aws.output('LakeBucket')}.Arn"),
    }
    assert {on for action, on in granted if action == "s3:PutObject"} == {f"{answers}.Arn/*"}
    assert all(on != "*" for _, on in granted)
    assert not [action for action, _ in granted if action.startswith("glue:") and not action.startswith("glue:Get")]


def test_the_saved_queries_are_those_of_this_machine_and_parse_as_trino(aws: Synthesised) -> None:
    made = {one["Name"]: one for one in aws.of_type("AWS::Athena::NamedQuery").values()}

    assert sorted(made) == queries.names()
    for name, one in made.items():
        assert one["QueryString"] == queries.saved(name).literal({"equipment": "press-7"} if name == "story" else {})
        assert (
            len(one["QueryString"].encode()) < 262_144
        )  # https://docs.aws.amazon.com/athena/latest/ug/service-limits.html
        sqlglot.parse_one(one["QueryString"], read="trino")


def test_the_emulator_has_no_athena(local: Synthesised) -> None:
    assert not [made for made in local.resources.values() if made["Type"].startswith(("AWS::Athena", "AWS::Glue"))]


@pytest.mark.parametrize("name", ["LakeWorkGroup", "LakeDatabaseName", "AskLakePolicyArn"])
def test_people_find_where_to_ask_in_the_outputs(aws: Synthesised, name: str) -> None:
    assert name in aws.outputs


def lake_with(envelope: dict[str, str], folder: Path) -> None:
    file = folder / "events" / "day=2026-11-21" / "hour=09" / "093500-1.ndjson.gz"
    file.parent.mkdir(parents=True)
    line = json.dumps({**envelope, "detail": {"aB": 1}}, separators=(",", ":"))
    file.write_bytes(gzip.compress(f"{line}\n".encode()))
