"""Words and shape of a new service: its fact, its fields, and what its facts are grouped by.

Of fields one stands in the place of the template's own, and others wherever that one is said.
"""

import ast
import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final, NamedTuple, Self

from andon.tools.new import template
from andon.tools.new.edits import place_of, with_members
from andon.tools.new.words import Name, NotNew, Words, member_name
from andon.versions.optimistic_lock import VersionedRow

OWN: Final = frozenset({"body", "command", "discriminator", "id", "if_match", "ttl", *VersionedRow.__annotations__})
"""Names of fields and parameters that each service has."""

PLACES: Final = ("place-1", "place-2")
"""Values of a place in the template's examples."""

_NO_PARTS: Final = "--time-based goes with no --unique and no --date: what is said of a time changes never"
_NO_CLAIMS: Final = "--unique and --partition do not go together: a unique text has a row of its own, in no partition"


class Fields(NamedTuple):
    """Names of fields: the first one, in place of `place`; one that no two have the same; and times."""

    first: Name
    unique: Name | None
    dates: tuple[Name, ...]

    @classmethod
    def of(cls, first: str, unique: str | None, dates: Sequence[str], *, service: Name) -> Self:
        """Return the fields that somebody typed.

        Raises:
            NotNew: one cannot be a name, is there twice, or each service has it already.

        """
        found = cls(Name.only(first), None if unique is None else Name.only(unique), tuple(map(Name.only, dates)))
        names = [one.one for one in (found.first, found.unique, *found.dates) if one is not None]
        for number, name in enumerate(names):
            if name in OWN | {service.one, f"{service.one}_id", *names[:number]}:
                raise NotNew(f"{name!r} is taken: choose a name that {service.many} has not yet")
        return found

    def said_in(self, text: str) -> str:
        """Return a file of the template that says these fields, and not all of the template's."""
        text = _with(text, template.NUMBER, [] if self.unique is None else [self.unique])
        return _with(text, template.DUE, self.dates)


def _with(text: str, field: Name, instead: Sequence[Name]) -> str:
    """Return a file that says other fields wherever it says a field of the template, which is the first nowhere.

    What is shorter then may stand on one line: displays and calls around it end with no comma.
    """
    tree = ast.parse(text)
    said = [place for node in ast.walk(tree) for place in _said(text, node, field.one)]
    edits = [(start, end, "".join(Words([(field, one)])(text[start:end]) for one in instead)) for start, end in said]
    if not instead:
        around = (place_of(text, node) for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Dict))
        ends = {end - 1 for first, end in around if any(first < start < end for start, _, _ in edits)}
        commas = (len(text[:end].rstrip()) - 1 for end in ends)
        edits += [(comma, comma + 1, "") for comma in commas if text[comma] == ","]
    for start, end, other in sorted(edits, reverse=True):
        text = f"{text[:start]}{other}{text[end:]}"
    return text


def _said(text: str, node: ast.AST, name: str) -> Iterator[tuple[int, int]]:
    """Yield where a dictionary or a class says a field, from the end of what stands before it."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for before, key, value in zip(values, keys[1:], values[1:], strict=False):
                if isinstance(key, ast.Constant) and key.value == name:
                    yield place_of(text, before)[1], place_of(text, value)[1]
        case ast.ClassDef(body=body):
            for earlier, one in pairwise(body):
                if isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == name:
                    yield place_of(text, earlier)[1], place_of(text, one)[1]


class Shape(NamedTuple):
    """A service that is to be: the words of its fact, of its fields and of what its facts are grouped by.

    partition: None: each thing is a partition of its own. is_timed: what it says has a time of its own.
    """

    name: Name
    verb: Name
    fields: Fields
    partition: Name | None
    is_timed: bool

    @classmethod
    def of(cls, asked: Namespace, name: Name) -> Self:
        """Return the service that somebody asked for.

        Raises:
            NotNew: a name cannot be one, or is taken; or two options do not go together.

        """
        timed = asked.time_based
        if timed and (asked.unique or asked.date):
            raise NotNew(_NO_PARTS)
        if asked.partition and asked.unique:
            raise NotNew(_NO_CLAIMS)
        default = template.VALUE if timed else template.PLACE
        fields = Fields.of(asked.field or default.one, asked.unique, asked.date, service=name)
        text = asked.partition or (template.DEVICE.one if timed else None)
        partition = None if text is None else Name.counted(text)
        if partition is not None and {*partition} & {*name, fields.first.one, "id"}:
            raise NotNew(f"{text!r} is taken: name what {name.many} are grouped by, as station")
        return cls(name, verb_of(asked.fact, name, timed=timed), fields, partition, timed)

    @property
    def like(self) -> Name:
        """The service of the template that it is a copy of."""
        if self.is_timed:
            return template.READINGS
        return template.THINGS if self.partition is None else template.BOOKS

    @property
    def fact(self) -> str:
        """The type of its fact."""
        return f"{self.name.dashed}-{self.verb.dashed}"

    @property
    def named(self) -> list[tuple[Name, Name]]:
        """The words of the template, and those in their place."""
        named = [(template.THINGS, self.name), (template.PLACE, self.fields.first), (template.MOVED, self.verb)]
        if self.is_timed:
            named += [(template.VALUE, self.fields.first), (template.RECORDED, self.verb)]
        group = template.DEVICE if self.is_timed else template.SHELF
        return [*named, (group, self.partition)] if self.partition else named

    @property
    def words(self) -> Words:
        """Those as a function of the texts of such a service."""
        unique = [] if self.fields.unique is None else [(template.NUMBER, self.fields.unique)]
        return Words([*self.named, (self.like, self.name), *unique])

    @property
    def asked(self) -> dict[str, str]:
        """Parts of the template's requests -> those of one of its own."""
        group = f"/{self.partition.dashed}-1" if self.partition else ""
        one = "2026-01-31T09:00:00Z" if self.is_timed else f"{self.name.dashed}-1"
        date = "2026-01-31T00:00:00.000Z"
        more = {member_name(one.one): date for one in self.fields.dates}
        more |= {} if self.fields.unique is None else {member_name(self.fields.unique.one): "A-7"}
        first = self.fields.first
        said = {place: {member_name(first.one): place.replace("place", first.dashed), **more} for place in PLACES}
        bodies = {
            f'{{"place": "{place}", "due": "{date}", "number": "A-7"}}': json.dumps(
                {member_name(first.one): 17.5} if self.is_timed else one
            )
            for place, one in said.items()
        }
        path = f"/{self.name.many.replace('_', '-')}{group}"
        return {"/things/thing-1": f"{path}/{one}", "/readings/device-1": path, **bodies}

    def spelled(self, file: PurePosixPath, text: str) -> str:
        """Return a file in which its members are spelled as all members are, `endsAt`."""
        fields = (self.fields.first, self.fields.unique, *self.fields.dates)
        return with_members(text, members_of(one for one in fields if one)) if file.suffix == ".py" else text

    def files(self) -> dict[PurePosixPath, str]:
        """Return its files."""
        texts = template.slice_of("services", self.like, *([] if self.fields.unique is None else ["unique"]))
        said = {file: self.fields.said_in(text) for file, text in texts.items()}
        return {file: self.spelled(file, text) for file, text in template.copied(self.words, said).items()}


def members_of(fields: Iterable[Name]) -> dict[str, str]:
    """Return how members are spelled whose names have several words."""
    return {one.one: member_name(one.one) for one in fields if "_" in one.one}


def verb_of(text: str | None, name: Name, *, timed: bool) -> Name:
    """Return the verb of a fact that somebody typed, as `registered` or `station-registered`.

    Raises:
        NotNew: it cannot be a name.

    """
    default = template.RECORDED if timed else template.MOVED
    return default if text is None else Name.only(text.removeprefix(f"{name.dashed}-").replace("-", "_"))
