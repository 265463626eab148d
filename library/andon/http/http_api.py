"""HTTP requests -> the functions of a handler file: authorised, then validated, then answered, and logged.

A caller who is limited to places is let in by them, see `places.py`: behind validation, or, where a route does not say
how it is limited, not at all.

Of a route that is shared out each caller has a share, see `Shares`: between authorisation and validation.

Each request that is refused or fails has a line; of those that go well some have, see `andon/runtime/log.py`.
"""

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache, partial
from http import HTTPStatus
from math import ceil
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypedDict, TypeVar, Unpack

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import KeyQuery
from andon.http.after import PARAMETER, NotSeenYet, respond_not_yet, rows_not_older_than
from andon.http.arguments import Validator
from andon.http.etag import Tags, etag_of, matches, upon_match
from andon.http.limits import EVERYWHERE_ONLY, At, found_by_view
from andon.http.page import PageResponse, ReadRows, Scope, read_page, read_rows
from andon.http.places import ALWAYS, NOBODY, NOT_ALLOWED, Caller, Stay, authorize
from andon.http.response import (
    Response,
    headers_of_every_response,
    respond,
    respond_failed,
    respond_rejected,
    respond_throttled,
)
from andon.runtime import clock
from andon.runtime.errors import CallFailed, Forbidden, NotFound, Rejected, TooManyRequests
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import is_sampled, logger
from andon.versions.optimistic_lock import Command, Saved, fingerprint_of
from andon.views.seen import Awaited
from andon.wire.deadline import CLIENT_ATTEMPT_MS, TOO_LATE, in_time
from andon.wire.retries import SILENT, is_throttled

_ToResponse = Callable[[Any], JsonMapping]
"""A row of a table, typed by its package -> what a response says of it."""


def always(row: Item) -> str:  # noqa: ARG001  of any row
    """Return the time of rows that go with their subject, under any owner."""
    return ALWAYS


AnyRow = TypeVar("AnyRow", bound=Attributes)

Function = TypeVar("Function", bound=Callable[..., Response])

Result = TypeVar("Result")

_NO_RESPONSES: Final[Mapping[int, Any]] = MappingProxyType({})


class Access(TypedDict, total=False):
    """The callers of a route, and its other declarations beside its function; see `Route`."""

    groups: frozenset[str]
    at: At | None
    is_shared: bool
    publishes: tuple[str, int] | None
    is_public: bool
    responses: Mapping[int, Any]


class Route(NamedTuple):
    """The function that answers a route, groups that may call it, and the properties that its throttle depends on.

    is_public: it asks for no token, and has no caller: what is sent says by itself what it may do.
    at: how it is limited to its caller's places; None: it is for callers who are everywhere. is_shared: each caller has
    a share of it, see `Shares`. publishes: the type of the events that its command publishes itself, without a row,
    and how many at most at once. responses: for the OpenAPI document, see `response.py`.
    """

    answered_by: Callable[..., Any]
    groups: frozenset[str] = frozenset()
    at: At | None = None
    is_shared: bool = False
    publishes: tuple[str, int] | None = None
    is_public: bool = False
    responses: Mapping[int, Any] = _NO_RESPONSES


def route_of(named: str, function: Callable[..., Any], access: Access) -> Route:
    """Return the route that a function answers.

    Raises:
        ValueError: it is public, and yet for groups, places or shares of callers; or it is for nobody.

    """
    route = Route(function, **access)
    if route.is_public == bool(route.groups) or (route.is_public and (route.at is not None or route.is_shared)):
        raise ValueError(f"{named} must be for groups, or public without groups, places and shares")
    return route


class About(NamedTuple):
    """Times and subjects of the rows of a list.

    time_of: a row -> the time (fixed-width UTC) that it is of; none is shown of before the present owner's time with
    the subject, or of before `since`. subject_of: a row -> its subject, in a list about several.
    """

    time_of: Callable[[Any], str] = always
    subject_of: Callable[[Any], str] | None = None
    since: str | None = None


ANYTHING: Final = About()


class _Request(TypedDict, total=False):
    """The request that is answered; empty between two of them."""

    event: JsonObject
    context: LambdaContext
    caller: Caller
    stay: Stay


class HttpApi:
    """The routes of one handler file, each declared at the function that answers it.

    no_store: nobody on the way keeps a response of it, refusals and failures included. failed_by: the exception behind
    the 5xx that the last request got, if it got one.
    """

    def __init__(self, *, no_store: bool = False) -> None:
        self._no_store = no_store
        self._request: _Request = {}
        self._validators: dict[str, Validator] = {}
        self._served: dict[str, Route] = {}
        self.failed_by: Exception | None = None

    def serves(self, route: str, **access: Unpack[Access]) -> Callable[[Function], Function]:
        """Let the decorated function answer a route, as `GET /things/{id}`; see `route_of`, and `arguments.py`."""

        def declare(function: Function) -> Function:
            self._served[route] = route_of(route, function, access)
            return function

        return declare

    @property
    def declared(self) -> Mapping[str, Route]:
        """The routes by their keys."""
        return self._served

    @property
    def caller(self) -> Caller:
        """Caller of the current request."""
        return self._request["caller"]

    @property
    def stay(self) -> Stay:
        """Place of the route's subject, for a caller limited to places; read by `OfSubject`."""
        return self._request.get("stay", Stay())

    def shows(self, row: Attributes, time_of: Callable[[Any], str]) -> bool:
        """Return True if a row is not older than the present owner's time with the route's subject; see `stay`."""
        return time_of(row) >= self.stay.since

    def require_own(self, row: AnyRow, time_of: Callable[[Any], str], *, otherwise: str) -> AnyRow:
        """Return a row that the caller may see, see `shows`.

        Raises:
            NotFound: it is another owner's.

        """
        if not self.shows(row, time_of):
            raise NotFound(otherwise)
        return row

    @property
    def lambda_context(self) -> LambdaContext:
        """Invocation of the current request."""
        return self._request["context"]

    @property
    def scope(self) -> Scope:
        """Scope of this request's cursors: the same route and parameters."""
        event = self._request["event"]
        given, others = event.get("queryStringParameters") or {}, {"cursor", "limit", PARAMETER}
        query = {name: value for name, value in given.items() if name not in others}
        return {"route": event["routeKey"], "path": _path_in(event), "query": query}

    def command(self, if_match: int | None, body: JsonMapping) -> Command:
        """Return the command for the optimistic lock; `body` is the validated body of the request."""
        event, actor = self._request["event"], self.caller.subject
        fingerprint = fingerprint_of(
            route=event["routeKey"], path=_path_in(event), if_match=if_match, body=body, actor=actor
        )
        return Command(actor=actor, now_ms=clock.now_ms(), if_match=if_match, fingerprint=fingerprint)

    def saved(self, saved: Saved[Any], *, to_response: _ToResponse, after: str | None = None) -> Response:
        """Return the response to a command that was saved: 201 for a first revision, else 200; `after`: its token."""
        status = HTTPStatus.CREATED if saved.created else HTTPStatus.OK
        headers = {"ETag": etag_of(saved.row["version"])} | ({} if after is None else {"x_after": after})
        return respond(status, to_response(saved.row), **headers)

    def found(self, row: Attributes, *, to_response: _ToResponse, if_none_match: str | None = None) -> Response:
        """Return a row that has a version, with its ETag; 304 if the client has that version."""
        etag = etag_of(row["version"])
        if matches(if_none_match, etag):
            return respond(HTTPStatus.NOT_MODIFIED, ETag=etag)
        return respond(HTTPStatus.OK, to_response(row), ETag=etag)

    def page(
        self,
        table: Table,
        query: KeyQuery,
        *,
        to_response: _ToResponse,
        limit: int,
        cursor: str | None,
        headers: Mapping[str, str] | None = None,
        after: Awaited | None = None,
        about: About = ANYTHING,
    ) -> Response:
        """Return one page of a list; its cursor is valid for the same route and parameters only.

        after: the page is not older than this write. about: what rows are about, by which whoever is limited to places
        gets none of elsewhere.
        """
        read = read_rows
        if after is not None and about.subject_of is None and not self.caller.places.is_everywhere:
            # A list of a place: nobody learns of a row elsewhere by the token of its write.
            after = after.among(lambda row: row.get(query.keys.partition) == query.partition)
        if about.subject_of is not None and not self.caller.places.is_everywhere:
            read = self._read_at_places(about.subject_of, about.time_of, after)
        elif since := self.stay.since if about.since is None else about.since:
            from andon.http.whereabouts import rows_since  # noqa: PLC0415  few things change hands

            read = rows_since(since, about.time_of)
        page = self.read_page(table, query, to_response=to_response, limit=limit, cursor=cursor, after=after, read=read)
        return respond(HTTPStatus.OK, page, **(headers or {}))

    def read_page(
        self,
        table: Table,
        query: KeyQuery,
        *,
        to_response: _ToResponse,
        limit: int,
        cursor: str | None,
        after: Awaited | None = None,
        read: ReadRows = read_rows,
    ) -> PageResponse:
        """Read one page of a list, as `page` responds with."""
        now_ms = clock.now_ms()
        return read_page(
            table,
            query,
            to_response=to_response,
            scope=self.scope,
            limit=limit,
            cursor=cursor,
            now_ms=now_ms,
            read=rows_not_older_than(after, now_ms=now_ms, read_once=read) if after else read,
        )

    def _read_at_places(
        self, subject_of: Callable[[Item], str], time_of: Callable[[Item], str], after: Awaited | None
    ) -> ReadRows:
        """Return the reader of the rows at the caller's places.

        Raises:
            Forbidden: the write that the caller waits for is about what is elsewhere.

        """
        from andon.http.whereabouts import rows_at  # noqa: PLC0415  callers who are everywhere need no such import

        if after is not None:
            found_by_view(after.written.partition_key).require_at(self.caller.places)
        return rows_at(self.caller.places, subject_of, time_of)

    @partial(in_time, attempt_ms=CLIENT_ATTEMPT_MS)
    def handler(self, event: JsonObject, context: LambdaContext) -> JsonObject:
        """Lambda entry point."""
        started = time.perf_counter()
        self.failed_by = None
        response, request_id = self._respond(event, context), event["requestContext"]["requestId"]
        self._log(
            event["routeKey"],
            function_request_id=context.aws_request_id,
            request_id=request_id,
            status=response.status_code,
            ms=round((time.perf_counter() - started) * 1000, 1),
        )
        every = headers_of_every_response(request_id=request_id, no_store=self._no_store)
        answer = {"statusCode": response.status_code, "headers": {**response.headers, **every}, "body": response.body}
        return {**answer, **response.more}

    def _respond(self, event: JsonObject, context: LambdaContext) -> Response:
        try:
            route, caller = self._admit(event)
            if route.is_shared:
                _require_share(event["routeKey"], caller.subject, clock.now_ms())
            self._request = {"event": event, "context": context, "caller": caller}
            return self._answer(event, route)
        except Rejected as error:
            return respond_rejected(error)
        except NotSeenYet:
            return respond_not_yet()
        except Exception as error:  # noqa: BLE001  whatever it is, the client gets an answer, and the log all of it
            return self._respond_failed(error)
        finally:
            self._request = {}

    def _admit(self, event: JsonObject) -> tuple[Route, Caller]:
        """Return the route of a request and its admitted caller.

        Authorisation comes before validation: a caller without the right group must not learn what is valid.

        Raises:
            Forbidden: the route is not ours, or not for this caller.

        """
        route = self.declared.get(event["routeKey"])
        if route is None:
            raise Forbidden(NOT_ALLOWED)
        caller = NOBODY if route.is_public else authorize(event, route.groups)
        if route.at is None and not caller.places.is_everywhere:
            raise Forbidden(EVERYWHERE_ONLY)
        return route, caller

    def _answer(self, event: JsonObject, route: Route) -> Response:
        """Validate the request of an admitted caller, and answer it at the caller's places."""
        arguments = self._validator_of(event["routeKey"], route).arguments_in(event)
        self._require_place(route, arguments)
        response: Response = answered(route.answered_by, arguments)
        return response

    def _require_place(self, route: Route, arguments: JsonMapping) -> None:
        """Check that the caller may call a route with these arguments; see `stay`.

        Raises:
            Forbidden: it may not.

        """
        places = self.caller.places
        if route.at is not None and route.at.argument is not None and not places.is_everywhere:
            self._request["stay"] = route.at.require(places, arguments)

    def _validator_of(self, key: str, route: Route) -> Validator:
        """Return a route's validator, made at its first request: a process seldom serves all routes of its package."""
        if key not in self._validators:
            self._validators[key] = Validator(route.answered_by)
        return self._validators[key]

    def _respond_failed(self, error: Exception) -> Response:
        self.failed_by = error  # for the log line of the request
        is_busy = isinstance(error, CallFailed) and (is_throttled(error.code) or error.code in {TOO_LATE, SILENT})
        return respond_throttled() if is_busy else respond_failed()

    def _log(self, route: str, **members: Any) -> None:  # noqa: ANN401
        if self.failed_by is not None:
            logger().error(route, extra=members, exc_info=self.failed_by)
        elif members["status"] >= HTTPStatus.BAD_REQUEST or is_sampled(members["request_id"]):
            logger().info(route, extra=members)


def answered(function: Callable[..., Result], arguments: dict[str, Any]) -> Result:
    """Call a function with validated arguments: upon a version, where If-Match says which ones it may be."""
    name = next((name for name, value in arguments.items() if isinstance(value, Tags)), None)
    if name is None:
        return function(**arguments)
    return upon_match(arguments[name], lambda version: function(**{**arguments, name: version}))


def _path_in(event: JsonObject) -> JsonMapping:
    return event.get("pathParameters") or {}


# A share of a route for each caller, so that a flooding one is refused alone.
#
# The shares are in the memory of one worker, Lambda's execution environment: they need no read, no write, and cost
# nothing. Workers know nothing of each other, so a caller may get `per_second` from each: together they admit at most
# as many times that. A loop over a few connections keeps a few workers busy; a flood that makes Lambda begin hundreds
# of them is hardly limited here, but by the throttle of the route.

VARIABLE: Final = "REQUESTS_PER_SECOND_OF_ONE"
"""The environment variable with the share of a caller; without it nobody is refused."""

# A retry, and what has piled up meanwhile, may come at once.
BURST_SECONDS: Final = 10

# A worker handles fewer callers in `BURST_SECONDS`, so that whoever is dropped would have a full bucket again.
_MOST_CALLERS: Final = 10_000

# A bucket is counted in thousandths of a request: each millisecond adds `per_second` of them, without rounding.
_REQUEST: Final = 1_000


class Shares:
    """A token bucket for each caller; of more than `most_callers`, those seen least recently begin again, full."""

    def __init__(self, per_second: int, burst: int, most_callers: int = _MOST_CALLERS) -> None:
        self._per_second = per_second
        self._full = burst * _REQUEST
        self._most_callers = most_callers
        self._buckets: OrderedDict[str, tuple[int, int]] = OrderedDict()  # what is in it, and when that was

    def take(self, caller: str, now_ms: int) -> float:
        """Return 0 if a request is admitted, else the seconds to wait; a refused one takes nothing.

        A clock that goes backwards adds nothing, and takes nothing.
        """
        level, then_ms = self._buckets.get(caller, (self._full, now_ms))
        level = min(self._full, level + max(0, now_ms - then_ms) * self._per_second)
        is_admitted = level >= _REQUEST
        self._buckets[caller] = (level - _REQUEST if is_admitted else level, now_ms)
        self._buckets.move_to_end(caller)
        if len(self._buckets) > self._most_callers:
            self._buckets.popitem(last=False)
        return 0.0 if is_admitted else (_REQUEST - level) / (self._per_second * _REQUEST)


def _require_share(route: str, caller: str, now_ms: int) -> None:
    """Check that a caller has not used up its share of a route, as far as this worker knows.

    Raises:
        TooManyRequests: it has.

    """
    per_second = os.environ.get(VARIABLE)
    if per_second is None:
        return
    if seconds := shares_of(route, int(per_second)).take(caller, now_ms):
        raise TooManyRequests(retry_after_seconds=ceil(seconds))


@cache
def shares_of(_route: str, per_second: int) -> Shares:
    """Return the shares of a route in this worker."""
    return Shares(per_second, BURST_SECONDS * per_second)
