"""Places of the factory: a company, `Acme`; a factory, `gdl-1`; and a line of it, `gdl-1:line-3`.

They are the names in callers' groups, `at:Acme`. No table says which factory is a company's, so that of people and
rosters, which have a factory alone, a caller at a company has none.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from andon.dynamodb.expressions import Condition
from andon.http.places import ELSEWHERE, SEPARATOR, Places, names_of
from andon.runtime.errors import Conflict, Forbidden
from andon.versions.optimistic_lock import Guard

Found = Callable[[Any], frozenset[str]]
"""A row -> its whereabouts."""

OfCompanies = Callable[[Sequence[str]], Condition]
"""Names of companies -> the condition that a row is one's."""

# An expression has at most 300 operators; each factory with lines takes four, and each company up to two.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MOST_FACTORIES_OF_LINES: Final = 40
TOO_MANY: Final = f"You are at lines of more than {MOST_FACTORIES_OF_LINES} factories; be at the factories instead."

FACTORY: Final = "factoryId"
LINE: Final = "lineId"


def whereabouts(company: str | None, factory_id: str | None, line_id: str | None) -> frozenset[str]:
    """Return the names of the places that a piece of equipment is at."""
    return names_of((company,), (factory_id,), (factory_id, line_id))


def guard(places: Places, *, found: Found, of_companies: OfCompanies) -> Guard | None:
    """Return the bound of a caller on the rows of equipment; None: the caller is everywhere.

    Raises:
        Forbidden: the caller is nowhere.
        Conflict: it is at lines of too many factories.

    """
    if places.is_everywhere:
        return None
    plain, lines = _plain(places), _lines(places)
    conditions = [_of_factories(plain), of_companies(plain)] if plain else []
    conditions += [_of_lines(number, *of_factory) for number, of_factory in enumerate(lines.items())]
    return _guard(conditions, lambda row: row is not None and places.include(found(row)))


def are_in_factory(places: Places, factory_id: str) -> bool:
    """Return True if a caller is at a factory, or at a line of it."""
    factory = names_of((factory_id,))
    return places.include(factory) or not factory.isdisjoint(_lines_of(places))


def one_of(expression: str, names: Mapping[str, str], values: Mapping[str, Any]) -> Condition:
    """Return the condition that an attribute, as `#a` or `#a.#b`, is one of some values.

    It takes a hundred, and a user of Cognito is in no more groups.
    https://docs.aws.amazon.com/cognito/latest/developerguide/limits.html
    """
    return Condition(f"{expression} IN ({', '.join(f':{place}' for place in values)})", names, values)


def numbered(kind: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return values by their placeholders."""
    return {f"{kind}{number}": value for number, value in enumerate(values)}


def _plain(places: Places) -> list[str]:
    return sorted(name for name in places.names if name and SEPARATOR not in name)


def _lines(places: Places) -> Mapping[str, list[str]]:
    """Return lines by their factory.

    Raises:
        Conflict: they are of too many.

    """
    lines = _lines_of(places)
    if len(lines) > MOST_FACTORIES_OF_LINES:
        raise Conflict(TOO_MANY)
    return lines


def _lines_of(places: Places) -> Mapping[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for factory, _, line in (name.partition(SEPARATOR) for name in sorted(places.names)):
        if factory and line and SEPARATOR not in line:
            lines.setdefault(factory, []).append(line)
    return lines


def _of_factories(names: Sequence[str]) -> Condition:
    return one_of(f"#{FACTORY}", {FACTORY: FACTORY}, numbered("factory", names))


def _of_lines(number: int, factory: str, lines: Sequence[str]) -> Condition:
    among = one_of(f"#{LINE}", {LINE: LINE}, numbered(f"line{number}of", lines))
    expression = f"#{FACTORY} = :factoryOf{number} AND {among.expression}"
    return Condition(expression, {FACTORY: FACTORY, LINE: LINE}, {f"factoryOf{number}": factory, **among.values})


def _guard(conditions: Sequence[Condition], admits: Callable[[Any], bool]) -> Guard:
    """Return the guard of any of the conditions: AND binds tighter than OR."""
    if not conditions:
        raise Forbidden(ELSEWHERE)
    condition = Condition(
        " OR ".join(one.expression for one in conditions),
        {place: name for one in conditions for place, name in one.names.items()},
        {place: value for one in conditions for place, value in one.values.items()},
    )
    return Guard(condition=condition, admits=admits, otherwise=Forbidden(ELSEWHERE))
