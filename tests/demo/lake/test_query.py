import csv
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from andon.stores.lake import queries
from andon.tools.lake import lake_copy, query
from andon.tools.lake.lake_copy import LakeBucket
from andon.tools.lake.table import TextTable, to_text
from andon.tools.stack.errors import ToolFailed
from demo.lake.pictures import PICTURES

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def bucket(lake: Path, tmp_path: Path) -> Iterator[LakeBucket]:
    """The lake in a bucket, with something unreadable beside its events."""
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="lake")
        s3.put_object(Bucket="lake", Key="unreadable/1", Body=b"?")
        for file in sorted((lake / "events").rglob("*.gz"))[:40]:
            s3.put_object(Bucket="lake", Key=file.relative_to(lake).as_posix(), Body=file.read_bytes())
        yield LakeBucket("lake", s3, tmp_path / "copies")


def ask(lake: LakeBucket, **given: str) -> None:
    query.answer(given, lambda: lake)


def refused(**given: str) -> str:
    """Why a question is refused before any lake is looked for."""

    def no_lake() -> LakeBucket:
        raise AssertionError("a lake was looked for")

    with pytest.raises(ToolFailed) as reason:
        query.answer(given, no_lake)
    return str(reason.value)


def fetched(lake: LakeBucket) -> list[str]:
    """The keys that are read from now on."""
    keys: list[str] = []
    lake.s3.meta.events.register("before-parameter-build.s3.GetObject", lambda params, **_: keys.append(params["Key"]))
    return keys


def test_only_new_objects_are_copied(bucket: LakeBucket) -> None:
    keys = fetched(bucket)
    folder = lake_copy.copy(bucket)
    assert len(keys) == 40

    keys.clear()
    bucket.s3.put_object(Bucket="lake", Key="events/day=2026-10-06/hour=00/x.ndjson.gz", Body=b"new")
    lake_copy.copy(bucket)

    assert keys == ["events/day=2026-10-06/hour=00/x.ndjson.gz"]
    assert (folder / keys[0]).read_bytes() == b"new"


def test_an_object_that_was_replaced_under_its_key_is_copied_again(bucket: LakeBucket) -> None:
    folder = lake_copy.copy(bucket)
    [first, *_] = sorted(folder.rglob("*.ndjson.gz"))
    keys = fetched(bucket)

    bucket.s3.put_object(Bucket="lake", Key=first.relative_to(folder).as_posix(), Body=b"erased")
    lake_copy.copy(bucket)

    assert (first.read_bytes(), len(keys)) == (b"erased", 1)


def test_a_copy_that_was_broken_off_is_made_again(bucket: LakeBucket) -> None:
    folder = lake_copy.copy(bucket)
    [whole, *_] = sorted(folder.rglob("*.ndjson.gz"))
    whole.rename(whole.with_name(f"{whole.name}.part"))

    lake_copy.copy(bucket)

    assert whole.exists()
    assert len(list(folder.rglob("*.gz"))) == 40


def test_what_is_no_more_in_the_bucket_of_an_emulator_that_began_anew_goes_from_the_copy(bucket: LakeBucket) -> None:
    folder = lake_copy.copy(bucket)
    [first, *_] = sorted(folder.rglob("*.ndjson.gz"))

    bucket.s3.delete_object(Bucket="lake", Key=first.relative_to(folder).as_posix())
    lake_copy.copy(bucket)

    assert not first.exists()


def test_an_empty_lake_says_so(tmp_path: Path) -> None:
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="lake")
        with pytest.raises(ToolFailed, match="no events yet"):
            lake_copy.copy(LakeBucket("lake", s3, tmp_path))
        with pytest.raises(ToolFailed, match="could not be read"):
            lake_copy.copy(LakeBucket("another", s3, tmp_path))


def test_an_answer_is_printed_written_and_drawn(
    bucket: LakeBucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer, picture = tmp_path / "answer.csv", tmp_path / "answer.png"

    ask(bucket, NAME="availability", CSV=str(answer), PLOT=str(picture))

    lines = capsys.readouterr().out.splitlines()
    with answer.open(newline="") as file:
        rows = list(csv.reader(file))
    assert lines[0].split() == rows[0]
    assert len(lines) - 2 == len(rows) - 1 > 1
    assert picture.read_bytes().startswith(PNG)


def test_ones_own_sql_counts_doubled_lines_once_in_facts(
    bucket: LakeBucket, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(bucket, SQL="SELECT count(*) AS n, count(DISTINCT source || id) AS ids FROM facts;")
    facts, ids = capsys.readouterr().out.splitlines()[-1].split()

    ask(bucket, SQL="SELECT count(*) FROM events")
    [lines] = capsys.readouterr().out.splitlines()[-1].split()

    assert facts == ids
    assert int(facts) < int(lines)


def test_wrong_sql_says_what_is_wrong(bucket: LakeBucket) -> None:
    with pytest.raises(ToolFailed, match=r"the query failed: .*nothing"):
        ask(bucket, SQL="SELECT nothing FROM events")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"NAME": "storry"}, "did you mean story"),
        ({"NAME": "x"}, "there is availability, escalations_by_hour"),
        ({"NAME": "story"}, "equipment is missing"),
        ({"NAME": "story", "ARGS": "equipment"}, "not 'equipment'"),
        ({"NAME": "story", "ARGS": "equipment='"}, "ARGS could not be read"),
        ({"NAME": "operators", "ARGS": "day=1"}, "no parameter day; its parameters are since, until"),
        ({"NAME": "operators", "SQL": "SELECT 1"}, "not both"),
        ({"NAME": "operators", "PLOT": "a.txt"}, ".png"),
        ({"SQL": "SELECT 1", "PLOT": "a.png"}, "saved queries only"),
        ({"SQL": "SELECT 1", "CSV": "/no/such/folder/a.csv"}, "no folder"),
    ],
)
def test_what_cannot_be_asked_is_said_before_the_lake_is_read(given: dict[str, str], reason: str) -> None:
    assert reason in refused(**given)


def test_the_sql_is_shown_as_athena_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    query.answer({"NAME": "story", "ARGS": "equipment=press-7", "SHOW": "1"}, lambda: pytest.fail("a lake"))

    assert capsys.readouterr().out == f"{queries.saved('story').literal({'equipment': 'press-7'})};\n"


def test_without_a_question_all_that_is_saved_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert query.main({}) == 0

    listed = capsys.readouterr().out
    assert all(f"NAME={name}" in listed for name in queries.names())
    assert 'NAME=story ARGS="equipment=press-7"' in listed


@pytest.mark.parametrize("name", queries.names())
def test_every_saved_query_has_a_picture(name: str, lake: Path, tmp_path: Path) -> None:
    question, file = queries.saved(name), tmp_path / "answer.png"
    given = {"equipment": "press-gdl-1-1-1"} if name == "story" else {}
    values = question.values({**given, "until": "2026-10-06"})

    query.draw(name, question, values, query.ask(lake, question, values), file)

    assert file.read_bytes().startswith(PNG)
    assert set(PICTURES) == set(queries.names())


def test_a_table_for_a_person_is_cut_and_cannot_speak_to_the_terminal() -> None:
    rows: list[tuple[object, ...]] = [(1000 * number, "\x1b[31m", None) for number in range(100)]

    lines = to_text(TextTable(["number", "text", "none"], rows)).splitlines()

    assert lines[2].split() == ["0", "·[31m"]
    assert lines[61].startswith(" 59000")
    assert lines[-1] == "… and 40 more rows; CSV=file writes all"
