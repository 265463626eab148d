"""Decisions of dispatch by itself, on the deployed stack."""

import time
from typing import Any

from andon.runtime import times
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from contract.locations import FIELDS
from demo import episode
from demo.people import EVA, ROSA

MINUTE_MS = 60_000
# A schedule comes each minute; what it has to do is due a few seconds after it arrived.
NEXT_SWEEP_S = 150


def _ago(minutes: int) -> str:
    return times.to_utc(int(time.time()) * 1000 - minutes * MINUTE_MS)


def _story(stack: Stack, equipment_id: str) -> list[dict[str, Any]]:
    items = stack.api(groups.OPERATOR).get(path_of("equipment", equipment_id, "episodes")).json["items"]
    return [entry for item in items for entry in item["story"]]


def test_the_episode_is_lived_through_as_it_is_written_down(stack: Stack) -> None:
    played = list(episode.live_through(stack, run=1))

    (one,) = played[-1].answer.body["items"]
    reports = [entry["id"] for entry in one["story"] if entry["type"] == "state-reported"]
    upon = {trigger["id"] for entry in one["story"] for trigger in entry.get("triggers", ())}
    assert len({entry["id"] for entry in one["story"]}) == len(one["story"]) == 11
    assert upon == set(reports[:-1])


def test_the_schedule_by_itself_escalates_a_device_that_died_and_tells_that_it_is_silent(stack: Stack) -> None:
    press, factory, time_of_death = "press-that-dies", "factory-of-the-dead", _ago(40)
    operator, supervisor = stack.api(groups.OPERATOR), stack.api(groups.SUPERVISOR)
    place = dict.fromkeys(FIELDS, "x")
    body = {"name": "press", "factoryId": factory, "lineId": "1", "location": place}
    board = path_of("equipment", press, "board")
    assert operator.put(path_of("equipment", press), body).status == 201
    roster = {"operators": [EVA], "supervisor": ROSA}
    assert supervisor.put(path_of("factories", factory, "roster"), roster).status == 201
    assert eventually(lambda: operator.get(board).status == 200, within_s=60)

    stack.api(groups.OPERATOR).put(path_of("equipment", press, "states", time_of_death), {"state": "ERROR"})

    assert eventually(lambda: len(_story(stack, press)) == 4, within_s=NEXT_SWEEP_S)
    reported, assigned, escalated, silent = _story(stack, press)
    died_ms = times.to_ms(time_of_death)
    upon = [{"id": reported["id"], "type": "state-reported", "timestamp": died_ms}]
    assert (assigned["type"], assigned["operator"], assigned["triggers"]) == ("operator-assigned", EVA, upon)
    assert (escalated["type"], escalated["supervisor"], escalated["triggers"]) == ("state-escalated", ROSA, upon)
    assert escalated["at"] == times.to_utc(died_ms + 15 * MINUTE_MS)
    assert (silent["type"], silent["since"], silent["triggers"]) == ("equipment-silent", time_of_death, upon)
    assert silent["at"] == times.to_utc(died_ms + 30 * MINUTE_MS)
    to_response = {"state": "ERROR", "operator": EVA, "escalatedTo": ROSA, "silentSince": time_of_death}
    assert eventually(lambda: to_response.items() <= operator.get(board).json.items(), within_s=60)
