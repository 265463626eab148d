"""Names that a template has, and those that stand in their place: `things` becomes `permits`, `Thing` `Permit`."""

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Self

# The error of something new that cannot be made.


class NotNew(Exception):
    """Nothing was made; the text says why, and what to write instead."""


_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)
HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])", re.ASCII)

TAKEN: Final = frozenset(
    {"andon", "app", "conftest", "demo", "events", "functions", "infra", "pages", "project", "services", "stores"}
    | {"tests", "views"}
)
"""Names of modules and folders that a project has in any case."""

_ENDINGS: Final = (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ss", "ss"), ("s", ""))
"""Endings of plurals, and of their singulars; what has none of them is its own plural, as `luggage`."""

_IRREGULAR: Final = {"people": "person"}


class Name(NamedTuple):
    """A name in the singular and in the plural, both in lower case, with `_` between words."""

    one: str
    many: str

    @classmethod
    def of(cls, text: str, *, one: str | None = None) -> Self:
        """Return the name that somebody typed, as `permits` or `Permits`; `one`: its singular, if that is irregular.

        Raises:
            NotNew: it cannot be the name of a module, or is taken.

        """
        many = _checked(HUMP.sub("_", text).lower(), text)
        return cls(_singular_of(many) if one is None else _checked(one, one), many)

    @classmethod
    def only(cls, text: str) -> Self:
        """Return a name that has no plural, as that of a view or a rule.

        Raises:
            NotNew: it cannot be the name of a module, or is taken.

        """
        checked = _checked(HUMP.sub("_", text).lower(), text)
        return cls(checked, checked)

    @classmethod
    def counted(cls, text: str) -> Self:
        """Return the name of a singular that somebody typed, as `station`, whose plural follows.

        Raises:
            NotNew: it cannot be the name of a module, or is taken.

        """
        one = _checked(HUMP.sub("_", text).lower(), text)
        return cls(one, _plural_of(one))

    @property
    def dashed(self) -> str:
        """The singular as routes and types of facts have it."""
        return self.one.replace("_", "-")


def _plural_of(one: str) -> str:
    """Return the plural of a singular, by its ending."""
    if one.endswith("y") and one[-2:-1] not in "aeiou":
        return f"{one[:-1]}ies"
    return f"{one}es" if one.endswith(("s", "sh", "ch", "x")) else f"{one}s"


def _singular_of(many: str) -> str:
    """Return the singular of a plural, by its ending."""
    if many in _IRREGULAR:
        return _IRREGULAR[many]
    ending, instead = next(((ending, one) for ending, one in _ENDINGS if many.endswith(ending)), ("", ""))
    stem = many.removesuffix(ending)
    return f"{stem}{instead}" if stem else many


def _checked(name: str, text: str) -> str:
    if not _SNAKE.fullmatch(name):
        raise NotNew(f"{text!r} is no name: lower-case letters and digits, words joined by _, as `parking_permits`")
    if keyword.iskeyword(name) or name in TAKEN:
        raise NotNew(f"{text!r} is taken: it is a word of Python, or a folder that each project has")
    return name


class Words:
    """Names of a template -> names in their place, in all spellings, in paths as in text.

    A name is written as its neighbours ask for: `PARKING_PERMITS` and `ParkingPermit` where the template has capitals,
    `parking-permit` beside a hyphen and in a route, `parking_permit` everywhere else. Parts of other words stay: there
    is no `thing` in `something`.
    """

    def __init__(self, names: Iterable[tuple[Name, Name]]) -> None:
        self._of = {old: new for pair in names for old, new in zip(*pair, strict=True)}
        lower = "|".join(sorted(self._of, key=len, reverse=True))
        camel = "|".join(sorted(map(camel_case, self._of), key=len, reverse=True))
        self._pattern = re.compile(
            rf"(?P<lower>(?<![A-Za-z])(?:{lower})(?![a-z]))"
            rf"|(?P<camel>(?:{camel})(?![a-z]))"
            rf"|(?P<upper>(?<![A-Z])(?:{lower.upper()})(?![A-Z]))"
        )
        self._camel = {camel_case(old): new for old, new in self._of.items()}

    def __call__(self, text: str) -> str:
        """Return a text with all names replaced."""
        return self._pattern.sub(self._instead, text)

    def fitted(self, text: str, instead: Mapping[str, str]) -> str:
        """Return a text with all names replaced but in some parts of it, which are replaced by something else."""
        for number, part in enumerate(instead):
            text = text.replace(part, f"@{number}@")
        text = self(text)
        for number, other in enumerate(instead.values()):
            text = text.replace(f"@{number}@", other)
        return text

    def _instead(self, found: re.Match[str]) -> str:
        name, spelling = found.group(), found.lastgroup
        if spelling == "camel":
            return camel_case(self._camel[name])
        if spelling == "upper":
            return self._of[name.lower()].upper()
        if found.string[found.end() : found.end() + 1].isupper():  # the first word of one in camel case
            return member_name(self._of[name])
        return self._of[name].replace("_", "-") if _is_hyphenated(found) else self._of[name]


def camel_case(name: str) -> str:
    """Return `ParkingPermits` for `parking_permits`."""
    return "".join(word.capitalize() for word in name.split("_"))


def member_name(name: str) -> str:
    """Return `endsAt` for `ends_at`: members of requests, rows and events are written so, however they were typed."""
    first, *others = name.split("_")
    return first + camel_case("_".join(others))


def _is_hyphenated(found: re.Match[str]) -> bool:
    text = found.string
    before, after = text[max(0, found.start() - 2) : found.start()], text[found.end() : found.end() + 1]
    in_route = before == " /" or (before[-1:] == "/" and after == "/" and "{" in text[found.end() : found.end() + 2])
    return before[-1:] == "-" or after == "-" or in_route


def clashes(names: Iterable[Name]) -> Iterator[str]:
    """Yield the words that more than one of some names has."""
    seen = set[str]()
    for name in names:
        words = {name.one, name.many}
        yield from sorted(words & seen)
        seen |= words
