"""The second deployment of a small clone, while its machines report: no fact is lost on the way to who is new to it."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from andon.cdk.names import FIRST_STAGE, stack_of
from andon.events.group import unpacked
from andon.tools.ops.catch_up import Missed, catch_up
from andon.tools.stack import emulator, outputs
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.views.deployed import here
from tests.support.clone import Clone, clone

DEPLOY: Final = """
from andon.tools.stack import outputs, redeploy
redeploy.deploy_all(outputs.HOME)
"""
STACK, DECLARES, TYPES = stack_of(FIRST_STAGE), "infra/stack.py", "functions/services/equipment/state.py"
LINE: Final = re.compile(r"        [A-Z]\w+\(self, .*\n")
TYPE, BEFORE = 'STATE_REPORTED: Final = "state-reported"', 'STATE_REPORTED: Final = "state-said"'
OTHERS: Final = """\
        Service(self, "equipment", hub, api, stream_first=True)
        View(self, "board", hub, api)
"""
SUBSCRIBER: Final = '        View(self, "state_log", hub, api)\n'
RENAMED: Final = '        View(self, "zz_log", hub, api, formerly="state_log")\n'
MACHINE: Final = "press-of-the-second"
PAUSE_S: Final = 0.02


@dataclass(slots=True)
class SmallClone:
    """A clone on a stack of its own, and a queue for what is published of the new type."""

    clone: Clone
    queue: str = ""
    published: set[str] = field(default_factory=set)

    @property
    def stack(self) -> Stack:
        return Stack(outputs.of_running_stack(self.clone.home))

    def declare(self, *lines: str) -> None:
        """Let the stack have these packages alone."""
        file = self.clone.root / DECLARES
        text = file.read_text()
        first = LINE.search(text)
        assert first
        bare = LINE.sub("", text)
        file.write_text(bare[: first.start()] + "".join(lines) + bare[first.start() :])

    def listen(self) -> None:
        """Keep what is published of the new type, in an archive and in a queue."""
        events, sqs, bus = self.stack.client("events"), self.stack.client("sqs"), self.stack.outputs["BusName"]
        self.queue = sqs.create_queue(QueueName="published")["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        pattern = json.dumps({"source": ["equipment"], "detail-type": ["state-reported"]})
        events.put_rule(Name="published", EventBusName=bus, EventPattern=pattern)
        events.put_targets(Rule="published", EventBusName=bus, Targets=[{"Id": "queue", "Arn": arn}])
        events.create_archive(ArchiveName="kept", EventSourceArn=events.describe_event_bus(Name=bus)["Arn"])

    def has_all(self) -> bool:
        """Return True if the view has a row of each fact that was published."""
        sqs = self.stack.client("sqs")
        while messages := sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                facts = unpacked(json.loads(message["Body"])["detail"])
                self.published |= {fact["state"]["timestamp"] for fact in facts}
                sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return bool(self.published) and self.published <= {row["Date"]["S"] for row in self.rows()}

    def steps(self) -> list[tuple[str, str]]:
        """Read the steps of all deployments, the first one first; to the emulator a new resource is updated, too."""
        pages = self.stack.client("cloudformation").get_paginator("describe_stack_events")
        events = [event for page in pages.paginate(StackName=STACK) for event in page["StackEvents"]]
        ordered = sorted(events, key=lambda event: event["Timestamp"])
        return [(event["LogicalResourceId"], event["ResourceStatus"]) for event in ordered]

    def rows(self) -> list[dict[str, Any]]:
        """Read the whole view."""
        pages = self.stack.client("dynamodb").get_paginator("scan")
        table = self.stack.outputs["StateLogTable"]
        return [row for page in pages.paginate(TableName=table, ConsistentRead=True) for row in page["Items"]]

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Let a machine report again and again."""
        over, api = threading.Event(), self.stack.api("admin")

        def report() -> None:
            while not over.is_set():
                at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                api.put(path_of("equipment", MACHINE, "states", at), {"state": "ERROR"})
                over.wait(PAUSE_S)

        thread = threading.Thread(target=report, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallClone]:
    """Deployed once, when nobody knew of the fact, nor of who subscribes to it."""
    made = SmallClone(clone(tmp_path_factory.mktemp("second")))
    made.clone.replace(TYPES, TYPE, BEFORE)
    made.declare(OTHERS)
    running = emulator.start(made.clone.home, emulator.free_port(), lifeline=True)
    try:
        made.clone.done("-c", DEPLOY)
        made.listen()
        yield made
    finally:
        emulator.stop(made.clone.home, running)


def test_a_new_subscriber_has_each_of_the_new_facts_that_were_published_while_both_were_deployed(
    deployed: SmallClone,
) -> None:
    """The emulator deploys by name what waits for nothing: `Equipment`, which publishes, before `StateLog`."""
    deployed.clone.replace(TYPES, BEFORE, TYPE)
    deployed.declare(OTHERS, SUBSCRIBER)

    with deployed.reporting():
        deployed.clone.done("-c", DEPLOY)
        assert eventually(lambda: deployed.has_all() and len(deployed.published) > 1)

    assert eventually(deployed.has_all), len(deployed.published)
    steps = deployed.steps()
    assert steps.index(("StateLog", "UPDATE_COMPLETE")) < steps.index(("Equipment", "UPDATE_IN_PROGRESS"))


def test_what_a_subscriber_missed_comes_to_it_again_from_the_archive(deployed: SmallClone) -> None:
    dynamodb = deployed.stack.client("dynamodb")
    for row in deployed.rows():
        key = {name: row[name] for name in ("DeviceID", "State#Date")}
        dynamodb.delete_item(TableName=deployed.stack.outputs["StateLogTable"], Key=key)

    assert caught_up(deployed, "state_log").endswith("came to state_log again.")
    assert eventually(deployed.has_all), len(deployed.published)


def caught_up(deployed: SmallClone, view: str) -> str:
    """Bring a view what was published so far; return what the verb says."""
    now_ms = int(time.time() * 1000)
    missed = Missed(view, "equipment", 0, now_ms)
    return catch_up(here(deployed.stack.outputs), missed, now_ms=now_ms, pause=time.sleep)


def test_a_package_with_another_name_keeps_its_table_and_catches_up_with_what_waited_in_its_queue(
    deployed: SmallClone,
) -> None:
    table, views = deployed.stack.outputs["StateLogTable"], deployed.clone.file("functions", "views")
    (views / "state_log").rename(views / "zz_log")
    for file in (views / "zz_log").rglob("*.py"):
        file.write_text(file.read_text().replace("views.state_log", "views.zz_log"))
    deployed.declare(OTHERS, RENAMED)

    with deployed.reporting():
        deployed.clone.done("-c", DEPLOY)

    assert deployed.stack.outputs["StateLogTable"] == table
    assert "ZzLogQueueUrl" in deployed.stack.outputs
    caught_up(deployed, "zz_log")
    assert eventually(deployed.has_all), len(deployed.published)
