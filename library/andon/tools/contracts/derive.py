"""The contracts of today beside those of the release: what they are, who breaks, what nobody could be asked about."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from andon.events.topic import Topic
from andon.packages.discovery import services
from andon.tools.contracts import publishers, said, trials, verdict
from andon.tools.contracts.diff import SchemaChange, changes, is_break
from andon.tools.contracts.observe import Observed
from andon.tools.contracts.page import Blind
from andon.tools.contracts.state import ContractState, TypeState
from andon.tools.contracts.stories import rule_name
from andon.tools.contracts.verdict import ContractFinding


class Derived(NamedTuple):
    """Contracts that follow from a project's code, its samples and its release. runs: how often consumers were run."""

    state: ContractState
    findings: list[ContractFinding]
    blind: Blind
    runs: int


def derived(today: Observed, released: ContractState | None) -> Derived:
    """Return the contracts of a project as it is observed; released: None if nothing was yet."""
    state = versioned(today.state, released or ContractState({}, {}))
    return Derived(state, findings(today, released), blind_of(today), today.runs)


def findings(today: Observed, released: ContractState | None) -> list[ContractFinding]:
    """Return the verdict; without a release, of today alone."""
    of_release = released or today.state
    are_told = not today.failures and today.state.faults <= of_release.faults
    return verdict.each_once(
        chain(
            verdict.of_schemas(of_release, today.state),
            said.of_events(of_release, today.state, publishers.made_again, are_told=are_told),
            verdict.of_types(today.state),
            verdict.of_rows(of_release, today.state, publishers.may_lack()),
            verdict.of_images(today.state),
            trials.of_publishers(today),
            trials.of_subscriptions(today),
            trials.of_consumers(today, of_release),
            trials.of_stories(today, of_release),
        )
    )


def versioned(today: ContractState, released: ContractState) -> ContractState:
    """Return a state with the versions of its types: one more than that of the release where readers may break."""
    return today._replace(
        types={topic: _versioned(one, released.types.get(topic)) for topic, one in today.types.items()}
    )


def _versioned(one: TypeState, before: TypeState | None) -> TypeState:
    if before is None:
        return one
    if not any(map(is_break, changes(before.members, one.members))):
        return one._replace(version=before.version, older=before.older)
    older = {**before.older, f"{before.version}": before.events}
    return one._replace(version=before.version + 1, older=older)


def news(today: ContractState, released: ContractState) -> Iterator[tuple[Topic, list[SchemaChange] | None]]:
    """Yield each type that is not as it was released, with what is different; None: it is new, or is no more."""
    for topic in sorted({*today.types, *released.types}):
        one, before = today.types.get(topic), released.types.get(topic)
        if one is None or before is None:
            yield topic, None
        elif found := changes(before.members, one.members):
            yield topic, found


def blind_of(today: Observed) -> Blind:
    """Return the members that no sample and no story shows."""
    deciding = [package.load("control").CONTROL for package in services() if package.has("control")]
    rules = {rule_name(control, rule) for control in deciding for rule in control.rules.all}
    return Blind(sorted(rules - today.asked), today.unseen)
