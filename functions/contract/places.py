"""Places of the factory: a company, `Acme`; a factory, `gdl-1`; and a line of it, `gdl-1:line-3`.

They are the names in callers' groups, `at:Acme`. No table says which factory is a company's, so that of people and
rosters, which have a factory alone, a caller at a company has none.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from andon.dynamodb.expressions import Condition
from andon.http.places import ELSEWHERE, SEPARATOR, Places, names_of
from andon.runtime.errors import Forbidden
from andon.versions.optimistic_lock import Guard

Found = Callable[[Any], frozenset[str]]
"""A row -> its whereabouts."""

OfCompanies = Callable[[Sequence[str]], Condition]
"""Names of companies -> the condition that a row is one's."""

FACTORY: Final = "factoryId"
LINE: Final = "lineId"


def whereabouts(company: str | None, factory_id: str | None, line_id: str | None) -> frozenset[str]:
    """Return the names of the places that a piece of equipment is at."""
    return names_of((company,), (factory_id,), (factory_id, line_id))


def guard(places: Places, *, found: Found, of_companies: OfCompanies) -> Guard | None:
    """Return the bound of a caller on the rows of equipment; None: the caller is everywhere.

    Raises:
        Forbidden: the caller is nowhere.

    """
    if places.is_everywhere:
        return None
    plain, lines = _plain(places), _lines(places)
    conditions = [_of_factories(plain), of_companies(plain)] if plain else []
    conditions += [_of_line(number, *line) for number, line in enumerate(lines)]
    return _guard(conditions, lambda row: row is not None and places.include(found(row)))


def guard_of_factory(places: Places, *, admits: Callable[[Any], bool]) -> Guard | None:
    """Return the same for rows that have a factory alone.

    Raises:
        Forbidden: the caller is at no factory.

    """
    if places.is_everywhere:
        return None
    plain = _plain(places)
    return _guard([_of_factories(plain)] if plain else [], admits)


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


def _lines(places: Places) -> list[tuple[str, str]]:
    paths = (name.partition(SEPARATOR) for name in sorted(places.names))
    return [(factory, line) for factory, _, line in paths if factory and line and SEPARATOR not in line]


def _of_factories(names: Sequence[str]) -> Condition:
    return one_of(f"#{FACTORY}", {FACTORY: FACTORY}, numbered("factory", names))


def _of_line(number: int, factory: str, line: str) -> Condition:
    values = {f"factoryOf{number}": factory, f"line{number}": line}
    expression = f"#{FACTORY} = :factoryOf{number} AND #{LINE} = :line{number}"
    return Condition(expression, {FACTORY: FACTORY, LINE: LINE}, values)


def _guard(conditions: Sequence[Condition], admits: Callable[[Any], bool]) -> Guard:
    """Return the guard that admits what one of the conditions does: AND binds tighter than OR."""
    if not conditions:
        raise Forbidden(ELSEWHERE)
    condition = Condition(
        " OR ".join(one.expression for one in conditions),
        {place: name for one in conditions for place, name in one.names.items()},
        {place: value for one in conditions for place, value in one.values.items()},
    )
    return Guard(condition=condition, admits=admits, otherwise=Forbidden(ELSEWHERE))
