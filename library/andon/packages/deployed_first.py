"""The order in which packages are deployed: who subscribes to a fact stands before who publishes it. Pure.

Else what is published until the rule is there, and the listener that knows the fact, never reaches the subscriber.
Where packages subscribe to each other's facts, as two versions of a service do, neither can be the first.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from andon.events.topic import Topic, is_included
from andon.packages.package import Package


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
