"""The stack that is looked at: people who can be reached, what they are asked, and what is said of it."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final, Self

from andon.dynamodb.attribute_values import to_typed
from andon.events.group import unpacked
from andon.runtime import times
from andon.runtime.json_types import JsonObject
from andon.tools.stack.stack import Stack
from lab.attack.report import Record
from lab.telling.providers import Providers
from services.notify.contact import PLACES, address_of
from services.notify.contacts_table import CONTACT, KEYS, VERIFIED
from services.notify.tables import partition_of

ENTRIES: Final = 10  # of a request, on the bus
PUTS: Final = 25  # of a request, in DynamoDB
QUEUE: Final = "what-is-said"
HEARD: Final = ("person-told", "delivery-failed", "state-acknowledged")
SENDER: Final = "services/notify/sender"
RENEWED: Final = "RENEWED"
CONTACTS: Final = "ContactsTable"  # of the stack's outputs: it alone has addresses


class Target(AbstractContextManager["Target"]):
    """A local stack, whose sender calls these providers from the beginning of the block to its end."""

    def __init__(self, stack: Stack, providers: Providers, record: Record) -> None:
        self.stack, self.providers, self.record = stack, providers, record
        self._facts: dict[str, JsonObject] = {}
        self.addresses = set[str]()
        self._before: dict[str, str] = {}

    def __enter__(self) -> Self:
        functions, name = self.stack.client("lambda"), self.function_of(SENDER)
        self._before = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        self.configure()
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self._set(self._before)
        bus, name = self.stack.client("events"), self.stack.outputs["BusName"]
        bus.remove_targets(Rule=QUEUE, EventBusName=name, Ids=["1"])
        bus.delete_rule(Name=QUEUE, EventBusName=name)
        self.stack.client("sqs").delete_queue(QueueUrl=self._queue)

    def function_of(self, file: str) -> str:
        """Return the name of the function of a handler's file."""
        return str(self._functions[file]["FunctionName"])

    def renew(self, file: str) -> None:
        """Let a function begin anew, in other processes than those that there are."""
        functions, name = self.stack.client("lambda"), self.function_of(file)
        known = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        variables = {**known, RENEWED: str(time.time_ns())}
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": variables})

    def configure(self, **variables: str) -> None:
        """Let the sender's environment be that of the stage and of the providers, and some more."""
        self._set({**self._before, **self.providers.environment, **variables})

    def reach(self, person: str, **addresses: str) -> None:
        """Let people be reached at an address of each channel, which are verified, and tried in this order."""
        self.reach_all({person: addresses})

    def reach_all(self, people: Mapping[str, Mapping[str, str]]) -> None:
        """Let people be reached, see `reach`."""
        self.addresses |= {address.removeprefix("https://") for each in people.values() for address in each.values()}
        rows = [row for person, addresses in people.items() for row in _rows(person, addresses)]
        table, database = self.stack.outputs[CONTACTS], self.stack.client("dynamodb")
        for some in _parts(rows, PUTS):
            database.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": to_typed(row)}} for row in some]})

    def ask(self, events: Sequence[JsonObject]) -> None:
        """Put requests for help on the bus, as dispatch does."""
        bus = self.stack.client("events")
        for some in _parts(events, ENTRIES):
            entries = [
                {
                    "EventBusName": self.stack.outputs["BusName"],
                    "Source": "dispatch",
                    "DetailType": event["type"],
                    "Detail": json.dumps(event),
                }
                for event in some
            ]
            refused = bus.put_events(Entries=entries)["FailedEntryCount"]
            if refused:
                raise RuntimeError(f"the bus refused {refused} requests for help")

    def facts(self, *types: str) -> list[JsonObject]:
        """Return the facts of `HEARD` by now, each once."""
        sqs = self.stack.client("sqs")
        while found := sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10).get("Messages"):
            for one in found:
                detail = json.loads(one["Body"])["detail"]
                self._facts |= {event["id"]: {**event} for event in unpacked(detail)}
                sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=one["ReceiptHandle"])
        return [fact for fact in self._facts.values() if fact["type"] in types]

    @cached_property
    def _functions(self) -> dict[str, dict[str, Any]]:
        pages = self.stack.client("lambda").get_paginator("list_functions").paginate()
        return {one.get("Description", ""): one for page in pages for one in page["Functions"]}

    def _set(self, variables: Mapping[str, str]) -> None:
        functions, name = self.stack.client("lambda"), self.function_of(SENDER)
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": {**variables}})

    def _listen(self) -> None:
        sqs, bus = self.stack.client("sqs"), self.stack.client("events")
        self._queue = sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        name = self.stack.outputs["BusName"]
        bus.put_rule(Name=QUEUE, EventBusName=name, EventPattern=json.dumps({"detail-type": HEARD}))
        bus.put_targets(Rule=QUEUE, EventBusName=name, Targets=[{"Id": "1", "Arn": arn}])


def request(person: str, machine: str, *, urgency: str = "high") -> JsonObject:
    """Return a request for help with a machine, of now."""
    now_ms = time.time_ns() // 1_000_000
    since = times.to_utc(now_ms)
    said = {
        "about": {"equipmentId": machine, "state": "ERROR", "timestamp": since},
        "name": machine,
        "factoryId": "proof",
        "lineId": "1",
        "what": "ERROR",
        "since": since,
        "chain": "proof",
        "step": 1,
        "repeat": 0,
        "minutes": 0,
        "urgency": urgency,
        "person": person,
        "by": "rule",
        "rule": "trouble",
        "triggers": [],
    }
    return {
        "id": f"{person} {machine} {now_ms}",
        "type": "help-requested",
        "timestamp": now_ms,
        "partitionKey": machine,
        "tags": {"actor": "rule:trouble", "hops": "1"},
        "help": said,
    }


def _parts(of: Sequence[JsonObject], most: int) -> Iterator[Sequence[JsonObject]]:
    return (of[first : first + most] for first in range(0, len(of), most))


def _rows(person: str, addresses: Mapping[str, str]) -> Iterator[JsonObject]:
    partition, lists = partition_of(person), {"webhooks", "push"}
    places = {PLACES[channel]: address for channel, address in addresses.items()}  # type: ignore[index]
    contact: JsonObject = {name: [one] if name in lists else one for name, one in places.items()}
    contact |= {"order": [*addresses], "version": 1, "timestamp": 0}
    yield {**KEYS.of(partition, CONTACT), **contact}
    for channel in addresses:
        proof = {"address": address_of(contact, channel), "at": 0}  # type: ignore[arg-type]
        yield {**KEYS.of(partition, f"{VERIFIED}{channel}"), **proof}
