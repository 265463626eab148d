"""Saved queries of the lake as consumers: by the paths of JSON members in their SQL. A member that is gone is null."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from andon.events.domain_event import ENVELOPE
from andon.events.topic import Topic
from andon.stores.lake import queries
from andon.tools.contracts.members import ITEM, Path
from andon.tools.contracts.need import LostMember, Need
from andon.tools.contracts.state import TypeState

READ: Final = Need(LostMember.LOST, keeps=True)

_PATH: Final = re.compile(r"'\$\.([A-Za-z_][\w.\[\]*]*)'")
_COMMENT: Final = re.compile(r"^ *--.*$", re.MULTILINE)


class QueryAsked(NamedTuple):
    """A saved query, or a shared table: its name as a consumer, and the members that it reads."""

    name: str
    paths: frozenset[Path]


def questions() -> Iterator[QueryAsked]:
    """Yield each saved query and each shared table of the project and of the library."""
    texts = {f"query.{name}": (queries.FOLDER / f"{name}.sql").read_text() for name in queries.names()}
    texts |= {f"query.shared.{name}": queries.shared_sql(name) for name in queries.SHARED}
    for name, text in sorted(texts.items()):
        yield QueryAsked(name, paths_in_sql(text))


def paths_in_sql(text: str) -> frozenset[Path]:
    """Return the members of entities that an SQL text reads; those of the envelope are the same for all."""
    found = (tuple(path.replace("[*]", f".{ITEM}").split(".")) for path in _PATH.findall(_COMMENT.sub("", text)))
    return frozenset(path for path in found if path[0] not in ENVELOPE)


def needs_of(question: QueryAsked, types: Mapping[Topic, TypeState]) -> dict[Topic, dict[Path, Need]]:
    """Return the needs of a query: of each type that has such an entity."""
    found: dict[Topic, dict[Path, Need]] = {}
    for topic, one in types.items():
        read = {path for path in question.paths if path[0] == one.entity and path in one.members}
        if read:
            found[topic] = {(one.entity,): READ, **dict.fromkeys(sorted(read), READ)}
    return found


def unknown_to(question: QueryAsked, types: Mapping[Topic, TypeState]) -> list[Path]:
    """Return the members that a query reads, and nobody publishes."""
    known = {path for one in types.values() for path in one.members}
    return sorted(path for path in question.paths if path not in known)
