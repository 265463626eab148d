"""The API as its document and every handler say it: operations, who may call each, and good requests."""

import copy
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, Self
from urllib.parse import quote, urlencode

import schemathesis
from schemathesis import Case

from andon.outbound.addresses import MAIL_PATTERN
from andon.packages.discovery import apis
from andon.project import project
from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS, HOUR_MS
from contract import groups
from contract.names import CALL_NAME_PATTERN, TROUBLE_PATTERN
from contract.people import PERSON_PATTERN

DOCUMENT: Final = project().root / "docs" / "openapi.json"
JSON: Final = "application/json"
OURS: Final = "attack-"
"""Begins the name of whatever the attack makes, so that nothing else is touched."""
BADGE: Final = "at-"
"""Begins the badges of its people."""

SHOWN_BYTES: Final = 300  # of a body, in a reproduction

Schema = Mapping[str, Any]
Place = tuple[str | int, ...]


class Raw(str):
    """A path parameter that is sent as it is: it is percent-encoded already, or wrongly so."""

    __slots__ = ()


def encoded(text: str) -> str:
    """Return a part of a path, percent-encoded, whether or not it is Unicode."""
    return quote(text.encode(errors="surrogatepass"), safe=":")


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request; `target` is path and query, percent-encoded."""

    method: str
    target: str
    headers: tuple[tuple[str, str | bytes], ...] = ()
    body: bytes | None = None

    def asking(self, query: Sequence[tuple[str, str]] | str) -> Self:
        """Return it with a query, of pairs or as it is."""
        text = query if isinstance(query, str) else urlencode(query, errors="surrogatepass")
        return replace(self, target=f"{self.target}?{text}")

    def with_header(self, name: str, value: str | bytes | None) -> Self:
        """Return it with another value of a header; None: without it."""
        others = tuple(one for one in self.headers if one[0] != name)
        return replace(self, headers=others if value is None else (*others, (name, value)))

    def having(self, body: bytes | None) -> Self:
        """Return it with another body."""
        return replace(self, body=body)

    @property
    def curl(self) -> str:
        """The command that sends it again; a long body is cut."""
        words = ["curl", "-i", "--path-as-is", "-X", self.method, f'"$API"{shlex.quote(self.target)}']
        if all(name != "authorization" for name, _ in self.headers):
            words += ["-H", '"authorization: Bearer $TOKEN"']
        for name, value in self.headers:
            text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
            words += ["-H", shlex.quote(f"{name}: {text}")]
        if self.body is not None:
            shown = self.body[:SHOWN_BYTES].decode(errors="backslashreplace")
            cut = f"  # {len(self.body)} bytes" if len(self.body) > SHOWN_BYTES else ""
            words += ["--data-binary", shlex.quote(shown) + cut]
        return " ".join(words)


class OperationParameter(NamedTuple):
    """A parameter of an operation; `where` is `path`, `query` or `header`."""

    name: str
    where: str
    schema: Schema


class RequestSlot(NamedTuple):
    """A place in a request for a value of `schema`: a parameter, or a member of the `body`. filled: a value -> it."""

    name: str
    where: str
    schema: Schema
    filled: Callable[[Any], RawRequest]


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One operation, with the groups that may call it; `api` is schemathesis's."""

    method: str
    path: str
    parameters: tuple[OperationParameter, ...]
    body: Schema | None
    groups: frozenset[str]
    api: Any

    @property
    def name(self) -> str:
        """Its route, as in `GET /equipment/{id}`."""
        return f"{self.method} {self.path}"

    def of(self, where: str) -> list[OperationParameter]:
        """Return the parameters of the path, the query or the header."""
        return [parameter for parameter in self.parameters if parameter.where == where]

    def case(self) -> Case[Any]:
        """Return schemathesis's form of a request of which it knows nothing but the operation."""
        made: Case[Any] = self.api.Case(path_parameters={parameter.name: "x" for parameter in self.of("path")})
        return made

    def content(self) -> Any:  # noqa: ANN401  any JSON
        """Return a good body; None where there is none."""
        return None if self.body is None else example(self.body)

    def request(self, path: Mapping[str, str] | None = None, *, content: Any = None) -> RawRequest:  # noqa: ANN401
        """Return a good request; `path` has the parameters that are not to be examples, `content` another body."""
        given = {parameter.name: str(example(parameter.schema)) for parameter in self.of("path")} | dict(path or {})
        target = self.path
        for name, value in given.items():
            target = target.replace(f"{{{name}}}", value if isinstance(value, Raw) else encoded(value))
        content = self.content() if content is None else content
        if content is None:
            return RawRequest(self.method, target)
        return RawRequest(self.method, target, (("content-type", JSON),), as_json(content))

    def slots(self) -> Iterator[RequestSlot]:
        """Yield every place of a good request that takes a value."""
        good, content = self.request(), self.content()
        for one in self.parameters:
            yield RequestSlot(one.name, one.where, one.schema, partial(self._with, one))
        for place, member in members(self.body or {}, content):
            yield RequestSlot(str(place[-1]), "body", member, partial(_with_member, good, content, place))

    def _with(self, parameter: OperationParameter, value: Any) -> RawRequest:  # noqa: ANN401
        if parameter.where == "path":
            return self.request({parameter.name: value})
        good = self.request()
        return (
            good.with_header(parameter.name, value)
            if parameter.where == "header"
            else good.asking([(parameter.name, value)])
        )


def read() -> list[Operation]:
    """Read all operations, in the order of the document."""
    document = json.loads(DOCUMENT.read_text())
    del document["security"]  # tokens are a part of the attack of their own
    schema = schemathesis.openapi.from_dict(document)
    # A public route lets each group in, for it asks for none.
    routes = {route: found or frozenset(groups.ALL) for one in apis() for route, found in one.routes.items()}
    return [
        Operation(
            method.upper(),
            path,
            tuple(OperationParameter(one["name"], one["in"], one["schema"]) for one in said.get("parameters", ())),
            said["requestBody"]["content"][JSON]["schema"] if "requestBody" in said else None,
            routes[f"{method.upper()} {path}"],
            schema[path][method],
        )
        for path, operations in _resolved(document["paths"], document["components"]["schemas"]).items()
        for method, said in operations.items()
    ]


def example(schema: Schema) -> Any:  # noqa: ANN401, PLR0911  any JSON; one return for each kind
    """Return a value that fits a schema: its example, or the smallest; a time is now, a day tomorrow."""
    match schema.get("format"):
        case "date-time":
            return now()
        case "date":
            return day(1)
    if "examples" in schema:
        return of_ours(schema, copy.deepcopy(schema["examples"][0]))
    if "anyOf" in schema:
        return example(schema["anyOf"][0])
    match schema.get("type"):
        case "object":
            return {name: example(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [example(schema["items"])]
        case "integer":
            return int(schema.get("minimum", 1))
    return "x"


def of_ours(schema: Schema, value: Any) -> Any:  # noqa: ANN401  any JSON
    """Return a value about things and people of the attack's own, for it erases some of them.

    A person gets a badge with the number at the end of the value, which has two digits at least.
    """
    if isinstance(value, list):
        return [of_ours(schema.get("items", {}), one) for one in value]
    if schema.get("pattern") == PERSON_PATTERN:
        return BADGE + value.rpartition("-")[2]
    return OURS + value if is_name(schema) else value


def now() -> str:
    """Return the hour that has begun as the API writes it: the same in all that is about one thing."""
    return times.to_utc(clock.now_ms() // HOUR_MS * HOUR_MS)


def day(ahead: int) -> str:
    """Return a day so many ahead, as the API writes it: today may be over before the run is."""
    return times.to_utc(clock.now_ms() + ahead * DAY_MS)[: len("2026-11-30")]


def another(schema: Schema, number: int) -> str | int | None:
    """Return a value that fits a schema, and is no example: as many as there are numbers; None: not for this kind.

    None also for what a catalog may have to know, and for what a chain is on.
    """
    one = schema.get("anyOf", [schema])[0]
    if one.get("pattern") in {CALL_NAME_PATTERN, TROUBLE_PATTERN}:
        return None
    match one.get("type"), one.get("format"):
        case "string", "date":
            return day(2 + number)
        case "string", None:
            person = f"{BADGE}8{number:02}"  # may be a person's id, too
            return f"{person}@example.com" if one.get("pattern") == MAIL_PATTERN else person
        case "integer", _:
            return int(one.get("minimum", 1)) + number
    return None


def is_name(schema: Schema) -> bool:
    """Return True if it is an identifier, which may stand in a path."""
    return "maxLength" in schema and "/" in schema.get("pattern", "")


def members(schema: Schema, content: Any, place: Place = ()) -> Iterator[tuple[Place, Schema]]:  # noqa: ANN401
    """Yield the members that a body may have, however deep, each with its place; of an array the first element."""
    inner = (
        schema.get("properties", {})
        if isinstance(content, dict)
        else {0: schema.get("items", {})}
        if isinstance(content, list)
        else {}
    )
    for name, member in inner.items():
        yield (*place, name), member
        yield from members(member, content[name] if name == 0 else content.get(name), (*place, name))


def put(content: Any, place: Place, value: Any) -> Any:  # noqa: ANN401
    """Return a body with another value at `place`; the rest of it is shared with the given one."""
    name, *inner = place
    changed = copy.copy(content)
    changed[name] = put(content[name], tuple(inner), value) if inner else value
    return changed


def as_json(content: Any) -> bytes:  # noqa: ANN401
    """Return a body as it is sent."""
    return json.dumps(content, separators=(",", ":")).encode()


def _with_member(good: RawRequest, content: Any, place: Place, value: Any) -> RawRequest:  # noqa: ANN401
    return good.having(as_json(put(content, place, value)))


def _resolved(schema: Any, models: Schema) -> Any:  # noqa: ANN401
    """Put what a `$ref` points to in its place."""

    def resolve(one: dict[str, Any]) -> Any:  # noqa: ANN401
        return _resolved(models[one["$ref"].rpartition("/")[2]], models) if "$ref" in one else one

    return json.loads(json.dumps(schema), object_hook=resolve)
