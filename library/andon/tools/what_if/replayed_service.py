"""A control service whose rules are replayed: its declarations, narrowed to those rules, and its events in memory."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.rules.control_service import Control
from andon.rules.evaluate import Evaluator
from andon.rules.rule import Rule, Rules
from andon.rules.stored_event import CorrelationKey, StoredEvent
from andon.tools.what_if.key_events import KeyEvents, KeyPast
from andon.tools.what_if.known_tables import KnownTables, Partition
from andon.tools.what_if.report import RowKey, row_key
from andon.views.row_write import Subscriptions

NONE: Final[Subscriptions] = {}


class ReplayedService:
    """A service.

    replayed: the ids of the rules whose decisions the lake has, and which are decided anew; also those that this tree
    does not have. taken: the keys of rows that are there. decided: of those that rules decided. needs_context: the
    table's rows may be what a rule knows. read: the partitions of tables that were read for that.
    """

    def __init__(self, package: Package, replayed: frozenset[str]) -> None:
        control = control_of(package)
        self.package, self.replayed = package, replayed
        self.source, self.variable = control.rules.source, control.table.variable
        self.rules = narrowed(control.rules, replayed)
        self.control = control._replace(rules=self.rules)
        self.facts = package.facts
        self.on: Subscriptions = package.load("subscriptions").ON if package.has("subscriptions") else NONE
        self.upcasters = package.upcasters
        self.needs_context = any(rule.needs_context for rule in self.rules.all)
        self.events: dict[CorrelationKey, KeyEvents] = {}
        self.taken: set[RowKey] = set()
        self.decided: set[RowKey] = set()
        self.read: set[Partition] = set()

    def forget(self) -> None:
        """Begin anew: other subjects."""
        self.events, self.taken, self.decided = {}, set(), set()
        self.read.clear()

    def knows_by(self, tables: KnownTables) -> None:
        """Read again what rules know of a key only once that has changed."""
        self.control = self.control._replace(context_of=tables.kept(self.control.context_of, self.read))

    def events_of(self, key: CorrelationKey) -> KeyEvents:
        """Return the events of a correlation key."""
        found = self.events.get(key)
        if found is None:
            found = self.events[key] = KeyEvents()
        return found

    def stored_under(self, key: CorrelationKey) -> Sequence[StoredEvent]:
        """Return the events of a correlation key, if there are any."""
        found = self.events.get(key)
        return () if found is None else found.events

    def changed(self) -> Iterator[Hashable]:
        """Yield the correlation keys, as partitions, and the decided rows of this group of events, see `overlap`."""
        yield from ((self.variable, key) for key, held in self.events.items() if held.is_of_group)
        yield from ((self.variable, *row) for row in self.decided)

    def looked_at(self) -> Iterator[Hashable]:
        """Yield what was decided by."""
        yield from ((self.variable, key) for key, held in self.events.items() if held.is_anchored)
        yield from ((self.variable, *row) for row in self.decided)
        yield from self.read

    def past_of(self, key: CorrelationKey, now_ms: int) -> KeyPast:
        """Return the past of a key, as rules read it."""
        return KeyPast(self.control.table, key, self.events_of(key), now_ms=now_ms)

    def evaluator_of(self, key: CorrelationKey, past: KeyPast, now_ms: int) -> Evaluator:
        """Return the evaluator of a key over what lies in memory."""
        evaluator = Evaluator(self.control, key, anchors=(), now_ms=now_ms)
        evaluator.past = past
        return evaluator

    def key_of(self, row: Item) -> RowKey:
        """Return the primary key of a row."""
        return row_key(row, self.control.table.keys.names)

    def name_of(self, rule: Rule) -> str:
        """Return the name of a rule in reports."""
        return f"{self.source}.{rule.id}"


def narrowed(rules: Rules, ids: frozenset[str]) -> Rules:
    """Return some of the rules."""
    return Rules(source=rules.source, types=rules.types, all=tuple(rule for rule in rules.all if rule.id in ids))


def control_of(package: Package) -> Control:
    """Return the declarations of a service about its rules."""
    control: Control = package.load("control").CONTROL
    return control


def control_services() -> Sequence[Package]:
    """Return the services of the project that have rules."""
    return [package for package in services() if package.has("control")]


def replayed_services(replayed: Mapping[str, Sequence[str]]) -> list[ReplayedService]:
    """Return the services of some rules: source -> ids."""
    found = (
        ReplayedService(one, frozenset(replayed.get(control_of(one).rules.source, ()))) for one in control_services()
    )
    return [one for one in found if one.replayed]
