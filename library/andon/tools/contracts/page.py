"""The page of contracts: who publishes what, and who reads which member; with a picture. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from andon.events.topic import ANY, Topic
from andon.tools.contracts.event_schema import summary_of
from andon.tools.contracts.members import Path, text_of
from andon.tools.contracts.need import LostMember, Need
from andon.tools.contracts.state import ContractState, TypeState
from andon.tools.contracts.verdict import package_of, readers_of

HEAD: Final = """\
# Who publishes what, and who reads it

Written by `{verb}` from the types of the publishers, and from what the consumers' own functions do when a member is
taken away: do not edit it. An arrow is a number of types, from who publishes them to who reads them; the lake keeps
all."""

LEGEND: Final = """\
**Bold**: it fails without the member. Plain: it does something else without it. A `?` marks a member that may be
missing. Each event also has `id`, `type`, `timestamp`, `partitionKey` and `tags`. An entry of the bus has one event as
its `detail`, or a group of events of one type: `{"group": 1, "facts": [<event>, …]}`.

`raw` has the row before and after. It is a contract of its service with itself: that reads again what it wrote, where
expired rows come back (`restore`), and where a region was lost. Nobody else may read it, and whoever does is named."""

UNSEEN: Final = "What no sample and no story shows"


class Blind(NamedTuple):
    """Gaps: nobody could be asked. rules: that decided nothing. members: of a type, that no event has."""

    rules: Sequence[str] = ()
    members: Mapping[Topic, Sequence[Path]] = {}


def page(state: ContractState, blind: Blind, *, verb: str) -> str:
    """Return the page; verb: by which it is written."""
    sources = sorted({source for source, _ in state.types})
    parts = [HEAD.format(verb=verb), _picture(state), LEGEND]
    for source in sources:
        parts.append("## Whoever meets it" if source == ANY else f"## {source}")
        parts += [_section(topics, state) for topics in _alike(state, source)]
    return "\n\n".join([*parts, *_unseen(blind)]) + "\n"


def _picture(state: ContractState) -> str:
    arrows: dict[tuple[str, str], int] = {}
    for topic in state.types:
        for reader in sorted({package_of(who) for who, _ in readers_of(topic, state)}):
            if topic[0] not in {ANY, reader} and reader not in {"archive", "query"}:
                arrows[topic[0], reader] = arrows.get((topic[0], reader), 0) + 1
    lines = [f"    {source} -->|{number}| {_node(reader)}" for (source, reader), number in sorted(arrows.items())]
    return "\n".join(["```mermaid", "flowchart LR", *lines, "```"])


def _node(name: str) -> str:
    return f"{name}" if name.isidentifier() else f'"{name}"'


def _alike(state: ContractState, source: str) -> list[list[Topic]]:
    """Return the types of a service, those together of which the same is said and read."""
    found: list[list[Topic]] = []
    for topic in sorted(topic for topic in state.types if topic[0] == source):
        same = next((topics for topics in found if _rows(topics[0], state) == _rows(topic, state)), None)
        if same is None:
            found.append([topic])
        else:
            same.append(topic)
    return found


def _section(topics: list[Topic], state: ContractState) -> str:
    one = state.types[topics[0]]
    named = ", ".join(event_type for _, event_type in topics)
    versions = ", ".join(dict.fromkeys(f"{state.types[topic].version}" for topic in topics))
    lines = [f"### {named}", "", f"Version {versions}. {summary_of(one)}", "", "| member | read by |", "|---|---|"]
    return "\n".join([*lines, *(f"| {member} | {readers} |" for member, readers in _rows(topics[0], state))])


def _rows(topic: Topic, state: ContractState) -> list[tuple[str, str]]:
    one = state.types[topic]
    return [
        (f"`{text_of(path)}{'?' if is_optional else ''}`", _readers(path, topic, state))
        for path, is_optional in _paths(one, topic, state)
    ]


def _paths(one: TypeState, topic: Topic, state: ContractState) -> Iterator[tuple[Path, bool]]:
    yield from ((path, member.is_optional) for path, member in one.members.items())
    others = {path for who, needs in readers_of(topic, state) if who != _region_of(topic) for path in needs}
    yield from ((path, path[0] == "raw") for path in sorted(others) if path[0] in {"partitionKey", "raw"})


def _readers(path: Path, topic: Topic, state: ContractState) -> str:
    read = ((who, needs[path]) for who, needs in sorted(readers_of(topic, state)) if path in needs)
    read = ((who, need) for who, need in read if who != _region_of(topic))
    return ", ".join(_reader(who, need) for who, need in read if need.gone is not LostMember.UNUSED or need.keeps)


def _region_of(topic: Topic) -> str:
    """Return the consumer that every service is of its own rows: when a region was lost."""
    return f"{topic[0]}.region"


def _reader(who: str, need: Need) -> str:
    return f"**{who}**" if need.gone is LostMember.REQUIRED else who


def _unseen(blind: Blind) -> Iterable[str]:
    if not blind.rules and not any(blind.members.values()):
        return
    yield f"## {UNSEEN}"
    yield "What consumers need of this is not known: a request in `samples.py` or `stories.py` of a package shows it."
    lines = [f"- `{rule}` decides nothing" for rule in blind.rules]
    lines += [
        f"- {topic[1]}: {', '.join(f'`{text_of(path)}`' for path in paths)}"
        for topic, paths in sorted(blind.members.items())
        if paths
    ]
    yield "\n".join(lines)
