"""A view's next version, in a clone on a stack of its own: filled under live traffic, refused with a bug, switched."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from andon.recorded.archive import shard_of
from andon.tools.stack import audit, emulator, outputs
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from demo.people import LIZ
from tests.support.clone import Clone, with_next_version
from tests.support.deployed.steady_reads import SteadyReads

DEPLOY = """
from andon.tools.stack import outputs, redeploy
redeploy.deploy_all(outputs.HOME)
"""
KEPT = 'fields: BoardFields = {"Operator": assignment.text("operator"), "AssignedTo": log}'
SEEDED = 'fields: BoardFields = {"Operator": assignment.text("operator").upper(), "AssignedTo": log}'
VIEW = "functions/views/board_v2/view.py"
NOTHING = {"eventName": ["NONE"]}
"""The pattern of `andon.cdk.changes`, whose import takes two seconds: it loads the CDK."""

UNASKED = ("equipment2", "dispatch2", "anomalies", "maintenance", "planning", "calls", "notify")
"""Services that a cut-over of the board can do without; the others report, assign, and erase."""

MACHINES = [f"cutover-{number}" for number in range(4)]
STATES = ("WARNING1", "ERROR", "WARNING2")
READS = 500


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    """A clone with a bug in its `board_v2`, deployed without half of the services: each synth takes that much less."""
    clone = with_next_version("board", tmp_path_factory.mktemp("cutover"))
    for name in UNASKED:
        clone.replace("infra/stack.py", f'        Service(self, "{name}", hub, api)\n', "")
    clone.replace(VIEW, KEPT, SEEDED)
    running = emulator.start(clone.home, emulator.free_port(), lifeline=True)
    try:
        clone.done("-c", DEPLOY)
        yield clone
    finally:
        emulator.stop(clone.home, running)


@pytest.fixture(scope="module")
def stack(clone: Clone) -> Stack:
    stack = Stack(outputs.of_running_stack(clone.home))
    for machine in MACHINES:
        log = report(stack, machine, "WARNING1")
        path = path_of("equipment", machine, "logs", "WARNING1", log, "assignment")
        assert stack.api("supervisor").put(path, {"operator": LIZ}).status < 300
    return stack


def report(stack: Stack, machine: str, state: str) -> str:
    """Report a state; return its time."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    answer = stack.api("admin").put(path_of("equipment", machine, "states", at), {"state": state})
    assert answer.status < 300, answer
    return at


@contextmanager
def live(stack: Stack) -> Iterator[None]:
    """Let machines go on reporting."""
    over = threading.Event()

    def go_on() -> None:
        for number in range(1_000_000):
            if over.wait(0.5):
                return
            report(stack, MACHINES[number % len(MACHINES)], STATES[number // len(MACHINES) % len(STATES)])

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def erase(stack: Stack, person: str) -> None:
    """Write a name down, and erase it."""
    path = path_of("people", person)
    assert stack.api("supervisor").put(path, {"name": "Liz", "factoryId": "gdl-1"}).status < 300
    assert stack.api("privacy").request("DELETE", path).status == 204


def called_by_routes(stack: Stack) -> set[str]:
    """The versions of the board that integrations call."""
    gateway = stack.client("apigatewayv2")
    [api] = gateway.get_apis()["Items"]
    called = [one["IntegrationUri"] for one in gateway.get_integrations(ApiId=api["ApiId"])["Items"]]
    return {name for name in ("BoardV2", "Board") if any(f"-{name}-" in uri for uri in called)}


def silent_pushes(stack: Stack) -> set[str]:
    """The versions whose table is followed by a push that passes over all changes."""
    mappings = stack.client("lambda").list_event_source_mappings()["EventSourceMappings"]
    silent = [one["EventSourceArn"] for one in mappings if NOTHING in map(pattern_of, filters_of(one))]
    return {name for name in ("BoardTable", "BoardV2Table") if any(stack.outputs[name] in arn for arn in silent)}


def filters_of(mapping: dict[str, Any]) -> list[dict[str, str]]:
    filters: list[dict[str, str]] = mapping.get("FilterCriteria", {}).get("Filters", [])
    return filters


def pattern_of(made: dict[str, str]) -> object:
    return json.loads(made["Pattern"])


def wait_until_shown(stack: Stack) -> None:
    def is_shown() -> bool:
        answers = [stack.api("analyst").get(path_of("equipment", machine, "board")) for machine in MACHINES]
        return all(answer.status == 200 and "operator" in answer.json for answer in answers)

    assert eventually(is_shown)


def test_a_version_with_a_bug_is_refused_and_nothing_changes(clone: Clone, stack: Stack) -> None:
    wait_until_shown(stack)

    run = clone.python("-m", "andon.tools.cli", "cutover", "board")

    assert run.returncode == 1, run.stdout + run.stderr
    assert run.stderr.endswith("refused: nothing was changed\n")
    for machine in MACHINES:
        assert f"EquipmentID = {machine}: both have seen the same events" in run.stderr
    assert "    Operator\n        board: " in run.stderr
    assert "from dispatch operator-assigned of " in run.stderr
    assert clone.file("infra", "serving.json").read_text() == "{}\n"
    assert called_by_routes(stack) == {"Board"}
    assert silent_pushes(stack) == {"BoardV2Table"}


def test_a_version_that_is_filled_purged_midway_and_filled_again_serves_without_a_failed_read(
    clone: Clone, stack: Stack
) -> None:
    clone.replace(VIEW, SEEDED, KEPT)
    assert "functions of 1 packages have the code of now" in clone.done("-m", "andon.tools.stack.redeploy")

    erase(stack, LIZ)  # who is assigned: what replays and audits compare is as before
    with live(stack):
        replay = stack.api("admin").request("POST", "/replays", {"view": "board_v2", "rate": 20})
        assert replay.status == 202, replay
        stack.client("sqs").purge_queue(QueueUrl=stack.outputs["BoardV2QueueUrl"])
        clone.done("-m", "andon.tools.views.fill", "board")
        assert ": 0 differ" in clone.done("-m", "andon.tools.views.prove", "board")
        audited = audit.run(stack.outputs, {shard_of(machine) for machine in MACHINES})
        assert {counts["drift"] for counts in audited.values()} == {0}
        assert {"board", "state_log"} <= audited.keys()
        assert audited["board"]["rows"] == len(MACHINES)

        with SteadyReads(stack.api("analyst"), MACHINES) as reads:
            said = clone.done("-m", "andon.tools.views.cutover", "board")
            assert eventually(lambda: reads.reads >= READS)

    assert "board_v2 serves now" in said
    assert (reads.errors, reads.older) == ([], [])
    assert json.loads(clone.file("infra", "serving.json").read_text())["board"]["serves"] == "board_v2"
    assert called_by_routes(stack) == {"BoardV2"}
    assert silent_pushes(stack) == {"BoardTable"}
