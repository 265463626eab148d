"""The packages under `functions/`, found by folder: none is listed anywhere. A process looks for them once.

At the end: the order in which they are deployed, and the files that their functions are packed from.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from andon.events.topic import Topic, is_included, to_json
from andon.packages.package import SIDES, Package, Side, folder_of
from andon.project import library_folder, project
from andon.wire.queue import INGEST, WORK, name_of

QUEUES: Final = {"listener": WORK, "ingest": INGEST}
"""The purpose of the queue that a role reads alone."""


def packages() -> list[Package]:
    """Every package."""
    return [package for side in SIDES for package in _packages(side)]


def services() -> list[Package]:
    """Every service."""
    return _packages("services")


def views() -> list[Package]:
    """Every view."""
    return _packages("views")


def versions_of(name: str) -> list[Package]:
    """Return the versions of a view, in the order of their names; `name` is that of any of them."""
    first = next((view.replaces for view in views() if view.name == name and view.replaces), name)
    return [view for view in views() if first in {view.name, view.replaces}]


def stores() -> list[Package]:
    """Every store."""
    return _packages("stores")


def pages() -> list[Package]:
    """Every page: its routes ask for no token."""
    return _packages("pages")


def apis() -> list[Package]:
    """Every package with authenticated routes: all but pages."""
    return [package for package in packages() if package.side != "pages"]


def readers() -> list[Package]:
    """Every service and view with a listener; the message of a fault can be put back on its queue."""
    return [package for package in services() + views() if package.plays("listener")]


def ingesting() -> list[Package]:
    """Every service that things publish to; the message of a fault can be put back on its queue."""
    return [package for package in services() if package.plays("ingest")]


def restorers() -> list[Package]:
    """Every package that rehydrates its expired rows."""
    return [package for package in packages() if package.restored]


def restorers_as_json() -> str:
    """Return the topics of the restore queues, by name, as a topic table."""
    return to_json({package.restore_queue: package.restored for package in restorers()})


def views_as_json(listening: Iterable[Package]) -> str:
    """Return the topics of the views among some packages, by name, as a topic table."""
    return to_json({view.name: view.subscriptions for view in listening if view.side == "views"})


def recomputed() -> list[Package]:
    """Every view that is compared with past events."""
    return [package for package in views() if package.plays("recompute")]


def subscribers_of(source: str, event_type: str) -> list[Package]:
    """Every package that subscribes to an event."""
    return [*_subscribers(source, event_type)]


@cache
def owner_of_route(route: str) -> tuple[Package, str]:
    """Return the package that answers a route, and the role of the handler.

    Raises:
        LookupError: no package has the route.

    """
    for package in packages():
        if route in package.routes:
            return package, role_of(route)
    raise LookupError(f"no package has the route {route}")


def role_of(route: str) -> str:
    """Return the role of the handler that answers a route: reads go to the query, all else to the command."""
    return "query" if route.startswith("GET ") else "command"


def woken_by(source: str, event_type: str) -> list[Package]:
    """Every service with a sender that an event wakes."""
    return [*_woken(source, event_type)]


@cache
def follower_of_table(table: str) -> tuple[Package, str]:
    """Return the owner and the role that follow a table's stream, by its environment variable or its deployed name.

    `THINGS_TABLE` and `Stack-ThingsTable1A2B` are the same table. A service's trigger follows it, a view's push.

    Raises:
        LookupError: nobody does.

    """
    for package in services() + views():
        streamed = [variable for variable, schema in package.tables.items() if schema.stream]
        if any(_plain(variable) in _plain(table) for variable in streamed):
            return package, "push" if package.side == "views" else "trigger"
    raise LookupError(f"nobody follows {table}")


@cache
def reader_of_queue(queue: str) -> tuple[Package, str]:
    """Return the package and the role that a queue feeds, by the queue's deployed name, as `Stack-lakeQueue1A2B`.

    Raises:
        LookupError: it feeds none.

    """
    for package in packages():
        for role, purpose in QUEUES.items():
            if package.plays(role) and _plain(name_of(package.name, purpose)) in _plain(queue):
                return package, role
    raise LookupError(f"{queue} feeds nobody")


@cache
def _subscribers(source: str, event_type: str) -> tuple[Package, ...]:
    return tuple(package for package in packages() if package.subscribes_to(source, event_type))


@cache
def _woken(source: str, event_type: str) -> tuple[Package, ...]:
    return tuple(one for one in services() if one.plays("sender") and (source, event_type) in one.gateway.on)


def _packages(side: Side) -> list[Package]:
    return [Package(side, name) for name in _names(side)]


@cache
def _names(side: Side) -> tuple[str, ...]:
    return tuple(sorted({file.parent.name for file in folder_of(side).glob("*/*.py")}))


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


# The order in which packages are deployed: who subscribes to a fact stands before who publishes it. Pure.
#
# Else what is published until the rule is there, and the listener that knows the fact, never reaches the subscriber.
# Where packages subscribe to each other's facts, as two versions of a service do, neither can be the first.


class FactSubscription(NamedTuple):
    """A fact of one package that another one subscribes to."""

    topic: Topic
    publisher: Package
    subscriber: Package


class DeployedFirst(NamedTuple):
    """before: publisher -> the subscribers that are deployed before it. together: subscriptions with no such order."""

    before: Mapping[Package, frozenset[Package]]
    together: frozenset[FactSubscription]


def subscriptions_among(packages: Iterable[Package]) -> list[FactSubscription]:
    """Return the subscriptions of packages to facts of each other; nobody waits for itself."""
    known = list(packages)
    heard = {package: _heard_by(package) for package in known}
    return [
        FactSubscription((publisher.name, event_type), publisher, subscriber)
        for publisher in known
        for event_type in sorted(publisher.types)
        for subscriber, topics in heard.items()
        if subscriber != publisher and any(is_included((publisher.name, event_type), topic) for topic in topics)
    ]


def deployed_first(subscriptions: Iterable[FactSubscription]) -> DeployedFirst:
    """Return the order that subscriptions ask for, as far as it goes round nowhere."""
    asked = list(subscriptions)
    ways: dict[Package, set[Package]] = {}
    for one in asked:
        ways.setdefault(one.publisher, set()).add(one.subscriber)
    together = frozenset(one for one in asked if one.publisher in _reached(one.subscriber, ways))
    before: dict[Package, frozenset[Package]] = {}
    for one in asked:
        if one not in together:
            before[one.publisher] = before.get(one.publisher, frozenset()) | {one.subscriber}
    return DeployedFirst(before, together)


def _heard_by(package: Package) -> frozenset[Topic]:
    """Return the topics that a package's listener and its sender subscribe to."""
    return package.subscriptions | (package.gateway.on if package.plays("sender") else frozenset())


def _reached(start: Package, ways: Mapping[Package, Iterable[Package]]) -> set[Package]:
    reached, waiting = set[Package](), [start]
    while waiting:
        for one in ways.get(waiting.pop(), ()):
            if one not in reached:
                reached.add(one)
                waiting.append(one)
    return reached


# The files that Lambda functions are packed from: the project's `functions/`, and the library without its tools.

NOT_FOR_LAMBDA: Final = frozenset({"cdk", "tools", "testing"})
"""Rooms of the library that no function imports."""

_LEFT_BEHIND: Final = (".pyc", ".sql", ".md")  # no function asks the lake, or reads a page


class Source(tuple[Path, Path]):
    """Two folders: the library's code, and a project's functions."""

    __slots__ = ()

    def files(self) -> Iterator[tuple[Path, Path]]:
        """Yield each file that a function may get, with its place in the asset."""
        return self._files(lambda _: True)

    def files_of(self, package: Package) -> Iterator[tuple[Path, Path]]:
        """Yield the files that a package's functions get: its own and shared ones."""
        return self._files(lambda place: _belongs(place, package))

    def _files(self, is_wanted: Callable[[str], bool]) -> Iterator[tuple[Path, Path]]:
        library, functions = self
        rooms = {f"{library_folder().name}/{room}" for room in NOT_FOR_LAMBDA}
        for folder, place in ((library, f"{library_folder().name}/"), (functions, "")):
            for file, found in _below(str(folder), place, lambda one: one not in rooms and is_wanted(one)):
                yield Path(file), Path(found)


def source() -> Source:
    """Return the folders of this process."""
    return Source((library_folder(), project().functions))


def _below(folder: str, place: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield the files below a folder, by the parts of their paths; leftovers of tools are skipped.

    place: of the folder in the asset, with a slash behind it, or empty. is_wanted: told the place of a folder below;
    one that is not wanted is not read.
    """
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        name = entry.name
        if name.startswith(".") or name == "__pycache__":
            continue
        if entry.is_dir(follow_symlinks=False):
            if is_wanted(place + name):
                yield from _below(entry.path, f"{place}{name}/", is_wanted)
        elif entry.is_file() and not name.endswith(_LEFT_BEHIND):
            yield entry.path, place + name


def _belongs(folder: str, package: Package) -> bool:
    """Return True if a folder of the asset is no package's, or this one's."""
    side, _, name = folder.removeprefix(f"{library_folder().name}/").partition("/")
    is_of_a_package = side in SIDES and name and "/" not in name
    return not is_of_a_package or (side, name) == (package.side, package.name)
