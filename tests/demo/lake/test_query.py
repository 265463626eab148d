import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import boto3
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from andon.stores.lake import queries
from andon.tools.lake import lake_copy, plots, query
from andon.tools.lake.engine import TextTable, to_text, write_csv
from andon.tools.lake.lake_copy import LakeBucket
from andon.tools.stack.api import ApiClient, HttpResponse
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


STRANGE = (
    "events/day=2026-10-06/hour=00/../../../../escaped.ndjson.gz",
    "events/../../escaped.ndjson.gz",
    "events//escaped.ndjson.gz",
    "events/day=2026-10-06/hour=00/deeper/escaped.ndjson.gz",
    "events/day=2026-10-06/hour=00/escaped\n.ndjson.gz",
    "events/day=../hour=00/escaped.ndjson.gz",
    "events/day=2026-10-06/hour=00/escaped",
    "events/day=2026-10-06/hour=00/.ndjson.gz",
)


def test_keys_of_another_form_lead_nowhere_and_are_counted(
    bucket: LakeBucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for key in STRANGE:
        bucket.s3.put_object(Bucket="lake", Key=key, Body=b"?")

    folder = lake_copy.copy(bucket)

    assert [file for file in tmp_path.rglob("*") if "escaped" in file.name] == []
    assert len([*folder.rglob("*.gz")]) == 40
    assert f"passed over {len(STRANGE)} objects of the lake with other keys, as 'events/" in capsys.readouterr().err


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


PEOPLE_SQL = """
    SELECT * FROM (VALUES
        ('op-17', 'op-17 to WARNING12, op-170, 1047', '1047', '1047', 'op-17'),
        ('op-99', '2026-11-21T10:17 op-17', NULL, '12', 'x')
    ) AS t(operator, what, supervisor, who, machine)
"""


class Directory:
    """Two people, and what was asked about; without a name nobody is known."""

    known: ClassVar = {"op-17": "Ana López", "1047": "Mia"}

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, ids: Sequence[str]) -> Mapping[str, str]:
        self.asked += ids
        return {one: name for one, name in self.known.items() if one in ids}


def test_a_terminal_shows_names_and_files_have_ids_unless_they_are_to_have_names(
    bucket: LakeBucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, directory = tmp_path / "answer.csv", Directory()
    query.answer({"SQL": PEOPLE_SQL, "CSV": str(file)}, lambda: bucket, directory)

    first, second = capsys.readouterr().out.splitlines()[-2:]
    assert "Ana López to WARNING12, op-170, 1047" in first, "a number in a sentence is a number"
    assert first.split()[-3:] == ["Mia", "Mia", "op-17"], "a machine is not a person"
    assert second.startswith("op-99")
    assert directory.asked == ["op-17", "op-170", "1047", "op-99", "12"], "each once"
    assert "Ana" not in file.read_text()

    query.answer({"SQL": PEOPLE_SQL, "CSV": str(file), "NAMES": "1"}, lambda: bucket, directory)

    assert file.read_text().splitlines()[1].startswith('Ana López,"Ana López to ')


def test_without_the_directory_a_terminal_shows_ids_and_a_file_of_names_is_not_written(
    bucket: LakeBucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def down(_ids: Sequence[str]) -> Mapping[str, str]:
        raise ToolFailed("names could not be looked up: 503")

    query.answer({"SQL": PEOPLE_SQL}, lambda: bucket, down)

    said = capsys.readouterr()
    assert "op-17 to WARNING12" in said.out
    assert "ids instead of names: names could not be looked up: 503" in said.err
    file = tmp_path / "answer.csv"
    with pytest.raises(ToolFailed, match="503"):
        query.answer({"SQL": PEOPLE_SQL, "CSV": str(file), "NAMES": "1"}, lambda: bucket, down)
    assert not file.exists()


def test_names_are_asked_of_the_api_a_hundred_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []

    def get(_self: ApiClient, path: str) -> HttpResponse:
        paths.append(path)
        items = [{"id": "op-1000", "name": "Ana"}, {"id": "op-1001", "erased": True}]
        return HttpResponse(200, {}, json.dumps({"items": items}).encode())

    monkeypatch.setattr(ApiClient, "get", get)
    badges = [f"op-{1000 + number}" for number in range(250)]

    assert query.by_api(lambda: ApiClient("http://x"))(badges) == {"op-1000": "Ana"}

    assert [path.count(",") + 1 for path in paths] == [100, 100, 50]
    assert paths[2].startswith("/people?ids=op-1200,")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{outside}/secret.txt')",
        "SELECT * FROM read_text('{copy}/../../secret.txt')",
        "SELECT * FROM glob('{outside}/*')",
        "COPY (SELECT 1) TO '{outside}/written.csv'",
        "EXPORT DATABASE '{outside}/written'",
        "ATTACH '{outside}/written.db'",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "INSTALL httpfs",
    ],
)
def test_a_query_reads_and_writes_in_the_copys_own_folder_only(bucket: LakeBucket, tmp_path: Path, sql: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    before = {file for file in tmp_path.glob("*") if file != bucket.copies}

    with pytest.raises(ToolFailed, match=r"Permission|Cannot change configuration"):
        query.ask(
            lake_copy.copy(bucket), queries.question(sql.format(outside=tmp_path, copy=bucket.copies / "lake")), {}
        )

    assert {file for file in tmp_path.glob("*") if file != bucket.copies} == before


def test_wrong_sql_says_what_is_wrong(bucket: LakeBucket) -> None:
    with pytest.raises(ToolFailed, match=r"the query failed: .*nothing"):
        ask(bucket, SQL="SELECT nothing FROM events")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"NAME": "storry"}, "did you mean story"),
        ({"NAME": "x"}, "there is availability, call_times, causes, duty_load, escalations_by_hour"),
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
def test_every_saved_query_has_a_picture(
    name: str, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "DOTS", 20)  # to fill them is half of the work, and nobody looks at these
    question, file = queries.saved(name), tmp_path / "answer.png"
    given = {"equipment": "press-gdl-1-1-1"} if name == "story" else {}
    values = question.values({**given, "until": "2026-10-06"})

    query.draw(name, question, values, query.ask(lake, question, values), file)

    assert file.read_bytes().startswith(PNG)
    assert set(PICTURES) == set(queries.names())


CELLS = st.text(st.sampled_from("=+-@\t\r\n ;,\"'\uff1dab1\ufeff\0"), max_size=6) | st.sampled_from(
    ["=HYPERLINK(1)", "+1-555", "-leaks", "@SUM(1)", "\t=1", " =1", "\uff1d1", "a;=1", "a\t=1", 'a";=1', "a\n=1"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(CELLS, min_size=1, max_size=3), number=st.integers() | st.floats() | st.none())
def test_no_cell_of_csv_is_a_formula_whatever_stands_between_cells_and_all_else_is_read_as_it_was(
    cells: list[str], number: float | None, tmp_path: Path
) -> None:
    file = tmp_path / "answer.csv"
    write_csv(TextTable([*cells, "number"], [(*cells, number)]), file)

    for delimiter in ",;\t":
        for row in csv.reader(io.StringIO(file.read_bytes().decode(), newline=""), delimiter=delimiter):
            starts = [cell.lstrip("\ufeff\0\t\r\n ")[:2] for cell in row]
            assert not [
                one for one in starts if one[:1] in {*"=+@\uff1d"} or (one[:1] == "-" and not one[1:].isdigit())
            ]
    with file.open(newline="", encoding="utf-8") as opened:
        _, row = csv.reader(opened)
    assert [cell.replace("'", "") for cell in row[:-1]] == [cell.replace("'", "") for cell in cells]
    assert row[-1].removeprefix("'") == ("" if number is None else str(number))


def test_a_table_for_a_person_is_cut_and_cannot_speak_to_the_terminal() -> None:
    rows: list[tuple[object, ...]] = [(1000 * number, "\x1b[31m", None) for number in range(100)]

    lines = to_text(TextTable(["number", "text", "none"], rows)).splitlines()

    assert lines[2].split() == ["0", "·[31m"]
    assert lines[61].startswith(" 59000")
    assert lines[-1] == "… and 40 more rows; CSV=file writes all"
