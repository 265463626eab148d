"""The verdict in words. Pure."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from andon.packages.deployed_first import FactSubscription
from andon.tools.contracts.derive import Derived, news
from andon.tools.contracts.diff import is_break
from andon.tools.contracts.members import text_of
from andon.tools.contracts.page import UNSEEN
from andon.tools.contracts.state import ContractState, topic_text
from andon.tools.contracts.verdict import ContractFinding, Severity, package_of, readers_of

WORDS = {Severity.BREAKS: "breaks", Severity.LOSES: "loses"}


def report(found: Derived, released: ContractState | None, together: Iterable[FactSubscription] = ()) -> Iterator[str]:
    """Yield the lines: what is different from the release, who breaks, loses or may miss something, the verdict.

    together: the subscriptions of which neither side is deployed first.
    """
    consumers, types = len(found.state.consumers), len(found.state.types)
    yield f"{types} types and {consumers} consumers, which were run {found.runs:,} times."
    if released is None:
        yield "Nothing is released yet: RELEASE=1 (--release) makes this the state that later ones are compared with."
    else:
        yield from _news(found.state, released)
        yield from _missing(together, released)
    yield from of_findings(found.findings)
    unseen = len(found.blind.rules) + sum(map(len, found.blind.members.values()))
    if unseen:
        yield f"{UNSEEN}: {unseen}, see .local/contracts/contracts.md."
    yield _verdict(found.findings)


def _news(today: ContractState, released: ContractState) -> Iterator[str]:
    for topic, different in news(today, released):
        if different is None:
            yield f"{topic_text(topic)} {'is new' if topic in today.types else 'is no more'} since the release."
        else:
            version = today.types[topic].version
            kind = f"version {version}" if any(map(is_break, different)) else "no reader has to know"
            words = ", ".join(f"{text_of(one.path)} {one.words}" for one in different)
            yield f"{topic_text(topic)}, {kind}: {words}."


def _missing(together: Iterable[FactSubscription], released: ContractState) -> Iterator[str]:
    """Yield who is new to a type, and may miss what is published while it is deployed."""
    for topic, publisher, subscriber in sorted(together, key=lambda one: (one.topic, one.subscriber.name)):
        if subscriber.name not in {package_of(who) for who, _ in readers_of(topic, released)}:
            first = f"{subscriber.name} is new to it, and neither it nor {publisher.name} is deployed first"
            yield f"{topic_text(topic)}: {first}. Publish it a deployment later, see docs/recipes.md."


def of_findings(findings: Iterable[ContractFinding]) -> Iterator[str]:
    """Yield the findings, by topic."""
    for topic, of_topic in groupby(findings, key=lambda one: one.topic):
        yield topic_text(topic)
        for one in of_topic:
            path = f"{text_of(one.path)} " if one.path else ""
            yield f"  {WORDS[one.severity]} {one.who}: {path}{one.why}"


def _verdict(findings: list[ContractFinding]) -> str:
    broken = {one.who for one in findings if one.severity is Severity.BREAKS}
    losing = {one.who for one in findings if one.severity is Severity.LOSES} - broken
    if broken:
        return f"Breaks: {', '.join(sorted(broken))}."
    return f"Loses something: {', '.join(sorted(losing))}." if losing else "Nobody breaks, nobody loses anything."


def status_of(findings: Iterable[ContractFinding]) -> int:
    """Return the status that the command ends with: 0, 1 if somebody loses, 2 if somebody breaks."""
    return max((int(one.severity) for one in findings), default=0)
