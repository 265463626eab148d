"""All stores of a stack that may have a mention of a person, and a pass over them."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from andon.cdk.names import DEAD_LETTERS, SWEPT_BUCKETS, pascal
from andon.packages.discovery import packages
from andon.packages.package import Package
from andon.project import People
from andon.tools.erase import dead_letters, objects, recorded, rows
from andon.tools.erase.counted import SweepCounts
from andon.tools.erase.mentions import Mentions, ids_in
from andon.tools.erase.objects import SweptBucket, in_place, under_other_name
from andon.tools.erase.rows import SweptTable
from andon.tools.listings import rows_of
from andon.versions.aggregate import Identity

LAKE, ARCHIVE = "LakeBucket", "ArchiveBucket"
RENAMED: Final = ("FaultsBucket", "DriftBucket")


class Clients(NamedTuple):
    """boto3's clients, with the permissions of who erases."""

    dynamodb: Any
    s3: Any
    sqs: Any
    cognito: Any


class Stores(NamedTuple):
    """Tables, buckets and dead-letter queues, by the names of their outputs."""

    clients: Clients
    tables: Mapping[str, SweptTable]
    buckets: Mapping[str, str]
    dead_letters: Mapping[str, str]

    @classmethod
    def of(cls, outputs: Mapping[str, str], people: People, clients: Clients) -> "Stores":
        """Return the stores of a stack. Where names belong is left out: what is there, its service erases."""
        tables = {
            pascal(variable): SweptTable(
                outputs[pascal(variable)],
                schema.keys,
                _published(package),
                _registered(package),
                frozenset(name for index in schema.indexes.values() for name in index.keys.names),
                is_view=package.side == "views",
            )
            for package in packages()
            for variable, schema in package.tables.items()
            if variable not in {people.table, *people.others} and pascal(variable) in outputs
        }
        named = {name: outputs[name] for name in (LAKE, ARCHIVE, *RENAMED)}
        others = [one for one in outputs[SWEPT_BUCKETS].split(",") if one not in named.values()]
        queues = {name: url for name, url in outputs.items() if name.endswith(DEAD_LETTERS)}
        return cls(clients, tables, named | {one: one for one in sorted(others)}, queues)

    def ids_with(self, mentions: Mentions) -> Iterator[tuple[str, bool]]:
        """Yield the parts of keys that have a mention in them, and whether somebody has registered them as an id."""
        for table in self.tables.values():
            for row in rows_of(self.clients.dynamodb, table.name):
                is_registered = row.get("discriminator", {}).get("S") in table.registered
                keys = (row[name].get("S", "") for name in table.keys.names)
                yield from ((id_, is_registered) for key in keys for id_ in ids_in(key, mentions))

    def sweep(self, mentions: Mentions, *, dry_run: bool) -> Iterator[tuple[str, SweepCounts]]:
        """Erase the mentions in every store but the dead letters; yield what each had.

        In the order in which one is made of the other: owned rows, the lake, the archive, views. So whatever is made
        anew meanwhile, by a command, a compaction or a repair of drift, is made of what has no mention any more.
        """
        views = {name for name, table in self.tables.items() if table.is_view}
        first = [*sorted(self.tables.keys() - views), LAKE, ARCHIVE]
        for name in [*first, *sorted({*views, *self.buckets} - {*first})]:
            if name in self.tables:
                yield name, rows.sweep(self.clients.dynamodb, self.tables[name], mentions, dry_run=dry_run)
            else:
                yield name, self._sweep_bucket(name, mentions, dry_run=dry_run)

    def wait_in_dead_letters(self, mentions: Mentions) -> Iterator[tuple[str, SweepCounts]]:
        """Yield what each dead-letter queue has."""
        for name, url in sorted(self.dead_letters.items()):
            yield name, dead_letters.count(self.clients.sqs, url, mentions)

    def _sweep_bucket(self, name: str, mentions: Mentions, *, dry_run: bool) -> SweepCounts:
        bucket = partial(SweptBucket, self.clients.s3)
        swept = bucket(self.buckets[name])
        if name == LAKE:
            return recorded.sweep_lake(swept, bucket(self.buckets[ARCHIVE]), mentions, dry_run=dry_run)
        if name == ARCHIVE:
            return recorded.sweep_archive(swept, mentions, dry_run=dry_run)
        write = under_other_name if name in RENAMED else in_place
        return objects.sweep(swept, mentions, write=write, dry_run=dry_run)


def _registered(package: Package) -> frozenset[str]:
    """Return the discriminators of what has the id that it was given, and keeps it: a report names any machine."""
    aggregates = package.aggregates.items()
    return frozenset(name for name, one in aggregates if one.identity is Identity.GIVEN and not one.expires)


def _published(package: Package) -> frozenset[str]:
    return frozenset(package.facts.of)
