"""Every member of every request, with values that nobody in their right mind sends."""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from andon.tools.stack.api import Answer
from bench.attack import bodies, examples, hostile
from bench.attack.hostile import Hostile, Wanted
from bench.attack.judge import is_refused
from bench.attack.operations import JSON, Operation, Parameter
from bench.attack.target import Target
from bench.attack.wire import Raw, Request, side_by_side

PART: Final = "inputs"
BAD_ESCAPES: Final = "%", "%zz", "%FF", "%C0%80", "%ED%A0%80", "%00", "a%2Fb", "%2e%2e", "a%3Fb%23", "a;b=c"
LONG: Final = 8_000
OTHER_HEADERS: Final = (
    ("accept", "text/html"), ("x-http-method-override", "DELETE"), ("x-request-id", "mine"),
    ("content-encoding", "gzip"),
    ("x-forwarded-host", "elsewhere.example"), ("origin", "https://elsewhere.example"), ("expect", "x"), ("te", "x"),
    ("x-amzn-trace-id", "\x7f"), ("cookie", "a=" + "b" * 4_000), ("range", "bytes=0-1"), ("if-modified-since", "x"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A request with something hostile in it; `value` is what, where it is a text that must not be kept as it is."""

    kind: str
    operation: Operation
    request: Request
    wanted: Wanted = Wanted.ANYTHING
    value: Any = None


def attack(target: Target, *, requests: int, dice: random.Random) -> None:
    """Send so many requests, of each kind as many as of any other."""
    for operation in target.operations:
        if operation.method == "PUT":
            target.send(examples.request(operation))  # so that not every request is about nothing
    cases = chosen(target.operations, requests, dice)
    for case, answer in zip(cases, side_by_side(lambda one: target.send(one.request), cases), strict=True):
        effects = [] if _is_another(case) else target.judge.effects(case.operation, answer)
        effects += _kept(case, answer)
        target.note(PART, case.kind, case.request, answer, effects)


def chosen(operations: list[Operation], requests: int, dice: random.Random) -> list[Case]:
    """Choose the cases of a run: of each kind in turn, and within a kind of each operation in turn."""
    by_kind: dict[str, list[Case]] = defaultdict(list)
    for operation in operations:
        for case in cases_of(operation):
            by_kind[case.kind].append(case)
    queues = [_in_turn(cases, dice) for _, cases in sorted(by_kind.items())]
    picked: list[Case] = []
    while queues and len(picked) < requests:
        picked += [queue.pop() for queue in queues][: requests - len(picked)]
        queues = [queue for queue in queues if queue]
    return picked + [_several(operations, dice) for _ in range(requests - len(picked))]


def cases_of(operation: Operation) -> Iterator[Case]:
    """List all cases of an operation that have one thing wrong with them."""
    good = examples.request(operation)
    for parameter in operation.parameters:
        yield from _of_parameter(operation, good, parameter)
    for name, value in OTHER_HEADERS:
        yield Case("a header of no interest", operation, good.with_header(name, value))
    if operation.of("query"):
        yield from _of_query(operation, good)
    yield Case("an unknown parameter", operation, good.having(query=(("unknown", "1"),)), Wanted.REFUSED)
    if operation.body is None:
        for sent in (b"{}", b"x", b"\xff"):
            yield Case("a body where none is wanted", operation, good.having(body=sent))
        return
    for one in hostile.TYPES:
        kind = "a content type in capitals" if one.lower() == JSON else "a content type of another spelling"
        yield Case(kind, operation, good.with_header("content-type", one))
    yield Case("no content type", operation, good.with_header("content-type", None))
    yield Case("no body", operation, good.having(body=None), Wanted.REFUSED)
    for body in bodies.of(operation.body):
        yield Case(body.kind, operation, good.having(body=body.value), body.wanted)


def _of_parameter(operation: Operation, good: Request, parameter: Parameter) -> Iterator[Case]:
    name = parameter.name
    if parameter.where == "header":
        for tag in hostile.TAGS:
            kind = f"{name} of the greatest version" if tag == hostile.TAGS[0] else f"{name} at an edge"
            yield Case(kind, operation, good.with_header(name, tag))
        return
    for one in _values(parameter):
        if one.wanted is Wanted.NOT_AS_IT_IS and (operation.method, parameter.where) != ("PUT", "path"):
            continue  # it would not be kept anyway
        case = Case(one.kind, operation, good, one.wanted, one.value)
        if parameter.where == "query":
            yield _with(case, query=((name, str(one.value)),))
        else:
            yield _with(case, path={**good.path, name: one.value if isinstance(one.value, Raw) else str(one.value)})


def _values(parameter: Parameter) -> Iterator[Hostile]:
    if parameter.name == "cursor":
        yield from (Hostile("a cursor that is none", one, Wanted.REFUSED) for one in hostile.CURSORS)
        return
    for one in hostile.values(parameter.schema):
        # What is no UTF-8 the gateway reads as it likes.
        yield one._replace(wanted=Wanted.ANYTHING) if "surrogates" in one.kind else one
    if parameter.schema.get("type") == "integer":
        yield from (Hostile("an integer of another spelling", one) for one in hostile.INTEGERS)
    if parameter.where == "path":
        yield from (Hostile("a bad escape", Raw(one)) for one in BAD_ESCAPES)
        if hostile.is_name(parameter.schema):
            yield from (Hostile("an identifier with ? or %", one, Wanted.REFUSED) for one in ("a?b", "a%b", "a%20b"))


def _of_query(operation: Operation, good: Request) -> Iterator[Case]:
    for parameter in operation.of("query"):
        name, value = parameter.name, str(examples.value(parameter.schema))
        for twice in (((name, value), (name, value)), ((name, value), (name, "2")), ((name, "2"),) * 50):
            yield Case("a parameter more than once", operation, good.having(query=twice))
        for text in (name, f"{name}=", f"{name}[]={value}", f"{name}={value};{name}={value}", f"&&{name}={value}&="):
            yield Case("a query of another spelling", operation, good.having(query=text))
        yield Case("a long parameter", operation, good.having(query=((name, "9" * LONG),)), Wanted.REFUSED)
    many = tuple((f"p{number}", "x") for number in range(200))
    yield Case("many unknown parameters", operation, good.having(query=many), Wanted.REFUSED)
    yield Case("an unknown parameter", operation, good.having(query="a%ED%A0%80=1"), Wanted.REFUSED)


def _is_another(case: Case) -> bool:
    """Whether the emulator takes a path that lost its last word for that of a list."""
    return case.operation.path.endswith("}") and case.request.target.partition("?")[0].endswith("/")


def _with(case: Case, **parts: Any) -> Case:  # noqa: ANN401
    return Case(case.kind, case.operation, case.request.having(**parts), case.wanted, case.value)


def _several(operations: list[Operation], dice: random.Random) -> Case:
    """Put several things wrong into one request."""
    operation = dice.choice(operations)
    good = examples.request(operation)
    path, query, headers = dict(good.path), [], list(good.headers)
    for parameter in operation.parameters:
        if dice.random() < 1 / 2:
            continue
        if parameter.where == "header":
            headers.append((parameter.name, dice.choice(hostile.TAGS)))
            continue
        value = str(dice.choice(list(_values(parameter))).value)
        if parameter.where == "query":
            query.append((parameter.name, value))
        else:
            path[parameter.name] = value
    body = good.body if operation.body is None else dice.choice(list(bodies.of(operation.body))).value
    several = Request(operation.method, operation.path, path, tuple(query), tuple(headers), body)
    return Case("several things at once", operation, several)


def _in_turn(cases: list[Case], dice: random.Random) -> list[Case]:
    """Shuffle, then take each operation in turn; the last is taken first."""
    dice.shuffle(cases)
    rounds: dict[str, int] = defaultdict(int)
    order = []
    for number, case in enumerate(cases):
        rounds[case.operation.name] += 1
        order.append((rounds[case.operation.name], number))
    return [cases[number] for _, number in sorted(order, reverse=True)]


def _kept(case: Case, answer: Answer) -> Iterator[str]:
    if answer.status == 0 or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return  # that is reported already
    if case.wanted is Wanted.REFUSED and not is_refused(answer):
        yield "not refused"
    kept = case.wanted is Wanted.NOT_AS_IT_IS and answer.status < HTTPStatus.MULTIPLE_CHOICES
    if kept and case.value in _texts(answer.json):
        yield "kept as it is"


def _texts(content: Any) -> list[str]:  # noqa: ANN401
    if isinstance(content, str):
        return [content]
    inner = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [text for one in inner for text in _texts(one)]
