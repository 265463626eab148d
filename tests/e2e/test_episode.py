"""Decisions of dispatch by itself, on the deployed stack."""

from functools import partial
from pathlib import Path
from typing import Any

from andon.runtime import times
from andon.tools.lake import lake_copy
from andon.tools.lake.lake_copy import LakeBucket
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.trace.__main__ import row_of_stack, trace_of
from andon.tools.trace.facts import TracedFacts
from andon.tools.trace.gathering import LakeFolder
from andon.tools.trace.readers import readers_of
from andon.tools.trace.text import lines_of
from andon.tools.views.deployed import here
from contract import groups
from demo import episode
from demo.people import EVA, ROSA
from tests.support.deployed.dead_press import MINUTE_MS, DeadPress

# A schedule comes each minute; what it has to do is due a few seconds after it arrived.


def _story(stack: Stack, equipment_id: str) -> list[dict[str, Any]]:
    items = stack.api(groups.OPERATOR).get(path_of("equipment", equipment_id, "episodes")).json["items"]
    return [entry for item in items for entry in item["story"]]


def test_the_schedule_by_itself_escalates_a_device_that_died_and_tells_that_it_is_silent(
    stack: Stack, dead_press: DeadPress
) -> None:
    # Before the other test of this file, which sweeps by hand.
    press, died_at = dead_press
    board = path_of("equipment", press, "board")

    assert eventually(lambda: len(_story(stack, press)) == 4)
    reported, assigned, escalated, silent = _story(stack, press)
    died_ms = times.to_ms(died_at)
    upon = [{"id": reported["id"], "type": "state-reported", "timestamp": died_ms}]
    assert (assigned["type"], assigned["operator"], assigned["triggers"]) == ("operator-assigned", EVA, upon)
    assert (escalated["type"], escalated["supervisor"], escalated["triggers"]) == ("state-escalated", ROSA, upon)
    assert escalated["at"] == times.to_utc(died_ms + 15 * MINUTE_MS)
    assert (silent["type"], silent["since"], silent["triggers"]) == ("equipment-silent", died_at, upon)
    assert silent["at"] == times.to_utc(died_ms + 30 * MINUTE_MS)
    to_response = {"state": "ERROR", "operator": EVA, "escalatedTo": ROSA, "silentSince": died_at}
    assert eventually(lambda: to_response.items() <= stack.api(groups.OPERATOR).get(board).json.items())


def test_whichever_fact_of_an_episode_is_asked_for_its_trace_is_the_same(
    stack: Stack, dead_press: DeadPress, tmp_path: Path
) -> None:
    # Behind the test that waits for the schedule.
    assert eventually(lambda: len(_story(stack, dead_press.id)) == 4)
    story = _story(stack, dead_press.id)
    lake = LakeBucket(stack.outputs[lake_copy.OUTPUT], stack.client("s3"), tmp_path)
    readers = partial(readers_of, row_of=row_of_stack(here(stack.outputs)))

    def traces() -> set[str]:
        folder = lake_copy.copy(lake)
        return {"\n".join(lines_of(trace_of({"ID": fact["id"]}, folder), readers)) for fact in story}

    def is_one_tree() -> bool:
        told, *others = traces()
        return not others and all(fact["id"] in told for fact in story) and "state_log (seen)" in told

    assert eventually(lambda: {fact["id"] for fact in story} <= _ids_in(lake))
    assert eventually(is_one_tree)


def _ids_in(lake: LakeBucket) -> set[str]:
    folder = LakeFolder(lake_copy.copy(lake))
    return {fact.id for fact in TracedFacts(line for _, line in folder.lines(folder.days))}


def test_the_episode_is_lived_through_as_it_is_written_down(stack: Stack) -> None:
    played = list(episode.live_through(stack, run=1))

    (one,) = played[-1].answer.body["items"]
    reports = [entry["id"] for entry in one["story"] if entry["type"] == "state-reported"]
    upon = {trigger["id"] for entry in one["story"] for trigger in entry.get("triggers", ())}
    assert len({entry["id"] for entry in one["story"]}) == len(one["story"]) == 11
    assert upon == set(reports[:-1])
