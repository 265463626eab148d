"""The arguments of a route's function, validated: its annotations declare their types and their parts of a request.

    def put_thing(thing_id: ThingId, body: ThingBody, if_match: IfMatch = None) -> Response:

An argument with a `Path`, `Query` or `Header` in its annotation is a parameter; the one without is the body. A body
that is declared, as a TypedDict with inert marks, comes as a dictionary, without what was left out.
"""

import base64
import binascii
import inspect
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_args, get_origin, is_typeddict
from urllib.parse import parse_qsl

from pydantic import TypeAdapter, ValidationError

from andon.http.derived import kind_of, plain
from andon.http.models import fields_of
from andon.http.parameters import Parameter
from andon.runtime import strict_json
from andon.runtime.errors import FieldError, Invalid
from andon.runtime.json_types import JsonMapping

# The event of API Gateway -> the body of a request, or a clear refusal.

# A hundred reports with details of 4 KB fit; API Gateway itself takes up to 10 MB.
MAX_BODY_BYTES = 512 * 1024

JSON: Final = "application/json"


def text_of(event: JsonMapping) -> str | None:
    """Return the body of a request as text, None if it has none.

    Raises:
        Invalid: it is not UTF-8, too large, or not sent as JSON.

    """
    body = event.get("body")
    if not body:
        return None
    if event.get("isBase64Encoded"):
        body = _decoded(body)
    if len(body.encode(errors="replace")) > MAX_BODY_BYTES:
        raise Invalid.field("body", f"is over {MAX_BODY_BYTES} bytes")
    media_type = (event.get("headers") or {}).get("content-type", JSON).partition(";")[0].strip().lower()
    if media_type != JSON:
        raise Invalid.field("header.content-type", f"must be {JSON}")
    return str(body)


def parse(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of a body.

    Raises:
        Invalid: it is not JSON, or not JSON that we could store.

    """
    try:
        return strict_json.loads(text)
    except ValueError as error:
        raise Invalid.field("body", f"is not valid JSON: {error}") from error


def require_single(raw_query: str) -> None:
    """Check that no parameter came twice: API Gateway joins its values.

    Raises:
        Invalid: some did.

    """
    if not raw_query:
        return
    names = [name for name, _ in parse_qsl(raw_query, keep_blank_values=True)]
    repeated = sorted({name for name, times in Counter(names).items() if times > 1})
    if repeated:
        fields = tuple(FieldError(f"query.{name}", "may be given once") for name in repeated)
        raise Invalid("The request is invalid.", fields=fields)


def _decoded(body: str) -> str:
    try:
        return base64.b64decode(body, validate=True).decode()
    except (binascii.Error, ValueError):
        raise Invalid.field("body", "is not UTF-8") from None


TAKES: Final = "__takes__"
"""The attribute of a function that is made, by which its signature is made when it is asked for."""

REQUIRED: Final = inspect.Parameter.empty
"""The default of an argument that has none."""

MEMBERS: Final = {"path": "pathParameters", "query": "queryStringParameters", "header": "headers"}
"""Part of a request -> the member of API Gateway's event that has it."""

BODY: Final = "body"

Function = TypeVar("Function", bound=Callable[..., object])
Takes = Mapping[str, tuple[Any, Any]]
"""Argument of a route's function -> its annotation, or a partial function that makes it, and its default."""


class Argument(NamedTuple):
    """An argument of a function: its type and default, and the part of a request that has it, under an alias."""

    name: str
    kind: Any
    default: Any
    part: str = BODY
    alias: str = BODY
    description: str | None = None

    @property
    def field(self) -> str:
        """Its name in a refusal, as `query.limit`."""
        return BODY if self.part == BODY else f"{self.part}.{self.alias}"

    @property
    def is_declared(self) -> bool:
        """True if it is a body by a declaration, or by a list of such."""
        kind = _plain(self.kind)
        return is_typeddict(_plain(get_args(kind)[0]) if get_origin(kind) is list else kind)

    @property
    def taken(self) -> Any:  # noqa: ANN401
        """Its type, as pydantic takes it."""
        return kind_of(self.kind, request=True) if self.is_declared else self.kind


def arguments_of(function: Callable[..., object]) -> tuple[Argument, ...]:
    """Return the arguments of a function: those of the path first, then of the query, of headers, and the body.

    Raises:
        ValueError: several of them would be the body.

    """
    made = getattr(function, TAKES, None)
    signature = inspect.signature(function, eval_str=True) if made is None else made()
    found = [_argument(one) for one in signature.parameters.values()]
    bodies = [one.name for one in found if one.part == BODY]
    if len(bodies) > 1:
        raise ValueError(f"{', '.join(bodies)}: one of them is the body; the others need a Path, Query or Header")
    return tuple(sorted(found, key=lambda one: [*MEMBERS, BODY].index(one.part)))


def answering(function: Function, name: str, says: str, takes: Takes) -> Function:
    """Let a function answer a route; its signature is made when it is asked for: a process serves few of its routes."""

    def signature() -> inspect.Signature:
        return inspect.Signature(
            [
                inspect.Parameter(
                    one,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=kind() if isinstance(kind, partial) else kind,
                )
                for one, (kind, default) in takes.items()
            ]
        )

    function.__name__, function.__doc__ = name, says
    setattr(function, TAKES, signature)
    return function


class Validator:
    """Validates a request's values for the arguments of a function."""

    def __init__(self, function: Callable[..., object]) -> None:
        arguments = arguments_of(function)
        self._adapters = [(one, TypeAdapter[Any](one.taken)) for one in arguments]
        self._declared = frozenset(one.name for one in arguments if one.is_declared)
        self._takes_body = any(one.part == BODY for one in arguments)
        self._queries = frozenset(one.alias for one in arguments if one.part == "query")

    def arguments_in(self, event: JsonMapping) -> dict[str, Any]:  # noqa: PLR0915  each argument has one of three fates
        """Return the arguments by their names.

        Raises:
            Invalid: some are missing or wrong, the query has one that the function does not know, or has one twice, or
                the body is no JSON; each offending field is named.

        """
        given = self._given_in(event)
        arguments, wrong = dict[str, Any](), list[FieldError]()
        for one, adapter in self._adapters:
            value = given[one.part].get(one.alias)
            if value is None and one.default is REQUIRED:
                wrong.append(FieldError(one.field, "Field required"))
            elif value is None:
                arguments[one.name] = one.default
            else:
                try:
                    taken = adapter.validate_python(value)
                    arguments[one.name] = plain(taken) if one.name in self._declared else taken
                except ValidationError as error:
                    wrong += fields_of(error.errors(include_url=False), below=one.field)
        wrong += unknown(given["query"], self._queries)
        if wrong:
            raise Invalid("The request is invalid.", fields=tuple(wrong))
        return arguments

    def _given_in(self, event: JsonMapping) -> dict[str, JsonMapping]:
        """Return the values that a request has, by part and alias."""
        require_single(event.get("rawQueryString", ""))
        text = text_of(event)
        given: dict[str, JsonMapping] = {part: event.get(member) or {} for part, member in MEMBERS.items()}
        if self._takes_body:
            given[BODY] = {BODY: None if text is None else parse(text)}
        return given


def unknown(query: Mapping[str, str], known: AbstractSet[str]) -> list[FieldError]:
    """Return an error for each parameter that a route does not know: a mistyped `form=` must not list all."""
    return [FieldError(f"query.{name}", "is not a parameter of this route") for name in sorted(query.keys() - known)]


def _plain(kind: Any) -> Any:  # noqa: ANN401  an annotation -> its type, without marks
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _argument(one: inspect.Parameter) -> Argument:
    marks = get_args(one.annotation)[1:] if get_origin(one.annotation) is Annotated else ()
    parameter = next(filter(None, map(_parameter, marks)), None)
    if parameter is None:
        return Argument(one.name, one.annotation, one.default)
    alias = parameter.alias or one.name
    # API Gateway has the names of headers in lower case.
    alias = alias.lower() if parameter.part == "header" else alias
    return Argument(one.name, one.annotation, one.default, parameter.part, alias, parameter.description)


def _parameter(mark: Any) -> Parameter | None:  # noqa: ANN401  annotations hold anything
    """Return the parameter that a mark of an annotation says; Powertools' are read as projects of 0.1.0 have them."""
    if isinstance(mark, Parameter):
        return mark
    if not hasattr(mark, "in_"):
        return None
    said = f"take {type(mark).__name__} from andon.http.parameters, in place of Powertools'"
    warnings.warn(said, DeprecationWarning, stacklevel=2)
    return Parameter(mark.in_.value, mark.alias, mark.description)
