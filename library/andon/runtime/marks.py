"""Inert marks in the annotations of a declaration: bounds of a member, its documentation, its value in older rows.

    name: Annotated[str, Takes(texts.line, schema), Says(example="Lamp 7", personal="no")]
    vendor: NotRequired[Line]

Commands make validators of them, a synth schemas; see `andon.http.derived`. A cold start pays for each declaration, so
they are plain classes: one of a NamedTuple costs 0.2 ms. A module with declarations must not import annotations from
`__future__`: what is required, and every mark, is read from the annotations themselves.
"""

import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, TypeVar, get_args, get_origin

from andon.runtime.json_types import JsonMapping

if TYPE_CHECKING:
    from typing import Annotated as Annotated  # noqa: PLC0414  for others
    from typing import NotRequired as NotRequired  # noqa: PLC0414  the same

    Personal = Literal["no", "possible", "yes"]
else:
    MARKED = typing.Annotated[str, None]
    OPTIONAL = typing.NotRequired[str]

    class Annotated:
        """The annotation of `typing`, made in a tenth of its time: a module with declarations has dozens."""

        def __class_getitem__(cls, said: tuple[Any, ...]) -> object:
            kind, *marks = said
            if type(kind) is type(MARKED):
                kind, marks = kind.__origin__, (*kind.__metadata__, *marks)
            return _alias(MARKED, __origin__=kind, __args__=(kind,), __metadata__=tuple(marks))

    class NotRequired:
        """The same of that one."""

        def __class_getitem__(cls, kind: object) -> object:
            return _alias(OPTIONAL, __args__=(kind,))

    def _alias(like: object, **said: object) -> object:
        """Return an alias like another one; its class sets each attribute by a function of its own."""
        made = object.__new__(type(like))
        made.__dict__.update(like.__dict__, **said)
        return made


Kind = TypeVar("Kind")

CHECK: Final = "__check__"
"""The attribute of a declaration with the functions that check it as a whole."""


class Takes:
    """A value that a function takes, and returns as it is kept; it raises ValueError. schema: says the same in JSON.

    A list or an object it takes as plain values, and keeps; its schema adds to that of the type. A function may return
    the schema, and load then what that takes.
    """

    __slots__ = ("by", "schema")

    def __init__(self, by: Callable[[Any], Any], schema: JsonMapping | Callable[[], JsonMapping] | None = None) -> None:
        self.by, self.schema = by, schema


class Bounds:
    """The least and the most of a number, of the items of a list or an object, or of the characters of a text."""

    __slots__ = ("least", "most")

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most


class Says:
    """Documentation of a member, for the OpenAPI document."""

    __slots__ = ("description", "example", "personal")

    def __init__(
        self,
        example: Any = None,  # noqa: ANN401  any JSON
        personal: "Personal | None" = None,
        *,
        description: str | None = None,
    ) -> None:
        self.example, self.personal, self.description = example, personal, description


class Named:
    """The name of a nested object's schema. is_said: it is that of a request, also in responses."""

    __slots__ = ("is_said", "name")

    def __init__(self, name: str, *, is_said: bool = True) -> None:
        self.name, self.is_said = name, is_said


class Gained:
    """A member of which rows and events from before its declaration say this instead; a request has to say it.

    formerly: the name that the member had then, under which they may say it.
    """

    __slots__ = ("formerly", "instead")

    def __init__(self, instead: Any, formerly: str | None = None) -> None:  # noqa: ANN401  any JSON; None: nothing
        self.instead, self.formerly = instead, formerly


class ResourceEntity(TypedDict):
    """A version of a resource in an event, its content aside; `validFrom` and `ownedSince`: fixed-width UTC."""

    id: str
    version: int
    validFrom: NotRequired[str]
    ownedSince: NotRequired[str]
    deleted: NotRequired[Literal[True]]


def checked(*by: Callable[[Any], None]) -> Callable[[type[Kind]], type[Kind]]:
    """Let functions check a body as a whole, behind its members; the first that raises ValueError is the refusal."""

    def mark(kind: type[Kind]) -> type[Kind]:
        setattr(kind, CHECK, by)
        return kind

    return mark


def optional_of(kind: type) -> frozenset[str]:
    """Return the members of a declaration that may be left out."""
    optional: frozenset[str] = kind.__optional_keys__  # type: ignore[attr-defined]
    return optional


def without(kind: type, dropped: frozenset[str], *, name: str) -> type:
    """Return a declaration with dropped members optional; the same one if none is dropped."""
    dropped = dropped & kind.__annotations__.keys() - optional_of(kind)
    if not dropped:
        return kind
    said = {one: NotRequired[said] if one in dropped else said for one, said in kind.__annotations__.items()}
    found: type = TypedDict(name, said)  # type: ignore[misc]
    found.__doc__ = kind.__doc__
    return found


def gained_of(kind: type) -> dict[str, Gained]:
    """Return the members of a declaration that older rows lack, each with its substitute."""
    marks = {name: _marks(said) for name, said in kind.__annotations__.items()}
    return {name: mark for name, of in marks.items() for mark in of if isinstance(mark, Gained)}


def _marks(said: Any) -> tuple[Any, ...]:  # noqa: ANN401  an annotation
    if get_origin(said) is typing.NotRequired:
        return _marks(get_args(said)[0])
    return get_args(said)[1:] if get_origin(said) is typing.Annotated else ()
