"""The configuration, TOML: a mistake in it is reported with its place, before anything runs."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from andon_gateway.clock import MINUTE_MS
from andon_gateway.conditions import Condition, Malformed
from andon_gateway.detail import Detail
from andon_gateway.engine import Wired
from andon_gateway.kinds import AnySource, require_tag, source_of
from andon_gateway.north import ByHttps, ByMqtt, north_of
from andon_gateway.states import Machine, NoSignal, Rule
from andon_gateway.store import CAPACITY
from andon_gateway.tables import BadConfiguration, Table

# What the API takes.
STATE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,31}")
NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
MAX_ID: Final = 128

# So many abnormal reports in so long are at risk, by the rule `at-risk`.
_REPEATS: Final = 3  # services.dispatch.rules.at_risk.REPEATS
_WITHIN_MS: Final = 900_000  # services.dispatch.rules.at_risk.WITHIN_MS
AT_RISK_MS: Final = _WITHIN_MS // (_REPEATS - 1)


@dataclass(frozen=True, slots=True)
class Configuration:
    """All of it; is_clock_trusted: the host has a time server. health_port: 0: none."""

    north: ByHttps | ByMqtt
    store: Path
    capacity: int
    is_clock_trusted: bool
    health_port: int
    sources: tuple[AnySource, ...]
    machines: Mapping[str, Wired]


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
        file = Table(tomllib.loads(text), "")
    except tomllib.TOMLDecodeError as error:
        raise BadConfiguration(f"no TOML: {error}") from error
    andon = Table(file.take("andon", dict), "andon")
    sources = tuple(source_of(one, folder) for one in file.tables("source"))
    machines = [_machine(one, {source.name: source for source in sources}) for one in file.tables("machine")]
    found = Configuration(
        north=north_of(andon, folder, member=machines[0].id if machines else ""),
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
    if isinstance(found.north, ByMqtt) and not found.is_clock_trusted:
        raise BadConfiguration("andon.clock_is_right: should be true: over MQTT only a time server says the time")
    return found


def _machine(table: Table, sources: Mapping[str, AnySource]) -> Wired:
    id_, source = table.take("id", str), table.take("source", str)
    if not 0 < len(id_) <= MAX_ID or not id_.isprintable() or "/" in id_:
        raise BadConfiguration(f"{table.place}.id: should be 1 to {MAX_ID} printable characters without /")
    if source not in sources:
        raise BadConfiguration(f"{table.place}.source: there is no source {source}")
    tags = _tags(table, sources[source])
    rules = tuple(_rule(one, tags) for one in table.tables("states"))
    if [rule.when is None for rule in rules] != [*[False] * (len(rules) - 1), True]:
        raise BadConfiguration(f"{table.place}.states: the last one, and no other, is without `when`")
    repeat_ms = table.duration_ms("repeat")
    if repeat_ms is not None and repeat_ms <= AT_RISK_MS:
        raise BadConfiguration(
            f"{table.place}.repeat: should be longer than {AT_RISK_MS / MINUTE_MS:g} minutes, "
            "or each trouble is at risk"
        )
    silent = table.take("no_signal", dict, None)
    no_signal = None if silent is None else _no_signal(Table(silent, f"{table.place}.no_signal"))
    table.end()
    return Wired(id_, source, tags, Machine(rules, repeat_ms, no_signal))


def _tags(table: Table, source: AnySource) -> dict[str, str]:
    tags: dict[str, str] = table.take("values", dict)
    if not all(NAME.fullmatch(name) and isinstance(tag, str) for name, tag in tags.items()):
        raise BadConfiguration(f"{table.place}.values: should be names, each with a tag of its source")
    for name, tag in tags.items():
        try:
            require_tag(source, tag)
        except Malformed as error:
            raise BadConfiguration(f"{table.place}.values.{name}: {error}") from error
    return tags


def _no_signal(table: Table) -> NoSignal:
    after_ms = table.duration_ms("after")
    if after_ms is None:
        raise BadConfiguration(f"{table.place}: after is missing")
    found = NoSignal(after_ms, _state(table))
    table.end()
    return found


def _rule(table: Table, tags: Mapping[str, str]) -> Rule:
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


def _state(table: Table) -> str:
    state: str = table.take("is", str)
    if not STATE.fullmatch(state):
        raise BadConfiguration(f"{table.place}.is: should be capital letters, digits and _, at most 32: {state}")
    return state
