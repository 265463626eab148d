"""The configuration, TOML: what is wrong in it is said with its place, before anything runs."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from andon_gateway.conditions import Condition, Malformed
from andon_gateway.detail import Detail
from andon_gateway.engine import Wired
from andon_gateway.states import Machine, NoSignal, Rule
from andon_gateway.store import CAPACITY

# What the API takes.
STATE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,31}")
NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
MAX_ID: Final = 128

DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
UNITS_MS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
AT_RISK_MS: Final = 450_000  # the rule `at-risk` takes three abnormal reports in 15 minutes for trouble

MISSING: Final = object()


class BadConfiguration(Exception):
    """The configuration cannot be used; it says what, and where."""


@dataclass(frozen=True, slots=True)
class North:
    """The way to the API: exactly one of token_file and token_command."""

    url: str
    token_file: Path | None
    token_command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinesSource:
    """A command that prints lines; quiet_ms: see `Lines`."""

    name: str
    run: tuple[str, ...]
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """All of it; is_clock_trusted: the host has a time server. health_port: 0: none."""

    north: North
    store: Path
    capacity: int
    is_clock_trusted: bool
    health_port: int
    sources: tuple[LinesSource, ...]
    machines: Mapping[str, Wired]


class _Table:
    """A table of the file, whose members are taken one by one; those that nobody took are errors."""

    def __init__(self, members: object, place: str) -> None:
        if not isinstance(members, dict):
            raise BadConfiguration(f"{place}: should be a table")
        self._left = dict(members)
        self.place = place

    def take(self, name: str, kind: type, default: object = MISSING) -> Any:  # noqa: ANN401  of that kind
        found = self._left.pop(name, default)
        if found is MISSING:
            raise BadConfiguration(f"{self.place}: {name} is missing")
        if found is not default and (not isinstance(found, kind) or (kind is int and isinstance(found, bool))):
            raise BadConfiguration(f"{self.place}.{name}: should be {kind.__name__}")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        found = self.take(name, list, [])
        if not all(isinstance(one, str) and one for one in found):
            raise BadConfiguration(f"{self.place}.{name}: should be a list of texts")
        return tuple(found)

    def duration_ms(self, name: str, default: int | None = None) -> int | None:
        found = self.take(name, str, None)
        if found is None:
            return default
        parts = DURATION.fullmatch(found)
        if not parts:
            raise BadConfiguration(f"{self.place}.{name}: should be a duration, such as 250ms, 2s, 10m, 1h")
        return int(float(parts[1]) * UNITS_MS[parts[2]])

    def tables(self, name: str) -> list["_Table"]:
        found = self.take(name, list, [])
        return [_Table(one, f"{self.place}.{name}[{number}]".lstrip(".")) for number, one in enumerate(found)]

    def end(self) -> None:
        if self._left:
            raise BadConfiguration(f"{self.place or 'the file'}: nobody knows {', '.join(sorted(self._left))}")


def read(path: Path) -> Configuration:
    """Return the configuration of a file; paths in it are below its folder.

    Raises:
        BadConfiguration: it cannot be read, or used.

    """
    try:
        return parse(path.read_text(), path.parent)
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfiguration(f"{path} cannot be read: {error}") from error


def parse(text: str, folder: Path) -> Configuration:
    """Return the configuration of a text; paths in it are below a folder.

    Raises:
        BadConfiguration: it cannot be used.

    """
    try:
        file = _Table(tomllib.loads(text), "")
    except tomllib.TOMLDecodeError as error:
        raise BadConfiguration(f"no TOML: {error}") from error
    andon = _Table(file.take("andon", dict), "andon")
    sources = tuple(_source(one) for one in file.tables("source"))
    machines = [_machine(one, {source.name for source in sources}) for one in file.tables("machine")]
    found = Configuration(
        north=_north(andon, folder),
        store=folder / andon.take("store", str, "andon-gateway.db"),
        capacity=andon.take("capacity", int, CAPACITY),
        is_clock_trusted=andon.take("clock_is_right", bool, default=False),
        health_port=andon.take("health_port", int, 9108),
        sources=sources,
        machines={one.id: one for one in machines},
    )
    andon.end()
    file.end()
    if not machines or len(found.machines) < len(machines) or len({one.name for one in sources}) < len(sources):
        raise BadConfiguration("there is no machine, or two machines or two sources have one name")
    return found


def _north(andon: _Table, folder: Path) -> North:
    file, command = andon.take("token_file", str, None), andon.texts("token_command")
    if bool(file) == bool(command):
        raise BadConfiguration("andon: needs a token_file or a token_command, not both")
    return North(andon.take("url", str), folder / file if file else None, command)


def _source(table: _Table) -> LinesSource:
    if (kind := table.take("kind", str)) != "lines":
        raise BadConfiguration(f"{table.place}.kind: nobody knows {kind}; there is: lines")
    name, run = table.take("name", str), table.texts("run")
    if not run:
        raise BadConfiguration(f"{table.place}.run: should be a command and its arguments")
    source = LinesSource(name, run, table.duration_ms("quiet", 60_000) or 60_000)
    table.end()
    return source


def _machine(table: _Table, sources: set[str]) -> Wired:
    id_, source = table.take("id", str), table.take("source", str)
    if not 0 < len(id_) <= MAX_ID or not id_.isprintable() or "/" in id_:
        raise BadConfiguration(f"{table.place}.id: should be 1 to {MAX_ID} printable characters without /")
    if source not in sources:
        raise BadConfiguration(f"{table.place}.source: there is no source {source}")
    tags = table.take("values", dict)
    if not all(NAME.fullmatch(name) and isinstance(tag, str) for name, tag in tags.items()):
        raise BadConfiguration(f"{table.place}.values: should be names, each with a tag of its source")
    rules = tuple(_rule(one, tags) for one in table.tables("states"))
    if [rule.when is None for rule in rules] != [*[False] * (len(rules) - 1), True]:
        raise BadConfiguration(f"{table.place}.states: the last one, and no other, is without `when`")
    repeat_ms = table.duration_ms("repeat")
    if repeat_ms is not None and repeat_ms <= AT_RISK_MS:
        raise BadConfiguration(f"{table.place}.repeat: should be longer than 7.5 minutes, or each trouble is at risk")
    silent = table.take("no_signal", dict, None)
    no_signal = None if silent is None else _no_signal(_Table(silent, f"{table.place}.no_signal"))
    table.end()
    return Wired(id_, source, tags, Machine(rules, repeat_ms, no_signal))


def _no_signal(table: _Table) -> NoSignal:
    after_ms = table.duration_ms("after")
    if after_ms is None:
        raise BadConfiguration(f"{table.place}: after is missing")
    found = NoSignal(after_ms, _state(table))
    table.end()
    return found


def _rule(table: _Table, tags: Mapping[str, str]) -> Rule:
    try:
        when, until, detail = (table.take(name, str, None) for name in ("when", "until", "detail"))
        rule = Rule(
            _state(table),
            when=None if when is None else Condition.parse(when, tags),
            until=None if until is None else Condition.parse(until, tags),
            for_ms=table.duration_ms("for", 0) or 0,
            detail=None if detail is None else Detail.parse(detail, tags),
        )
    except Malformed as error:
        raise BadConfiguration(f"{table.place}: {error}") from error
    if rule.when is None and (rule.until or rule.for_ms):
        raise BadConfiguration(f"{table.place}: `until` and `for` need a `when`")
    table.end()
    return rule


def _state(table: _Table) -> str:
    state: str = table.take("is", str)
    if not STATE.fullmatch(state):
        raise BadConfiguration(f"{table.place}.is: should be capital letters, digits and _, at most 32: {state}")
    return state
