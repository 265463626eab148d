"""A project's AWS in memory: the tables, buckets and queues that its packages declare, and a bus."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Final

from andon.drift import recompute
from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.dynamodb.schema import TableSchema
from andon.events.received import received
from andon.ingress.names import ROOT as THINGS
from andon.packages.discovery import (
    ingesting,
    packages,
    readers,
    recomputed,
    restorers,
    restorers_as_json,
    services,
    views_as_json,
)
from andon.packages.package import Package
from andon.project import project
from andon.runtime import clock, strict_json
from andon.stores.archive.rehydration import QUEUE, RESTORERS
from andon.stores.drift import store as drift
from andon.stores.faults import store as faults
from andon.stores.replays import store as replays
from andon.testing.lambda_events import bus_members, sqs_event
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.tables import Observer, Record
from andon.wire.queue import OWN, RECOMPUTE, name_of


def _declared_schemas() -> dict[str, TableSchema]:
    """Return the tables of all packages."""
    return {variable: schema for package in packages() for variable, schema in package.tables.items()}


def _declared_buckets() -> list[str]:
    """Return the buckets of all packages."""
    return [variable for package in packages() for variable in package.buckets]


DEPLOYMENT: Final = "World"
"""The beginning of the names of all queues."""

OWN_QUEUES: Final = {QUEUE: "archive", replays.QUEUE: "replays", faults.QUEUE: "faults", drift.QUEUE: "drift"}
"""Stores, by the environment variable with the address of their queue."""


def declared_queues() -> set[str]:
    """Return the names of the queues that packages have beside the bus."""
    queues = {name_of(package) for package in (*OWN_QUEUES.values(), *(one.name for one in readers()))}
    queues |= {package.ingest_queue for package in ingesting()}
    queues |= {package.restore_queue for package in restorers() if package.plays("restore")}
    queues |= {package.sender_queue for package in services() if package.plays("sender")}
    return queues | {name_of(package.name, RECOMPUTE) for package in recomputed()}


def _queues_of_faults() -> list[str]:
    """Return the names of the queues that messages can be put back on."""
    return [*(name_of(package.name) for package in readers()), *(package.ingest_queue for package in ingesting())]


def addresses_of_queues(address: Callable[[str], str]) -> dict[str, str]:
    """Return the environment variables with addresses of queues, by the address of a name."""
    own = {variable: address(name_of(store)) for variable, store in {**OWN_QUEUES, OWN: "faults"}.items()}
    views = {recompute.queue_variable(one.name): address(name_of(one.name, RECOMPUTE)) for one in recomputed()}
    return own | views


def settings() -> dict[str, str]:
    """Return the environment variables about the packages."""
    return {
        RESTORERS: restorers_as_json(),
        replays.VIEWS: views_as_json(readers()),
        replays.SETTLES: "0",
        faults.QUEUES: ",".join(_queues_of_faults()),
        THINGS: project().name,
        drift.RECOMPUTED: ",".join(package.name for package in recomputed()),
    }


class World(AwsInMemory):
    """Tables, buckets and queues, named after their environment variables; without `schemas` those of all packages."""

    def __init__(self, schemas: dict[str, TableSchema] | None = None, observer: Observer | None = None) -> None:
        self.schemas = _declared_schemas() if schemas is None else schemas
        self.buckets = {variable: variable.lower().replace("_", "-") for variable in _declared_buckets()}
        super().__init__(self.schemas, self.buckets.values(), observer)
        self._taken = count()

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers."""
        return super().variables() | self.buckets | addresses_of_queues(self.address) | settings()

    def address(self, queue: str) -> str:
        """Return the address of a queue, by its name."""
        return f"{DEPLOYMENT}-{queue}"

    def rows(self, table: str) -> list[Item]:
        """Return all rows of a table, in the order of their keys."""
        keys = self.schemas[table].keys
        items = [to_plain(item) for item in self.typed_rows(table)]
        return sorted(items, key=lambda item: [item[name] for name in keys.names])

    def typed_rows(self, table: str) -> list[Typed]:
        """Return all rows of a table with DynamoDB's type descriptors."""
        return list(self.tables[table].rows())

    def restore(self, table: str, typed: list[Typed]) -> None:
        """Put rows into a table, but not into its stream."""
        for item in typed:
            self.tables[table].write("Put", {"Item": item})
        self.new_records(table)

    def objects(self, variable: str) -> list[Item]:
        """Return all objects of a bucket, in the order of their keys: `{Key, Body}`, as `to_text` writes bytes."""
        bodies = self.store[self.buckets[variable]].bodies
        return [{"Key": key, "Body": to_text(body)} for key, body in sorted(bodies.items())]

    def restore_objects(self, variable: str, objects: list[Item]) -> None:
        """Put objects into a bucket."""
        self.store[self.buckets[variable]].bodies.update({one["Key"]: to_bytes(one["Body"]) for one in objects})

    def kept(self, package: Package) -> dict[str, list[Item]]:
        """Return the rows of a package's tables, and the objects of its buckets."""
        objects = {variable: self.objects(variable) for variable in package.buckets}
        return {table: self.rows(table) for table in package.tables} | objects

    def new_records(self, table: str) -> list[Record]:
        """Return the records of a stream since the last call, as Lambda gets them."""
        return self.tables[table].new_records()

    def new_messages(self) -> list[str]:
        """Return the events published since the last call, each as the body of a queue's message of its own."""
        return alone(self.new_bodies())

    def new_bodies(self) -> list[str]:
        """Return the entries published since the last call, as bodies of a queue's messages; some have groups."""
        entries, self.bus = self.bus, []
        return [self._envelope(entry) for entry in entries]

    def _envelope(self, entry: dict[str, str]) -> str:
        named = {"version": "0", "source": entry["Source"], "detail-type": entry["DetailType"]}
        given = bus_members(f"entry {next(self._taken)}", clock.now_ms())
        return f'{strict_json.dumps({**named, **given})[:-1]},"detail":{entry["Detail"]}}}'

    def new_in(self, queue: str) -> list[str]:
        """Return the messages of a queue, by its name, since the last call; nothing is delayed."""
        return self.queues.take(self.address(queue))

    def restoring(self, package: Package) -> list[str]:
        """Return the messages that rehydrate a package's rows; not for a view, whose queue has others, too."""
        return self.new_in(package.restore_queue)

    def asked_of_archive(self) -> list[str]:
        """Return the days of rehydrations that wait."""
        return self.new_in(name_of("archive"))

    def asked_of_replays(self) -> list[str]:
        """Return the days and objects of replays that wait."""
        return self.new_in(name_of("replays"))

    def to_recompute(self, package: Package) -> list[str]:
        """Return the messages that ask a view to recompute, since the last call."""
        return self.new_in(name_of(package.name, RECOMPUTE))

    def resubmitted(self, package: Package) -> list[str]:
        """Return the messages that were put directly on a package's own queue."""
        return self.new_in(name_of(package.name))


def alone(bodies: Iterable[str]) -> list[str]:
    """Return the messages in which the events of some would have come each by itself."""
    return [one.body for one in received(sqs_event(bodies)["Records"])]


def to_text(body: bytes) -> str:
    """Return bytes as text that JSON takes, and `to_bytes` turns back; UTF-8 stays as it is."""
    return body.decode(errors="surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return the bytes that `to_text` was given."""
    return text.encode(errors="surrogateescape")
