"""TypedDicts that hypothesis makes up, and values for their schemas."""

from typing import Any, Final, Literal, NotRequired, TypedDict

from hypothesis import strategies as st

from andon.runtime.json_types import JsonObject

NAMES: Final = ("id", "place", "size")
SCALARS: Final = (str, int, float, bool, Literal["north", "south"], Literal["north", "east", "west"])

_numbers = iter(range(10**9))


def _typed_dict(members: dict[str, Any]) -> Any:  # noqa: ANN401  a type
    return TypedDict(f"Made{next(_numbers)}", members)  # type: ignore[operator]  # each has a name of its own


def _members(kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    member = st.one_of(kinds, kinds.map(lambda kind: NotRequired[kind]))
    return st.dictionaries(st.sampled_from(NAMES), member, min_size=1).map(_typed_dict)


def _wider(kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        _members(kinds),
        kinds.map(lambda kind: list[kind]),  # type: ignore[valid-type]
        st.tuples(kinds, kinds).map(lambda pair: pair[0] | pair[1] if pair[0] is not pair[1] else pair[0]),
    )


KINDS: Final = st.recursive(st.sampled_from(SCALARS), _wider, max_leaves=6)
ENTITIES: Final = _members(KINDS)
"""Types of entities."""

VALUES: Final = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.just(1.5), st.sampled_from(["north", "east", "x", ""])),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from((*NAMES, "other")), inner, max_size=3),
    max_leaves=6,
)
"""JSON of any kind, most of it near to what some type says."""


@st.composite
def near(draw: st.DrawFn, schema: JsonObject) -> Any:  # noqa: ANN401  any JSON
    """Return a value that mostly fits a schema."""
    if draw(st.integers(0, 19)) == 0:
        return draw(VALUES)
    return draw(fitting(schema))


@st.composite
def fitting(draw: st.DrawFn, schema: JsonObject) -> Any:  # noqa: ANN401
    """Return a value for a schema, in which members are near it."""
    match schema:
        case {"anyOf": alternatives}:
            return draw(near(draw(st.sampled_from(alternatives))))
        case {"enum": listed}:
            return draw(st.sampled_from(listed))
        case {"type": "array", "items": items}:
            return draw(st.lists(near(items), max_size=2))
        case {"properties": said, "required": required}:
            names = [name for name in said if name in required or draw(st.booleans())]
            return {name: draw(near(said[name])) for name in names}
    return draw(_SCALARS[schema["type"]])


_SCALARS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "string": st.sampled_from(["north", "x", ""]),
    "integer": st.integers(-9, 9),
    "number": st.one_of(st.integers(-9, 9), st.just(1.5)),
    "boolean": st.booleans(),
}
