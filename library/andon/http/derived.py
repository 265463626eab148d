"""Pydantic models of declarations: made when a request or a document asks for them. No listener or trigger imports it.

A route takes a TypedDict as its body, and answers with one. Its inert marks become validators in a body; a response is
described by the types alone.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from types import MappingProxyType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    TypedDict,
    Union,
    get_args,
    get_origin,
    is_typeddict,
)

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, create_model, model_validator

from andon.http import models, said
from andon.http.models import PERSONAL_DATA, RequestModel, ResponseModel
from andon.http.response import Absent
from andon.runtime import texts, times
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import CHECK, Bounds, Kind, Named, Says, Takes, optional_of

NONE: Final[Any] = Absent

make_model: Final[Any] = create_model  # of members that are known when it runs


class Matches:
    """A text that fits a regular expression."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern


class Default:
    """The value of a member that a request leaves out; the member itself is always there."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:  # noqa: ANN401  any JSON
        self.value = value


class PageOf(NamedTuple):
    """A page of a list, in the responses of a route; item: a declaration. is_all: there is no other page."""

    item: Any
    name: str
    says: str
    is_all: bool = False


class Shown(NamedTuple):
    """A declaration in the responses of a route, under another name.

    more: members that it has besides, as a declaration has them. lacks: members that are left out for some callers.
    """

    kind: type
    name: str
    says: str | None = None
    more: JsonMapping = MappingProxyType({})
    lacks: frozenset[str] = frozenset()


def model_of(answer: Any) -> Any:  # noqa: ANN401
    """Return the model of a route's answer: a declaration, a page of one, a model, or a function that makes one."""
    if isinstance(answer, PageOf):
        return page_of(model_of(answer.item), answer.name, answer.says, is_all=answer.is_all)
    if callable(answer) and not isinstance(answer, type):
        answer = answer()
    if isinstance(answer, Shown):
        model = _response_of(answer.kind, answer.name, answer.says, answer.lacks)
        more = {name: _answered(kept) for name, kept in answer.more.items()}
        return make_model(answer.name, __base__=model, __doc__=model.__doc__, **more) if more else model
    return _response_of(answer) if is_typeddict(answer) else answer


SCHEMAS: Final[Mapping[Any, JsonMapping]] = {
    said.part: models.PART,
    said.identifier: models.IDENTIFIER,
    said.word: models.WORD,
    times.said: models.TIME,
    times.first_of: models.TIME_OR_DATE,
    times.last_of: models.TIME_OR_DATE,
    times.date: models.DATE,
}
"""Function of a mark -> what it says in JSON."""

_VALIDATORS: Final[Mapping[Any, Callable[[str], str]]] = {
    said.part: texts.part,
    said.identifier: texts.identifier,
    said.word: texts.word,
}

PLAIN: Final = frozenset({list, dict})
"""Types whose items are looked at as a whole, as plain values; a schema of the check adds to theirs."""

BOUNDS: Final[Mapping[Any, tuple[str, str]]] = dict.fromkeys((*PLAIN, str), ("min_length", "max_length"))
"""Type -> the names of its bounds; of any other type they are those of a number."""


@cache
def body_of(kind: type, name: str | None = None, says: str | None = None) -> type[RequestModel]:
    """Return the model of a request with the members of a declaration."""
    checks: tuple[Callable[[Any], None], ...] = getattr(kind, CHECK, ())
    validators = {"_check": model_validator(mode="after")(_checking(checks))} if checks else {}
    members = {name: _asked(kept, name in optional_of(kind)) for name, kept in kind.__annotations__.items()}
    called, doc = name or _name(kind, "Body"), says or kind.__doc__
    model: type[RequestModel] = make_model(
        called, __base__=RequestModel, __doc__=doc, __validators__=validators, **members
    )
    return model


@cache
def _response_of(
    kind: type, name: str | None = None, says: str | None = None, lacks: frozenset[str] = frozenset()
) -> type[ResponseModel]:
    """Return the model of a response; a member that may be left out is never null."""
    optional = optional_of(kind) | lacks
    members = {name: _answered(kept, name in optional) for name, kept in kind.__annotations__.items()}
    called, doc = name or _name(kind, "Response"), says or kind.__doc__
    model: type[ResponseModel] = make_model(called, __base__=ResponseModel, __doc__=doc, **members)
    return model


@cache
def page_of(item: type, name: str, says: str, *, is_all: bool = False) -> type[ResponseModel]:
    """Return the model of a page of responses."""
    cursor = {} if is_all else {"cursor": (str | NONE, None)}
    members: JsonObject = {"items": (list[item], ...), **cursor}  # type: ignore[valid-type]
    model: type[ResponseModel] = make_model(name, __base__=ResponseModel, __doc__=says, **members)
    return model


def typed_dict(name: str, says: str, members: JsonMapping) -> type:
    """Return a TypedDict by its name, docstring and members (name -> annotation)."""
    kind: type = TypedDict(name, dict(members))  # type: ignore[misc]
    kind.__doc__ = says
    return kind


def validated(kind: type[Kind], value: object) -> Kind:
    """Return the value of a request as a declaration has it, without members that were left out.

    Raises:
        ValidationError: it does not.

    """
    model: Any = body_of(kind)  # type: ignore[arg-type]
    said: Kind = plain(model.model_validate(value))
    return said


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a validated value with plain members, without those that were left out."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    return [plain(one) for one in value] if isinstance(value, list) else value


def _name(kind: type, ending: str) -> str:
    """Return the name of a schema: the declaration's, with its use as the ending."""
    name = kind.__name__.removesuffix("Entity").removesuffix("Version")
    return name if name.endswith(("Body", "Response")) else f"{name}{ending}"


def kind_of(annotation: Any, *, request: bool, inner: bool = False) -> Any:  # noqa: ANN401  an annotation -> what pydantic takes
    """Return the type of a member as pydantic takes it, with validators if it is of a request."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in {NotRequired, Required}:
        return kind_of(arguments[0], request=request, inner=inner)
    if origin is Annotated:
        return _marked(arguments[0], arguments[1:], request=request, inner=inner)
    if is_typeddict(annotation):
        return body_of(annotation) if request else _response_of(annotation)
    if origin is Literal or not arguments:
        return annotation
    kinds = tuple(kind_of(one, request=request, inner=True) for one in arguments)
    return Union[kinds] if origin in {Union, UnionType} else origin[kinds]  # noqa: UP007  of a tuple


def _marked(kept: Any, marks: tuple[Any, ...], *, request: bool, inner: bool) -> Any:  # noqa: ANN401
    named = next((mark for mark in marks if isinstance(mark, Named)), None)
    if named is not None:
        kind: Any = (body_of if request or named.is_said else _response_of)(kept, named.name)
    else:
        kind = kind_of(kept, request=request)
    found = [*_of_pydantic(marks, get_origin(kept) or kept, inner=inner)] if request else []
    if request and get_origin(kept) is dict:
        found.append(Field(json_schema_extra={"additionalProperties": False}))  # its names have a pattern
    return Annotated[kind, *found] if found else kind


def _of_pydantic(marks: tuple[Any, ...], kind: type, *, inner: bool) -> Iterator[Any]:
    """Yield pydantic's counterparts of marks, in their order: bounds before checks of all items.

    inner: of items, where pydantic takes no documentation but that of a schema.
    """
    documents = {name: value for name, value in _documents(marks).items() if inner or name == PERSONAL_DATA}
    for mark in marks:
        if isinstance(mark, Takes) and kind in PLAIN:
            yield AfterValidator(_upon_plain(mark.by))
            yield Field(json_schema_extra=dict(_schema_of(mark) or {}))
        elif isinstance(mark, Takes):
            yield AfterValidator(_validator_of(mark.by))
            if (schema := _schema_of(mark)) is not None:
                yield WithJsonSchema({**schema, **documents})
        elif isinstance(mark, Matches):
            yield Field(pattern=mark.pattern, json_schema_extra=documents)
        elif isinstance(mark, Bounds):
            yield _bounded(mark, kind)
    if documents and not any(isinstance(mark, (Takes, Matches)) for mark in marks):
        yield Field(json_schema_extra=documents)


def _bounded(mark: Bounds, kind: type) -> Any:  # noqa: ANN401
    least, most = BOUNDS.get(kind, ("ge", "le"))
    ends: JsonObject = {least: mark.least, most: mark.most}
    ends |= {"allow_inf_nan": False} if kind is float else {}
    return Field(**{name: value for name, value in ends.items() if value is not None})


def _validator_of(by: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the function itself of one that loads it when it is called."""
    if isinstance(by, said.OneLine):
        return partial(texts.lines if isinstance(by, said.SomeLines) else texts.line, longest=by.longest)
    return _VALIDATORS.get(by, by)


def _schema_of(mark: Takes) -> JsonMapping | None:
    by = mark.by
    if mark.schema is not None:
        return mark.schema() if callable(mark.schema) else mark.schema
    if isinstance(by, said.OneLine):
        return (models.lines if isinstance(by, said.SomeLines) else models.line)(by.longest)
    return SCHEMAS.get(by)


def _answered(annotation: Any, is_optional: bool = False) -> tuple[Any, Any]:  # noqa: ANN401, FBT001, FBT002
    kind = kind_of(annotation, request=False)
    origin: Any = get_origin(annotation)
    return (kind | NONE, None) if is_optional or origin is NotRequired else (kind, ...)


def _asked(annotation: Any, is_optional: bool) -> tuple[Any, Any]:  # noqa: ANN401, FBT001
    kind, documented = kind_of(annotation, request=True), _documented(annotation)
    if is_optional:
        return kind | None, Field(default=None, **documented)
    default = next((mark for mark in get_args(annotation)[1:] if isinstance(mark, Default)), None)
    return kind, Field(**documented) if default is None else Field(default=default.value, **documented)


def _documented(annotation: Any) -> JsonObject:  # noqa: ANN401
    if get_origin(annotation) in {NotRequired, Required}:
        return _documented(get_args(annotation)[0])
    found = _documents(get_args(annotation)[1:]) if get_origin(annotation) is Annotated else {}
    return {name: value for name, value in found.items() if name != PERSONAL_DATA}


def _documents(marks: tuple[Any, ...]) -> JsonObject:
    found: JsonObject = {}
    for mark in marks:
        if isinstance(mark, Says):
            found |= {} if mark.example is None else {"examples": [mark.example]}
            found |= {} if mark.description is None else {"description": mark.description}
            found |= {} if mark.personal is None else {PERSONAL_DATA: mark.personal}
    return found


def _upon_plain(by: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the check of a list or an object with items that pydantic has made models of; it keeps its value."""

    def checked(value: Any) -> Any:  # noqa: ANN401
        by(plain(value))
        return value

    return checked


def _checking(checks: tuple[Callable[[Any], None], ...]) -> Callable[[Any], Any]:
    def checked(self: Any) -> Any:  # noqa: ANN401
        said = self.model_dump(exclude_none=True)
        for check in checks:
            check(said)
        return self

    return checked
