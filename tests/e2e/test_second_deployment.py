"""Deployments after the first one, of a small clone whose machine reports all the time: no fact and no table is lost.

One broken in the middle, which is rolled back; the same again, with a new fact and who subscribes to it; then one that
renames a package and removes another one.
"""

import json
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

import pytest

from andon.cdk.names import FIRST_STAGE, stack_of
from andon.events.group import unpacked
from andon.recorded.lake import EVENTS, lines_of
from andon.tools.listings import keys_in, rows_of
from andon.tools.ops.catch_up import Missed, catch_up
from andon.tools.stack import assets, deploy, emulator, users
from andon.tools.stack.api import path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import NESTED, outputs_of, resources_of, stacks_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.views.deployed import here
from tests.support.clone import Clone, clone

SYNTHESISE: Final = """
from andon.tools.stack import deploy, emulator, outputs
deploy.synthesise(outputs.HOME, emulator.running(outputs.HOME))
"""
STACK, DECLARES, TYPES = stack_of(FIRST_STAGE), "infra/stack.py", "functions/services/equipment/state.py"
LINE: Final = re.compile(r"        [A-Z]\w+\(self, .*\n")
TYPE, BEFORE = 'STATE_REPORTED: Final = "state-reported"', 'STATE_REPORTED: Final = "state-said"'
ALWAYS: Final = """\
        Service(self, "equipment", hub, api, stream_first=True)
        View(self, "board", hub, api)
        Lake(self, hub, api)
"""
REMOVED: Final = '        View(self, "agenda", hub, api)\n'
SUBSCRIBER: Final = '        View(self, "state_log", hub, api)\n'
RENAMED: Final = '        View(self, "zz_log", hub, api, formerly="state_log")\n'
TABLE: Final = "AWS::DynamoDB::Table"
MACHINE: Final = "press-of-the-second"
PAUSE_S: Final = 0.1


@dataclass(slots=True)
class SmallClone:
    """A clone on a stack of its own.

    queue: what is published of the new type. accepted, published: times of reports, the latter by that queue.
    """

    clone: Clone
    running: emulator.Emulator
    stack: Stack = field(init=False)
    queue: str = ""
    accepted: set[str] = field(default_factory=set)
    published: set[str] = field(default_factory=set)

    def synthesise(self, *lines: str) -> None:
        """Let the stack have these packages alone, with the code of now."""
        file = self.clone.root / DECLARES
        text = file.read_text()
        first = LINE.search(text)
        assert first
        bare = LINE.sub("", text)
        file.write_text(bare[: first.start()] + "".join(lines) + bare[first.start() :])
        self.clone.done("-c", SYNTHESISE)

    def deploy(self) -> None:
        """Deploy what was synthesised."""
        self.stack = Stack(deploy.deploy(self.clone.home, self.running))

    def deploy_broken(self) -> None:
        """Deploy what was synthesised, with a resource that fails when all others are there."""
        assembly = self.clone.home / "cdk.out"
        file = assembly / f"{STACK}.template.json"
        sound = file.read_text()
        resources = json.loads(sound)["Resources"]
        nested = [name for name, made in resources.items() if made["Type"] == NESTED]
        resources["Broken"] = {"Type": NESTED, "Properties": {"TemplateURL": "s3://nobody"}, "DependsOn": nested}
        file.write_text(json.dumps(json.loads(sound) | {"Resources": resources}))
        with pytest.raises(ToolFailed):
            deploy.deploy(self.clone.home, self.running)
        file.write_text(sound)
        # By its name, which is that of the sound one, it would not be uploaded again.
        s3, files = self.stack.client("s3"), json.loads((assembly / f"{STACK}.assets.json").read_text())["files"]
        [root] = [one for one in files.values() if one["source"]["path"] == file.name]
        for where in root["destinations"].values():
            s3.delete_object(Bucket=assets.BUCKET, Key=where["objectKey"])

    def listen(self) -> None:
        """Keep what is published of the new type, in an archive and in a queue."""
        events, sqs, bus = self.stack.client("events"), self.stack.client("sqs"), self.stack.outputs["BusName"]
        self.queue = sqs.create_queue(QueueName="published")["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        pattern = json.dumps({"source": ["equipment"], "detail-type": ["state-reported"]})
        events.put_rule(Name="published", EventBusName=bus, EventPattern=pattern)
        events.put_targets(Rule="published", EventBusName=bus, Targets=[{"Id": "queue", "Arn": arn}])
        events.create_archive(ArchiveName="kept", EventSourceArn=events.describe_event_bus(Name=bus)["Arn"])

    def read(self) -> set[str]:
        """Return the times of all reports that were published of the new type so far."""
        sqs = self.stack.client("sqs")
        while messages := sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                facts = unpacked(json.loads(message["Body"])["detail"])
                self.published |= {fact["state"]["timestamp"] for fact in facts}
                sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return {*self.published}

    def unseen(self) -> set[str]:
        """Return the times of reports that were published of the new type, and of which the view has no row."""
        return self.read() - {row["Date"]["S"] for row in self.rows()}

    def lost(self) -> set[str]:
        """Return the reports that were accepted and are not in the lake, under either type."""
        s3, bucket = self.stack.client("s3"), self.stack.outputs["LakeBucket"]
        bodies = (s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys_in(s3, bucket, f"{EVENTS}/"))
        facts = (json.loads(line)["detail"] for body in bodies for line in lines_of(body))
        return self.accepted - {fact["state"]["timestamp"] for fact in facts if "state" in fact}

    def orphans(self) -> set[str]:
        """Return the tables that no stack knows."""
        cloudformation, pages = self.stack.client("cloudformation"), self.stack.client("dynamodb").get_paginator
        known = {name for one in stacks_of(cloudformation, STACK) for name in resources_of(cloudformation, one, TABLE)}
        return {name for page in pages("list_tables").paginate() for name in page["TableNames"]} - known

    def outputs(self) -> dict[str, str]:
        """Return what is deployed, by the stacks."""
        return outputs_of(self.stack.client("cloudformation"), STACK)

    def steps(self) -> list[tuple[str, str]]:
        """Read the steps of all deployments, the first one first; to the emulator a new resource is updated, too."""
        pages = self.stack.client("cloudformation").get_paginator("describe_stack_events")
        events = [event for page in pages.paginate(StackName=STACK) for event in page["StackEvents"]]
        return [(event["LogicalResourceId"], event["ResourceStatus"]) for event in reversed(events)]

    def rows(self) -> list[dict[str, Any]]:
        """Read the whole view."""
        return [*rows_of(self.stack.client("dynamodb"), self.stack.outputs["StateLogTable"])]

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Let a machine report again and again; in the end each report that was accepted is in the lake."""
        over, api = threading.Event(), self.stack.api("admin")

        def report() -> None:
            while not over.is_set():
                at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                if (
                    api.put(path_of("equipment", MACHINE, "states", at), {"state": "ERROR"}).status
                    < HTTPStatus.BAD_REQUEST
                ):
                    self.accepted.add(at)
                over.wait(PAUSE_S)

        thread = threading.Thread(target=report, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
        assert eventually(lambda: not self.lost()), (len(self.lost()), len(self.accepted))


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallClone]:
    """Deployed once, when nobody knew of the fact, nor of who subscribes to it."""
    copy = clone(tmp_path_factory.mktemp("second"))
    copy.replace(TYPES, TYPE, BEFORE)
    made = SmallClone(copy, emulator.start(copy.home, emulator.free_port(), lifeline=True))
    try:
        deploy.bootstrap(made.running)
        made.synthesise(ALWAYS, REMOVED)
        made.deploy()
        users.ensure(made.stack.outputs)
        made.listen()
        copy.replace(TYPES, BEFORE, TYPE)
        made.synthesise(ALWAYS, REMOVED, SUBSCRIBER)
        yield made
    finally:
        emulator.stop(copy.home, made.running)


def test_a_deployment_that_breaks_in_the_middle_takes_its_new_table_away_again_and_loses_no_fact(
    deployed: SmallClone,
) -> None:
    before = deployed.outputs()

    with deployed.reporting():
        deployed.deploy_broken()

    steps = deployed.steps()
    assert steps.index(("StateLog", "UPDATE_COMPLETE")) < steps.index(("Broken", "UPDATE_FAILED"))
    assert steps[-1] == (STACK, "UPDATE_ROLLBACK_COMPLETE")
    assert deployed.outputs() == before
    assert deployed.orphans() == set()


def test_a_new_subscriber_has_each_of_the_new_facts_that_were_published_while_both_were_deployed(
    deployed: SmallClone,
) -> None:
    """The emulator deploys by name what waits for nothing: `Equipment`, which publishes, before `StateLog`."""
    begun, missed = len(deployed.steps()), deployed.read()

    with deployed.reporting():
        deployed.deploy()
        assert eventually(lambda: len(deployed.read() - missed) > 1 and deployed.unseen() <= missed)

    assert eventually(lambda: deployed.unseen() <= missed), len(deployed.unseen() - missed)
    steps = deployed.steps()[begun:]
    assert steps.index(("StateLog", "UPDATE_COMPLETE")) < steps.index(("Equipment", "UPDATE_IN_PROGRESS"))
    assert deployed.orphans() == set()


def test_what_a_subscriber_missed_comes_to_it_again_from_the_archive(deployed: SmallClone) -> None:
    dynamodb = deployed.stack.client("dynamodb")
    for row in deployed.rows():
        key = {name: row[name] for name in ("DeviceID", "State#Date")}
        dynamodb.delete_item(TableName=deployed.stack.outputs["StateLogTable"], Key=key)

    assert caught_up(deployed, "state_log").endswith("came to state_log again.")
    assert eventually(lambda: not deployed.unseen()), len(deployed.unseen())


def caught_up(deployed: SmallClone, view: str) -> str:
    """Bring a view what was published so far; return what the verb says."""
    now_ms = int(time.time() * 1000)
    missed = Missed(view, "equipment", 0, now_ms)
    return catch_up(here(deployed.stack.outputs), missed, now_ms=now_ms, pause=time.sleep)


def test_a_package_with_another_name_keeps_its_table_and_one_that_is_removed_leaves_none(deployed: SmallClone) -> None:
    """What waited in the queue of the former name comes again from the archive."""
    table, views = deployed.stack.outputs["StateLogTable"], deployed.clone.file("functions", "views")
    (views / "state_log").rename(views / "zz_log")
    for file in (views / "zz_log").rglob("*.py"):
        file.write_text(file.read_text().replace("views.state_log", "views.zz_log"))
    shutil.rmtree(views / "agenda")
    deployed.synthesise(ALWAYS, RENAMED)

    with deployed.reporting():
        deployed.deploy()

    assert deployed.stack.outputs["StateLogTable"] == table
    assert "ZzLogQueueUrl" in deployed.stack.outputs
    assert "AgendaTable" not in deployed.stack.outputs
    assert deployed.orphans() == set()
    caught_up(deployed, "zz_log")
    assert eventually(lambda: not deployed.unseen()), len(deployed.unseen())
