"""Words and shape of a new service: its fact, its fields, and what its facts are grouped by.

Of fields one stands in the place of the template's own, and others wherever that one is said.
"""

import ast
import json
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, Self

from andon.tools.new import template
from andon.tools.new.edits import place_of, with_argument, with_imports
from andon.tools.new.errors import NotNew
from andon.tools.new.words import Name, Words
from andon.versions.optimistic_lock import VersionedRow

OWN: Final = frozenset({"body", "command", "discriminator", "id", "if_match", "ttl", *VersionedRow.__annotations__})
"""Names of fields and parameters that each service has."""

DATE: Final[Mapping[str, str]] = {
    "Line": "Time",
    '"north"': '"2026-01-31T00:00:00.000Z"',
    '"south"': '"2026-02-28T00:00:00.000Z"',
    '" "': '"2026-01-31T00:00:00.000Z"',
}
NUMBER: Final[Mapping[str, str]] = {"Line": "Word", '"north"': '"A-7"', '"south"': '"A-8"', '" "': '"A-7"'}

NO_PARTS: Final = "--time-based goes with no --unique and no --date: what is said of a time changes never"
NO_CLAIMS: Final = "--unique and --partition do not go together: a unique text has a row of its own, in no partition"


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

    def beside_first(self, text: str) -> str:
        """Return a file that says all of them wherever it says the first."""
        text = self.dates_beside_first(text)
        return text if self.unique is None else self._beside(text, self.unique, NUMBER)

    def dates_beside_first(self, text: str) -> str:
        """Return a file that says the times wherever it says the first."""
        for date in reversed(self.dates):
            text = self._beside(text, date, DATE)
        return text

    def _beside(self, text: str, field: Name, instead: Mapping[str, str]) -> str:
        """Return a file that says a field more; instead: what is said of it, and not of the first."""
        ends = dict[int, str]()
        for start, end, separator in _said(text, self.first.one):
            said = text[start:end]
            for old, new in instead.items():
                said = said.replace(old, new)
            ends[end] = separator + re.sub(rf"\b{self.first.one}\b", field.one, said)
        for end in sorted(ends, reverse=True):
            text = f"{text[:end]}{ends[end]}{text[end:]}"
        kind = instead["Line"]
        return with_imports(text, [f"from andon.http.said import {kind}"]) if f"Annotated[{kind}," in text else text


def _said(text: str, name: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a file says a field, and what separates it from what stands beside it."""
    for node in ast.walk(ast.parse(text)):
        for first, last, separator in _in(node, name):
            yield place_of(text, first)[0], place_of(text, last)[1], separator


def _in(node: ast.AST, name: str) -> Iterator[tuple[ast.expr | ast.stmt | ast.arg, ast.expr | ast.stmt | ast.arg, str]]:
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    yield key, value, ", "
        case ast.ClassDef(body=body):
            for one in body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == name:
                    yield one, one, "\n    "
        case ast.arguments(args=args):
            yield from ((one, one, ", ") for one in args if one.arg == name)
        case ast.Call(args=arguments):
            found = (one for one in arguments if isinstance(one, ast.Attribute) and one.attr == name)
            yield from ((one, one, ", ") for one in found)


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
            raise NotNew(NO_PARTS)
        if asked.partition and asked.unique:
            raise NotNew(NO_CLAIMS)
        default = template.VALUE if timed else template.PLACE
        fields = Fields.of(asked.field or default.one, asked.unique, asked.date, service=name)
        text = asked.partition or (template.DEVICE.one if timed else None)
        partition = None if text is None else Name.counted(text)
        if partition is not None and {*partition} & {*name, fields.first.one, "id"}:
            raise NotNew(f"{text!r} is taken: name what {name.many} are grouped by, as station")
        return cls(name, verb_of(asked.fact, name, timed=timed), fields, partition, timed)

    @property
    def folder(self) -> Path:
        """The folder of the template with the files of its own."""
        if self.is_timed:
            return template.TIMED
        return template.PROJECT if self.partition is None else template.GROUPED

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
        """Those as a function of texts."""
        return Words(self.named)

    @property
    def asked(self) -> dict[str, str]:
        """Parts of the template's requests -> those of one of its own."""
        group = f"/{self.partition.dashed}-1" if self.partition else ""
        one = "2026-01-31T09:00:00Z" if self.is_timed else f"{self.name.dashed}-1"
        more = {date.one: "2026-01-31T00:00:00.000Z" for date in self.fields.dates}
        more |= {} if self.fields.unique is None else {self.fields.unique.one: "A-7"}
        said = {place: {self.fields.first.one: place, **more} for place in ("north", "south")}
        bodies = {
            f'{{"place": "{place}"}}': json.dumps({self.fields.first.one: 17.5} if self.is_timed else one)
            for place, one in said.items()
        }
        return {"/things/thing-1": f"/{self.name.many.replace('_', '-')}{group}/{one}", **bodies}

    def examples(self, text: str) -> str:
        """Return a file with examples of the first field."""
        return text if self.fields.first == template.PLACE else Words(template.SAID)(text)

    def fitted(self, text: str) -> str:
        """Return a file of the template with its words, fields and examples."""
        return self.examples(self.fields.beside_first(self.words(text)))

    def files(self) -> dict[PurePosixPath, str]:
        """Return its files."""
        texts = template.slice_of("service", self.folder)
        new = {PurePosixPath(self.words(str(file))): self.fitted(text) for file, text in texts.items()}
        return new if self.fields.unique is None else self._with_unique(new, self.fields.unique)

    def _with_unique(self, texts: Mapping[PurePosixPath, str], unique: Name) -> dict[PurePosixPath, str]:
        named = [(template.THINGS, self.name), (template.PLACE, self.fields.first), (template.NUMBER, unique)]
        words = Words(named)
        tests = template.copied(words, template.files("tests/**", of=template.UNIQUE), of=template.UNIQUE)
        resources = PurePosixPath("functions", "services", self.name.many, "resources.py")
        claimed = words('unique={"number": lambda number: KEYS.of(f"Number#{number}")}')
        found = {**texts, resources: with_argument(texts[resources], "CurrentResource", claimed)}
        return found | {file: self.examples(self.fields.dates_beside_first(text)) for file, text in tests.items()}


def verb_of(text: str | None, name: Name, *, timed: bool) -> Name:
    """Return the verb of a fact that somebody typed, as `registered` or `station-registered`.

    Raises:
        NotNew: it cannot be a name.

    """
    default = template.RECORDED if timed else template.MOVED
    return default if text is None else Name.only(text.removeprefix(f"{name.dashed}-").replace("-", "_"))
