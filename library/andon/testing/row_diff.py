"""The difference of two states of a table, row by row and attribute by attribute."""

from collections.abc import Iterator, Mapping

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import Keys


def diff_rows(before: list[Item], after: list[Item], keys: Keys) -> Iterator[str]:
    """Return lines: `+` a new row or attribute, `-` a removed one, `~` a changed one with both values."""
    was, now = _by_key(before, keys), _by_key(after, keys)
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            sign = "~" if key in was and key in now else "+" if key in now else "-"
            yield f"{sign} " + ", ".join(f"{name} = {value}" for name, value in zip(keys.names, key, strict=True))
            yield from (f"    {line}" for line in _attributes(was.get(key, {}), now.get(key, {}), keys))


def _by_key(rows: list[Item], keys: Keys) -> dict[tuple[str, ...], Item]:
    return {tuple(str(row[name]) for name in keys.names): row for row in rows}


def _attributes(was: Mapping[str, object], now: Mapping[str, object], keys: Keys) -> Iterator[str]:
    for name in sorted((was.keys() | now.keys()) - set(keys.names)):
        if name not in was:
            yield f"+ {name}: {now[name]!r}"
        elif name not in now:
            yield f"- {name}: {was[name]!r}"
        elif was[name] != now[name]:
            yield f"~ {name}: {was[name]!r} -> {now[name]!r}"
