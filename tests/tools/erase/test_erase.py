"""`make erase` over the real handlers: nobody is mentioned any more, nothing else changed, and nobody heard of it."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.dynamodb.attribute_values import to_plain
from andon.testing.drift import look
from andon.testing.lambda_events import rule_message
from andon.testing.loop import Loop
from andon.testing.memory.hook import Call
from andon.tools.erase.erase import ErasureOrder, run
from andon.tools.stack.errors import ToolFailed
from andon.versions.optimistic_lock import digest_of
from tests.support import erasing
from tests.support.erasing import ALSO, BOARD, DEAD_LETTERS, ID, NAME, STATE_LOG, Users, everything_of
from tests.support.services.versions import equipment

AGAIN: Final = ErasureOrder(ID, again=True)
ENCODED: Final = re.compile(r'body\\*": ?\\*"([\w+/]+=*)')
MENTION: Final = re.compile(r"Ana\b(?!\u0301)|Anita|Mu(ñ|n\u0303|\\+u00f1)oz")
NAMES: Final = frozenset({"PEOPLE_TABLE"})
TEXTS: Final = ("name", "detail", "notes")


@pytest.fixture(scope="module")
def of_module() -> Iterator[tuple[Loop, erasing.Everything]]:
    with erasing.factory() as loop:
        erasing.plant(loop)
        yield loop, everything_of(loop)


@pytest.fixture
def loop(of_module: tuple[Loop, erasing.Everything]) -> Loop:
    """A factory in which a person is mentioned everywhere."""
    loop, planted = of_module
    erasing.put_back(loop, planted)
    return loop


def texts_of(loop: Loop) -> dict[str, str]:
    """Return all that is stored, but where names belong, as text; with the keys of objects."""
    tables = {
        f"{name} {key} {sort}": json.dumps(row, ensure_ascii=False)
        for name, table in loop.tables.items()
        if name not in NAMES
        for key, rows in table.partitions.items()
        for sort, row in rows.items()
    }
    return tables | {
        f"{name} {key}": (gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body).decode()
        for name, bucket in loop.store.items()
        for key, body in bucket.bodies.items()
    }


def legible(text: str) -> str:
    """Return a text with what it has in Base64 beside it."""
    return "\n".join([text, *(base64.b64decode(one).decode("latin-1") for one in ENCODED.findall(text))])


def mentioning(loop: Loop) -> set[str]:
    return {place for place, text in texts_of(loop).items() if MENTION.search(legible(text))}


def test_every_kind_of_store_mentions_them_before_and_none_does_after(loop: Loop) -> None:
    before = mentioning(loop)
    assert {place.split("-")[0] for place, text in texts_of(loop).items() if ENCODED.search(text)} == {"faults", "lake"}
    assert {place.split(" ")[0] for place in before} >= {
        "EQUIPMENT_TABLE",
        "EQUIPMENT_HISTORY_TABLE",
        "STATE_LOG_TABLE",
        "BOARD_TABLE",
        "DISPATCH_TABLE",
        "lake-bucket",
        "archive-bucket",
        "faults-bucket",
        "drift-bucket",
        "failures",
    }

    erasing.erase(loop)

    assert mentioning(loop) == set()


def test_only_what_mentioned_them_is_changed_and_of_it_only_that(loop: Loop) -> None:
    before, mentioned = texts_of(loop), mentioning(loop)

    erasing.erase(loop)

    after = texts_of(loop)
    untouched = {place: text for place, text in before.items() if place not in mentioned and "archive" not in place}
    [gone] = [place for place in untouched if place not in after and "ids/" not in place]
    assert gone == f"ERASURES_TABLE Placed#{ID} "
    del untouched[gone]
    assert {place: after.get(place) for place in untouched if "ids/" not in place} == {
        place: text for place, text in untouched.items() if "ids/" not in place
    }
    row = next(row for row in loop.rows("EQUIPMENT_TABLE") if row["sk"] == "v0_Audit#belt")
    assert row["notes"] == f'"{ID}" said: C:\\{ID}\nAnastasia, too'
    assert [row["detail"] for row in loop.rows("EQUIPMENT_TABLE") if "detail" in row] == [
        f"{ID}\nsaw Anaís; ask {ID}",
        "Anaís saw nothing",
    ]


def test_nothing_is_published_but_that_they_were_erased(loop: Loop) -> None:
    erasing.erase(loop)

    assert [event["detail-type"] for event in loop.run()] == ["person-erased"]
    assert mentioning(loop) == set()


def test_rows_are_still_what_their_events_make_of_them_and_the_archive_is_written_again(loop: Loop) -> None:
    erasing.erase(loop)
    loop.run()

    loop.invoke(erasing.ARCHIVE, "sweep", {})

    assert [look(loop, view) for view in (BOARD, STATE_LOG)] == [[], []]
    answer = loop.request(
        "GET /archive/equipment/{id}", path={"id": "press-7"}, query={"from": "2019-01-01", "to": "2021-01-01"}
    )
    assert f"{ID}'s press" in json.dumps(answer.body)


def test_no_digest_is_one_of_the_name(loop: Loop) -> None:
    """Whoever knows a row but the name computes the digests of it with each name, and compares."""
    rows = [row for table in ("EQUIPMENT_TABLE", "EQUIPMENT_HISTORY_TABLE") for row in loop.rows(table)]
    mentioned = [row for row in rows if MENTION.search(json.dumps(row, ensure_ascii=False))]
    guessed = {row[name] for row in mentioned for name in ("digest", "fingerprint") if name in row}
    faults = {key.partition("-")[2] for key in loop.store["faults-bucket"].bodies if key.startswith("ids/")}
    ids = {key.rpartition("/")[2].removesuffix(".json") for key in loop.store["faults-bucket"].bodies if "ids/" in key}
    drifts = {key.rpartition("/")[2][9:].removesuffix(".json") for key in loop.store["drift-bucket"].bodies}
    assert len(guessed) >= 4
    assert (len(ids), len(drifts)) == (2, 1), faults

    erasing.erase(loop)

    everywhere = texts_of(loop)
    left = {one for one in guessed | ids | drifts for place, text in everywhere.items() if one in text or one in place}
    assert left == set()


def test_the_digest_of_a_current_row_is_that_of_what_is_left(loop: Loop) -> None:
    erasing.erase(loop)

    [row] = [row for row in loop.rows("EQUIPMENT_TABLE") if (row["pk"], row["sk"]) == ("Equipment#press-7", "Metadata")]
    content = {name: row[name] for name in ("name", "factoryId", "lineId", "location")}
    assert (row["digest"], row["fingerprint"], row["latched"]) == (digest_of(content), "erased", True)


def test_a_day_is_in_no_archive_while_its_objects_are_replaced_or_a_repair_would_write_the_name_back(
    loop: Loop,
) -> None:
    replaced: list[str] = []

    def see(call: Call) -> None:
        key = call.request.get("Key", "")
        if call.operation == "PutObject" and str(key).startswith("events/day="):
            replaced.append(str(key))
            day = str(key).split("/")[1]
            assert not [one for one in loop.store["archive-bucket"].bodies if day in one]

    with erasing.seen(loop, see):
        erasing.erase(loop)

    assert replaced


def test_what_others_write_meanwhile_stays_and_is_erased_as_well(loop: Loop) -> None:
    table = loop.tables["EQUIPMENT_TABLE"]
    changed: list[str] = []

    def meddle(call: Call) -> None:
        if call.operation == "UpdateItem" and call.request["TableName"] == table.name and not changed:
            row = table.row(call.request["Key"])
            changed.append(row["sk"]["S"] if row else "")
            other = {name: {"S": f"{value['S']}, and Ana"} for name, value in (row or {}).items() if name in TEXTS}
            table.write("Put", {"Item": {**(row or {}), **other}})

    with erasing.seen(loop, meddle):
        erasing.erase(loop)

    [row] = [row for row in loop.rows("EQUIPMENT_TABLE") if row["sk"] == changed[0] and "press-7" in row["pk"]]
    assert any(str(row.get(name, "")).endswith(f", and {ID}") for name in TEXTS)
    assert mentioning(loop) == set()


def both_passes(loop: Loop) -> None:
    found = erasing.erasing(loop).table.find(ID)
    if not found or "sweptAt" not in found:
        erasing.erase(loop)
    erasing.erase(loop, AGAIN, days=1)


def test_the_proof_counts_by_store_and_has_no_name(loop: Loop) -> None:
    erasing.erase(loop)

    *_, last = erasing.erase(loop, AGAIN, days=1)

    [(key, body)] = [(k, b) for k, b in loop.store["lake-bucket"].bodies.items() if k.startswith("erasures/")]
    proof = json.loads(body)
    assert key in last
    assert key.startswith(f"erasures/{ID}/")
    assert (proof["before"]["BoardTable"]["found"], proof["after"]["BoardTable"]["found"]) == (1, 0)
    assert sum(one["found"] for one in proof["after"].values()) == 0
    assert proof["before"].keys() == proof["after"].keys()
    everything = json.dumps(
        [to_plain(row) for table in loop.tables.values() for row in table.rows()], ensure_ascii=False
    )
    assert not MENTION.search(f"{everything}{body.decode()}{last}")


def test_the_second_pass_is_refused_before_a_day_is_over_and_erases_what_came_since(loop: Loop) -> None:
    with pytest.raises(ToolFailed, match="was not made"):
        erasing.erase(loop, AGAIN)
    erasing.erase(loop)
    late = next(iter(loop.store["lake-bucket"].bodies.values()))
    loop.store["lake-bucket"].bodies["events/day=2020-04-28/hour=00/late.ndjson.gz"] = gzip.compress(b'{"a":"Ana"}\n')

    with pytest.raises(ToolFailed, match="second pass is made from 2020-04-29T00:00:00"):
        erasing.erase(loop, AGAIN, days=0.99)
    lines = erasing.erase(loop, AGAIN, days=1)

    assert "LakeBucket: 1 mentions came since" in lines
    assert mentioning(loop) == set()
    assert late


SAID = json.dumps({"detail": "Anita\n"})
IN_BASE64 = rule_message(SAID.encode(), topic="Andon/equipment/Andon:1/state", client="Andon:1", at_ms=0)


@pytest.mark.parametrize("body", [SAID, IN_BASE64, erasing.BY_A_MACHINE])
def test_it_does_not_finish_while_a_dead_letter_mentions_them_and_keeps_the_names(loop: Loop, body: str) -> None:
    erasing.erase(loop)
    stores = erasing.erasing(loop).stores
    stores.clients.sqs.send_message(QueueUrl=DEAD_LETTERS, MessageBody=body)

    with pytest.raises(ToolFailed, match=f"{DEAD_LETTERS}: 1"):
        erasing.erase(loop, AGAIN, days=1)
    loop.queues.clear()
    erasing.erase(loop, AGAIN, days=1)

    assert erasing.erasing(loop).table.find(ID).keys() & {"names", "finishedAt"} == {"finishedAt"}  # type: ignore[union-attr]


def test_a_dry_run_counts_and_changes_nothing(loop: Loop) -> None:
    before = everything_of(loop)

    lines = erasing.erase(loop, ErasureOrder(ID, ALSO, dry_run=True))

    assert everything_of(loop) == before
    assert "BoardTable: 1 mentions" in lines
    assert not MENTION.search("".join(lines))


def test_an_id_with_the_name_in_it_stays_whole_everywhere_and_is_counted(loop: Loop) -> None:
    path = {"id": "press-Ana", "timestamp": "2020-04-27T10:00:00.000Z"}
    body = {"state": "ERROR", "detail": "Ana at press-Ana"}
    loop.request("PUT /equipment/{id}/states/{timestamp}", path=path, body=body)
    loop.run()

    lines = erasing.erase(loop)
    loop.run()

    assert any("which stay" in line for line in lines)
    said = [row["Detail"] for row in loop.rows("STATE_LOG_TABLE") if row["DeviceID"] == "press-Ana"]
    assert said == [f"{ID} at press-Ana"]
    assert [look(loop, view) for view in (BOARD, STATE_LOG)] == [[], []]


def reported(loop: Loop, equipment_id: str, detail: str) -> None:
    path = {"id": equipment_id, "timestamp": "2020-04-27T11:00:00.000Z"}
    loop.request("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": "ERROR", "detail": detail})
    loop.run()


def test_a_report_that_has_a_name_as_its_id_hinders_no_erasure_and_stays_as_an_id(loop: Loop) -> None:
    reported(loop, "Ana", "Ana was here")
    reported(loop, "press-7", "Ana")

    lines = erasing.erase(loop)
    reported(loop, "Anita", "Anita, too")
    erasing.erase(loop, AGAIN, days=1)
    loop.run()

    rows = loop.rows("STATE_LOG_TABLE")
    assert any("in ids and names of members, which stay" in line for line in lines)
    assert {row["Detail"] for row in rows if row["DeviceID"] in {"Ana", "Anita"}} == {f"{ID} was here", f"{ID}, too"}
    assert ID in {row["Detail"] for row in rows if row["DeviceID"] == "press-7"}
    assert [look(loop, view) for view in (BOARD, STATE_LOG)] == [[], []]


def test_a_name_that_is_a_registered_id_is_refused_or_kept_as_an_id_alone(loop: Loop) -> None:
    loop.request("PUT /equipment/{id}", path={"id": "Ana"}, body=equipment("Ana's press"))
    reported(loop, "Ana", "Ana was here")
    before = everything_of(loop)

    with pytest.raises(ToolFailed, match=r"an id is called Ana: .*KEEP_IDS=1"):
        erasing.erase(loop)
    assert everything_of(loop) == before
    erasing.erase(loop, ErasureOrder(ID, ALSO, keep_ids=True))
    loop.run()
    [*_, last] = erasing.erase(loop, AGAIN, days=1)

    rows = {row["sk"][:8]: row for row in loop.rows("EQUIPMENT_TABLE") if row["pk"] == "Equipment#Ana"}
    assert {row["equipmentId"] for row in rows.values() if "equipmentId" in row} == {"Ana"}
    assert rows["Metadata"]["name"] == f"{ID}'s press"
    assert rows["2020-04-"]["detail"] == f"{ID} was here"
    proof = json.loads(loop.store["lake-bucket"].bodies[last.rpartition(" ")[2]])
    assert sum(one["found"] for one in proof["after"].values()) == 0
    assert proof["after"]["LakeBucket"]["kept"] > 0
    assert [look(loop, view) for view in (BOARD, STATE_LOG)] == [[], []]


@pytest.mark.parametrize(
    ("also", "why"), [(("A",), "no name"), (("-Ana",), "no name"), (("press-7",), "an id is called press-7")]
)
def test_what_would_change_other_things_is_refused_before_anything_is_written(
    loop: Loop, also: tuple[str, ...], why: str
) -> None:
    before = everything_of(loop)

    with pytest.raises(ToolFailed, match=why):
        erasing.erase(loop, ErasureOrder(ID, also))

    assert everything_of(loop) == before


def test_a_person_whose_name_is_gone_is_looked_for_by_the_names_that_are_given(loop: Loop) -> None:
    loop.request("DELETE /people/{id}", path={"id": ID})
    with pytest.raises(ToolFailed, match="no name of"):
        erasing.erase(loop, ErasureOrder(ID))

    erasing.erase(loop, ErasureOrder(ID, (NAME, *ALSO)))

    assert mentioning(loop) == set()


def test_a_name_that_somebody_remembers_later_is_swept_in_another_pass(loop: Loop) -> None:
    erasing.erase(loop, ErasureOrder(ID))
    assert mentioning(loop)

    erasing.erase(loop)

    assert mentioning(loop) == set()
    assert set(erasing.erasing(loop).table.find(ID)["names"]) == {NAME, *ALSO}  # type: ignore[index]


def test_the_user_is_signed_out_and_deleted_and_others_stay(loop: Loop) -> None:
    users = Users({ID: "ana", "other": "liz"})

    lines: list[Any] = [*run(erasing.erasing(loop, users), ErasureOrder(ID, ALSO))]

    assert (users.names, users.signed_out) == ({"other": "liz"}, ["ana"])
    assert "The user is signed out and deleted." in lines


def test_killed_before_any_write_and_run_again_the_same_bytes_are_left(loop: Loop) -> None:
    with erasing.left_by_the_killed(loop) as left:
        both_passes(loop)
    whole = everything_of(loop)

    assert left
    for number, (operation, there) in enumerate(left, 1):
        erasing.put_back(loop, there)
        both_passes(loop)
        assert everything_of(loop) == whole, f"write {number}, {operation}"
