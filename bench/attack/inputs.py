"""Hostile requests to every operation: half made up by schemathesis against the schemas, half from tables."""

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, cast

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy
from requests import Request as Unprepared
from schemathesis import GenerationMode

from andon.tools.stack.api import Answer
from bench.attack import hostile, operations
from bench.attack.hostile import Kind, Wanted
from bench.attack.judge import is_refused
from bench.attack.operations import Operation, Parameter, example, put
from bench.attack.target import Target
from bench.attack.wire import Raw, Request, side_by_side

PART: Final = "inputs"
MADE_UP: Final = "made up against the schema"
LONG: Final = 8_000
Case = schemathesis.Case[Any]

HEALTH: Final = [*HealthCheck]
ITS_OWN: Final = {"content-length", "user-agent", "connection", "x-schemathesis-testcaseid"}  # headers


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request with something hostile in it; `value`: a text that must not be kept as it is.

    made_up: schemathesis's form of it, which knows what is wrong.
    """

    kind: str
    operation: Operation
    request: Request
    wanted: Wanted = Wanted.ANYTHING
    value: Any = None
    made_up: Case | None = None


def attack(target: Target, *, requests: int, dice: random.Random) -> None:
    """Send so many requests: of each kind of the tables as many as of any other, and as many made up as of them all."""
    for operation in target.operations:
        if operation.method == "PUT":
            target.send(operation.request())  # so that not every request is about nothing
    attempts = chosen(target.operations, requests, dice)
    for one, answer in zip(attempts, side_by_side(lambda one: target.send(one.request), attempts), strict=True):
        effects = [] if _is_another(one) else target.judge.effects(one.operation, answer, one.made_up)
        target.note(PART, one.kind, one.request, answer, [*effects, *_kept(one, answer)])


def chosen(among: Sequence[Operation], requests: int, dice: random.Random) -> list[Attempt]:
    """Choose the requests of a run; the same dice choose the same."""
    by_kind: dict[str, list[Attempt]] = defaultdict(list)
    for operation in among:
        for one in of_tables(operation):
            by_kind[one.kind].append(one)
    queues = [dice.sample(by_kind[kind], len(by_kind[kind])) for kind in sorted(by_kind)]
    in_turn = [queue[n] for n in range(max(map(len, queues))) for queue in queues if n < len(queue)]
    picked = in_turn[: requests // 2]
    return picked + made_up(among, requests - len(picked), dice)


def made_up(among: Sequence[Operation], count: int, dice: random.Random) -> list[Attempt]:
    """Make up requests that break the schema of their operation, or several of its rules at once."""
    each, found = math.ceil(count / len(among)), list[Attempt]()
    for operation in among:
        strategy = operation.api.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        for case in _drawn(strategy, each, dice.getrandbits(32)):
            found.append(Attempt(MADE_UP, operation, _sent(case), made_up=case))
    return dice.sample(found, min(count, len(found)))


def _drawn(strategy: SearchStrategy[Case], count: int, number: int) -> list[Case]:
    drawn = list[Case]()

    @seed(number)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=HEALTH)
    @given(strategy)
    def keep(case: Case) -> None:
        drawn.append(case)

    keep()
    return drawn


def of_tables(operation: Operation) -> Iterator[Attempt]:
    """Yield all requests to an operation that have one thing from the tables wrong with them."""
    good = operation.request()
    for parameter in operation.parameters:
        yield from _of_parameter(operation, parameter)
    for name, value in hostile.HEADERS:
        yield Attempt("a header of no interest", operation, good.with_header(name, value))
    if operation.of("query"):
        yield from _of_query(operation, good)
    yield Attempt("an unknown parameter", operation, good.asking("unknown=1&a%ED%A0%80=1"), Wanted.REFUSED)
    if operation.body is None:
        bodies = (good.having(sent) for sent in (b"{}", b"x", b"\xff"))
        yield from (Attempt("a body where none is wanted", operation, request) for request in bodies)
        return
    for content_type in (*hostile.CONTENT_TYPES, None):
        yield Attempt("another content type, or none", operation, good.with_header("content-type", content_type))
    yield Attempt("no body", operation, good.having(None), Wanted.REFUSED)
    for kind in (*hostile.bodies(operation.content()), *_of_members(operation)):
        yield from (Attempt(kind.name, operation, good.having(value), kind.wanted) for value in kind.values)


def _of_parameter(operation: Operation, parameter: Parameter) -> Iterator[Attempt]:
    good, name = operation.request(), parameter.name
    if parameter.where == "header":
        tags = (good.with_header(name, tag) for tag in hostile.TAGS)
        yield from (Attempt(f"{name} at an edge", operation, request) for request in tags)
        return
    in_path = parameter.where == "path"
    for kind in _kinds_of(parameter):
        if kind.wanted is Wanted.NOT_AS_IT_IS and (operation.method, in_path) != ("PUT", True):
            continue  # it would not be kept anyway
        for value in kind.values:
            request = operation.request({name: value}) if in_path else good.asking([(name, value)])
            yield Attempt(kind.name, operation, request, kind.wanted, value)


def _kinds_of(parameter: Parameter) -> Iterator[Kind]:
    if parameter.name == "cursor":
        yield Kind("a cursor that is none", hostile.CURSORS, Wanted.REFUSED)
        return
    yield from hostile.kinds_for(parameter.schema)
    yield Kind("lone surrogates", hostile.SURROGATES)  # which the gateway reads as it likes
    if parameter.schema.get("type") == "integer":
        yield Kind("an integer of another spelling", hostile.INTEGERS)
    if parameter.where == "path":
        yield Kind("a bad escape", map(Raw, hostile.BAD_ESCAPES))
        if operations.is_name(parameter.schema):
            yield hostile.IN_PATHS._replace(name=f"an identifier with {hostile.IN_PATHS.name}")


def _of_members(operation: Operation) -> Iterator[Kind]:
    """Yield the values of the tables in the place of each member of a body."""
    good = operation.content()
    for place, member in operations.members(operation.body or {}):
        if not _is_there(good, place[:-1]):
            continue
        kinds = [*hostile.kinds_for(member), Kind("a number that is none", hostile.LARGE, Wanted.REFUSED)]
        if member.get("type") == "string":
            kinds.append(Kind("lone surrogates", hostile.SURROGATES, Wanted.REFUSED))
        if member.get("type") == "array":
            kinds.append(Kind("a member of many integers", ([1] * hostile.MANY,), Wanted.REFUSED))
            kinds.append(Kind("an array with one element twice", (example(member) * 2,)))
        for kind in kinds:
            # A path says which text must not be kept; a body's is read by nobody.
            wanted = Wanted.ANYTHING if kind.wanted is Wanted.NOT_AS_IT_IS else kind.wanted
            yield Kind(kind.name, [hostile.as_json(put(good, place, value)) for value in kind.values], wanted)


def _of_query(operation: Operation, good: Request) -> Iterator[Attempt]:
    for parameter in operation.of("query"):
        name, value = parameter.name, str(example(parameter.schema))
        for twice in ([(name, value)] * 2, [(name, value), (name, "2")], [(name, "2")] * 50):
            yield Attempt("a parameter more than once", operation, good.asking(twice))
        for text in (name, f"{name}=", f"{name}[]={value}", f"{name}={value};{name}={value}", f"&&{name}={value}&="):
            yield Attempt("a query of another spelling", operation, good.asking(text))
        yield Attempt("a long parameter", operation, good.asking([(name, "9" * LONG)]), Wanted.REFUSED)
    many = [(f"p{number}", "x") for number in range(200)]
    yield Attempt("many unknown parameters", operation, good.asking(many), Wanted.REFUSED)


def _sent(case: Case) -> Request:
    """Return a made-up request as it goes over the wire."""
    sent = Unprepared(**case.as_transport_kwargs(base_url="http://api")).prepare()
    headers = tuple((name.lower(), value) for name, value in sent.headers.items() if name.lower() not in ITS_OWN)
    body = sent.body.encode() if isinstance(sent.body, str) else cast("bytes | None", sent.body)  # it is no stream
    return Request(sent.method or case.method, sent.path_url, headers, body)


def _is_there(good: Any, place: Sequence[str | int]) -> bool:  # noqa: ANN401  any JSON
    try:
        for name in place:
            good = good[name]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _is_another(one: Attempt) -> bool:
    """Return True if the emulator takes a path that lost its last word for that of a list."""
    return one.operation.path.endswith("}") and one.request.target.partition("?")[0].endswith("/")


def _kept(one: Attempt, answer: Answer) -> Iterator[str]:
    if answer.status == 0 or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return  # that is reported already
    if one.wanted is Wanted.REFUSED and not is_refused(answer):
        yield "not refused"
    kept = one.wanted is Wanted.NOT_AS_IT_IS and answer.status < HTTPStatus.MULTIPLE_CHOICES
    if kept and one.value in _texts(answer.json):
        yield "kept as it is"


def _texts(content: Any) -> list[str]:  # noqa: ANN401
    if isinstance(content, str):
        return [content]
    inner = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [text for one in inner for text in _texts(one)]
