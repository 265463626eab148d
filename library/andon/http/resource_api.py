"""The routes of a declared thing: those that the design of its versions has.

    API = ResourceApi(THINGS, "/things/{id}", {"thing_id": ThingId}, write=OWNERS, read=READERS, noun="a thing")
    API.writes(app)  # in command.py
    API.reads(app)   # in query.py

| route | two tables | numbered | from the stream | current row alone | time-based |
|---|---|---|---|---|---|
| `PUT`, with If-Match | yes | yes | yes | yes | without |
| `GET`, with ETag | yes, `asOf`, `knownAt` | yes | yes | yes | without |
| `GET …/versions`, `…/versions/{n}` | yes | yes | yes, a moment late | | |
| `DELETE`, `POST …/rollback` | yes | | | | |
| `GET` of those beside it | | yes | yes | | yes, `from`, `to` |
"""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from http import HTTPStatus
from typing import Annotated, Any, Final, NamedTuple, NotRequired, TypedDict, Unpack

from andon.dynamodb.schema import KeyQuery
from andon.events.written import Written
from andon.http import periods
from andon.http.arguments import REQUIRED, Takes, answering
from andon.http.derived import PageOf, Shown, typed_dict
from andon.http.http_api import About, HttpApi
from andon.http.limits import IN_FUNCTION, At, OfSubject
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import AsOf, Cursor, From, IfMatch, IfNoneMatch, KnownAt, Limit, To, Version
from andon.http.places import Places, Stay
from andon.http.response import Response, respond, responses, responses_of_write
from andon.http.said import Number, Time
from andon.runtime import clock
from andon.runtime.errors import NotFound, PreconditionRequired
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import CHECK, Says, checked
from andon.versions.declared import Declared, Id, parts_of
from andon.versions.numbered_resource import FromStream, NumberedResource
from andon.versions.optimistic_lock import Changed, Guard, Saved, require_admitted
from andon.versions.resource import NO_VERSION, Resource, since_in, time_of
from andon.versions.timed_resource import BEFORE_ALL, BEHIND_ALL, KeptReport, TimedResource

ONE: Final[Takes] = {"if_none_match": (IfNoneMatch, None)}
LISTED: Final[Takes] = {"limit": (Limit, DEFAULT_LIMIT), "cursor": (Cursor, None)}


_SAYS_OF_TIMES: Final = {
    "put": "Say {noun}, of its own time; the same again changes nothing.",
    "get": "Return {noun}, by its time.",
    "all": "List all from one time to another, newest first.",
}


class Names(NamedTuple):
    """The names of its schemas and operations, where they do not follow from its kind, as `thing`, `ThingBody`."""

    one: str = ""
    many: str = ""
    body: str = ""
    response: str = ""
    page: str = ""
    rollback: str = ""

    def completed(self, kind: str) -> "Names":
        """Return all names."""
        title, one = re.sub("[-_]", "", kind.title()), self.one or kind
        return Names(
            one,
            self.many or f"{one}s",
            self.body or f"{title}Body",
            self.response or f"{title}Response",
            self.page or f"{title}sResponse",
            self.rollback or f"{title}RollbackBody",
        )


class Located(NamedTuple):
    """How a thing says itself where it is.

    whereabouts_in: a row, or the body of a request -> the names of the places that it is at. guard_of: a caller's
    places -> the bound of current rows that it may read and write; None: all.
    """

    whereabouts_in: Callable[[Any], frozenset[str]]
    guard_of: Callable[[Places], Guard | None]


class Routes(TypedDict):
    """Declaration of the routes of a thing.

    write, read: the groups of its callers. noun: what it is, with its article. located: of a `Resource` that has
    places; beside: the API of what it belongs to, whose places it has; at: how its routes are limited otherwise.
    require: checks a change, by the id and what is said; it raises `Rejected`. admit: the same of who says it, by the
    app that answers. refuses: the statuses that a write has besides. revisions: what its versions are called in paths.
    token: False: no view shows it. says: the documentation of a route, where the design does not say it: `put`, `get`,
    `all`, and of `page` and `response`.
    """

    write: frozenset[str]
    read: frozenset[str]
    noun: str
    names: NotRequired[Names]
    located: NotRequired[Located]
    beside: NotRequired["ResourceApi"]
    at: NotRequired[At]
    require: NotRequired[Callable[[Any, JsonMapping], None]]
    admit: NotRequired[Callable[[HttpApi, JsonMapping], None]]
    refuses: NotRequired[tuple[int, ...]]
    revisions: NotRequired[str]
    token: NotRequired[bool]
    says: NotRequired[Mapping[str, str]]


class ResourceApi:
    """The routes of a declared thing, see `Routes`.

    parameters: the names of its id's parts, as functions have them -> their annotations.
    """

    def __init__(
        self, declared: Declared[Any, Any], path: str, parameters: JsonMapping, **routes: Unpack[Routes]
    ) -> None:
        self.of, self.path, self.parameters, self.noun = declared, path, parameters, routes["noun"]
        self.write, self.read = routes["write"], routes["read"]
        self.require, self.admit = routes.get("require"), routes.get("admit")
        self.names = routes.get("names", Names()).completed(declared.kind)
        if (
            isinstance(declared, TimedResource) and "names" not in routes
        ):  # a view of them is called as many of them are
            self.names = self.names._replace(page=f"{self.names.response.removesuffix('Response')}Page")
        self.refuses, self.revisions = routes.get("refuses", (409,)), routes.get("revisions", "versions")
        self.token, self.says = routes.get("token", True), routes.get("says", {})
        beside = routes.get("beside")
        self.located: Located | None = beside.located if beside else routes.get("located")
        self._stay_of = (beside or self).stay_of
        self.at = OfSubject(next(iter(parameters)), self._stay_of) if self.located else routes.get("at")
        self.write_at = IN_FUNCTION if self.located else self.at
        is_counted = not isinstance(declared, Resource) and declared.counted_as != ""
        self._told = {declared.kind: (*declared.id, declared.counted_as) if is_counted else declared.id}

    def writes(self, app: HttpApi) -> None:
        """Let an app change it."""
        respond_with = responses_of_write if self.token else responses
        if isinstance(self.of, TimedResource):
            kept = respond_with(self.response, 201, 200, *self.refuses)
            self._serve(app, "PUT", "put", self._keep, {"body": (partial(_body_of, self), REQUIRED)}, kept)
            return
        changed: Takes = {"if_match": (IfMatch, None)}
        said = respond_with(self.response, 201, 200, *self.refuses, 412, 428)
        self._serve(app, "PUT", "put", self._put, {"body": (partial(_body_of, self), REQUIRED), **changed}, said)
        if isinstance(self.of, Resource):
            gone = respond_with(None, 204, 404, *self.refuses, 412, 428)
            self._serve(app, "DELETE", "delete", self._delete, changed, gone)
            back = respond_with(self.response, 200, 404, *self.refuses, 412, 428)
            takes = {"body": (partial(_rollback_of, self), REQUIRED), **changed}
            self._serve(app, "POST /rollback", "rollback", self._roll_back, takes, back)

    def reads(self, app: HttpApi) -> None:
        """Let an app read it."""
        if isinstance(self.of, TimedResource):
            self._serve(app, "GET", "get", self._get_kept, {}, responses(self.response, 200, 404))
            return
        found = responses(self.response, 200, 304, 404)
        if isinstance(self.of, Resource):
            timed: Takes = {"as_of": (AsOf, None), "known_at": (KnownAt, None), **ONE}
            self._serve(app, "GET", "get", self._get_at, timed, responses(self.response, 200, 304, 404, 409))
        else:
            self._serve(app, "GET", "get", self._get, ONE, found)
        if self.of.design == "CURRENT_ONLY":
            return
        self._serve(app, f"GET /{self.revisions}", "list", self._list, LISTED, responses(self._page, 200))
        takes = {"version": (Version, REQUIRED), **ONE}
        self._serve(app, f"GET /{self.revisions}/{{n}}", "version", self._version, takes, found)

    def reads_all(self, app: HttpApi, path: str) -> None:
        """Let an app list the current ones below the first part of their id, or those between two times."""
        of, [(first, kind), *_] = self.of, self.parameters.items()
        assert isinstance(of, NumberedResource | TimedResource)  # noqa: S101

        def answered(
            limit: int, cursor: str | None, since: str | None = None, until: str | None = None, **id_: str
        ) -> Response:
            if isinstance(of, NumberedResource):
                query = of.current_of(id_[first])
            else:
                query = of.rows_of(id_[first], periods.period(since or BEFORE_ALL, until or BEHIND_ALL))
            return self._page_of(app, query, limit, cursor)

        takes = LISTED if isinstance(of, NumberedResource) else {"since": (From, None), "until": (To, None), **LISTED}
        answer = answering(answered, f"get_{self.names.many}", self._says("all"), {first: (kind, REQUIRED), **takes})
        app.serves(f"GET {path}", groups=self.read, at=self.at, responses=responses(self._page, 200))(answer)

    def stay_of(self, id_: Id) -> Stay:
        """Read where it is, or was when it was deleted; consistently."""
        assert self.located is not None  # noqa: S101
        row = self.of.versions_of(id_).current()
        return Stay() if row is None else Stay(self.located.whereabouts_in(row), since_in(row))

    @property
    def body(self) -> type[Any]:
        """The declaration of the request that sets it."""
        return _body_of(self)

    @property
    def response(self) -> Any:  # noqa: ANN401
        """Its response, of which a synth makes a model."""
        return partial(_shown, self)

    def _serve(
        self,
        app: HttpApi,
        method: str,
        what: str,
        answer: Callable[..., Response],
        takes: Takes,
        answers: Mapping[int, Any],
    ) -> None:
        """Let an app answer a route by a function that takes the app, the id, and the route's other arguments."""
        [first, *others] = self.parameters

        def answered(**arguments: Any) -> Response:  # noqa: ANN401
            id_ = arguments.pop(first)
            if others:
                id_ = (id_, *map(arguments.pop, others))
            return answer(app, id_, **arguments)

        verb, _, below = method.partition(" ")
        is_read = verb == "GET"
        of_id = {name: (kind, REQUIRED) for name, kind in self.parameters.items()}
        function = answering(answered, self._operation(what), self._says(what), {**of_id, **takes})
        app.serves(
            f"{verb} {self.path}{below}",
            groups=self.read if is_read else self.write,
            at=self.at if is_read and not (what == "get" and self._is_bounded) else self.write_at,
            responses=answers,
        )(function)

    @property
    def _is_bounded(self) -> bool:
        """True if the row itself has the places of its callers."""
        return isinstance(self.of, Resource) and self.located is not None

    def _operation(self, what: str) -> str:
        one = self.names.one
        return {
            "put": f"put_{one}",
            "delete": f"delete_{one}",
            "rollback": f"roll_back_{one}",
            "get": f"get_{one}",
            "list": f"get_{one}_{self.revisions}",
            "version": f"get_{one}_{self.revisions.removesuffix('s')}",
        }[what]

    def _says(self, what: str) -> str:
        if isinstance(self.of, TimedResource):
            return {**_SAYS_OF_TIMES, **self.says}[what].format(noun=self.noun)
        is_timed, is_late = isinstance(self.of, Resource), isinstance(self.of, FromStream)
        at = ", or as it was at `asOf`, by what had been recorded at `knownAt`" if is_timed else ""
        listed = ". It is a moment late: the newest one may be missing yet." if is_late else ", deletions among them."
        late = " One that was just followed by another may be missing for a moment." if is_late else ""
        return {
            "put": f"Register {self.noun}, or change it; If-Match names the version to change.",
            "delete": f"Delete {self.noun}; its history stays, and a PUT brings it back.",
            "rollback": "Make an earlier version current again, as a new version.",
            "get": f"Return {self.noun} as it is now{at}.",
            "list": f"List every version of {self.noun}, newest first{listed}",
            "version": f"Return one version of {self.noun}.{late}",
            **self.says,
        }[what]

    @property
    def _page(self) -> PageOf:
        rows = "what is kept" if isinstance(self.of, TimedResource) else "versions"
        says = f"A page of {rows}, newest first; a missing cursor is the end."
        return PageOf(self.response, self.names.page, self.says.get("page", says))

    def _put(self, app: HttpApi, id_: Id, body: JsonMapping, if_match: int | None) -> Response:
        command, guard = app.command(if_match, body), self._guard(app)
        self._require(app, id_, body, guard)
        try:
            saved = self.of.save(id_, body, command, guard)
        except PreconditionRequired:
            if app.caller.places.is_everywhere or (self.located is None and not app.stay.since):
                raise  # all versions may be seen
            row = self.of.versions_of(id_).current()
            if row is None or self._shows(app, id_, row):
                raise
            # Who may not see what another owner said has no version to name.
            saved = self.of.save(id_, body, command._replace(if_match=row["version"]), guard)
        return self._saved(app, saved)

    def _keep(self, app: HttpApi, id_: Id, body: JsonMapping) -> Response:
        assert isinstance(self.of, TimedResource)  # noqa: S101
        self._require(app, id_, body, None)
        kept = self.of.keep(id_, body, actor=app.caller.subject, now_ms=clock.now_ms())
        token = {"x_after": self._token(kept)} if self.token else {}
        status = HTTPStatus.CREATED if kept.created else HTTPStatus.OK
        return respond(status, self.of.to_response(kept.row), **token)

    def _get_kept(self, app: HttpApi, id_: Id) -> Response:
        assert isinstance(self.of, TimedResource)  # noqa: S101
        row = app.require_own(self.of.at(id_, now_ms=clock.now_ms()), self.of.time_of, otherwise=self.of.missing)
        return respond(HTTPStatus.OK, self.of.to_response(row))

    def _require(self, app: HttpApi, id_: Id, body: JsonMapping, guard: Guard | None) -> None:
        if isinstance(self.of, Resource):
            require_admitted(guard, body)
        if self.admit is not None:
            self.admit(app, body)
        if self.require is not None:
            self.require(id_, body)

    def _delete(self, app: HttpApi, id_: str, if_match: int | None) -> Response:
        assert isinstance(self.of, Resource)  # noqa: S101
        saved = self.of.delete(id_, app.command(if_match, {}), self._guard(app))
        return respond(HTTPStatus.NO_CONTENT, x_after=self._token(saved))

    def _roll_back(self, app: HttpApi, id_: str, body: JsonMapping, if_match: int | None) -> Response:
        assert isinstance(self.of, Resource)  # noqa: S101
        command, guard = app.command(if_match, body), self._guard(app)
        return self._saved(app, self.of.roll_back(id_, body["toVersion"], command, guard))

    def _get_at(
        self, app: HttpApi, id_: str, as_of: str | None, known_at: str | None, if_none_match: str | None
    ) -> Response:
        assert isinstance(self.of, Resource)  # noqa: S101
        asked, guard = periods.asked(as_of, known_at), self._guard(app)
        row = self.of.get(id_, asked, guard=guard)
        if asked is not None and guard is not None and not self._shows(app, id_, row):
            raise NotFound(self.of.missing)
        return app.found(row, to_response=self.of.to_response, if_none_match=if_none_match)

    def _get(self, app: HttpApi, id_: Id, if_none_match: str | None) -> Response:
        row = app.require_own(self.of.get(id_), time_of, otherwise=self.of.missing)
        return app.found(row, to_response=self.of.to_response, if_none_match=if_none_match)

    def _list(self, app: HttpApi, id_: Id, limit: int, cursor: str | None) -> Response:
        return self._page_of(app, self.of.revisions_of(id_), limit, cursor)

    def _version(self, app: HttpApi, id_: Id, version: int, if_none_match: str | None) -> Response:
        otherwise = NO_VERSION if isinstance(self.of, Resource) else self.of.missing
        row = app.require_own(self.of.get_version(id_, version), time_of, otherwise=otherwise)
        return app.found(row, to_response=self.of.to_response, if_none_match=if_none_match)

    def _page_of(self, app: HttpApi, query: KeyQuery, limit: int, cursor: str | None) -> Response:
        """Return a page of versions, or of current ones; none is older than the present owner's time."""
        table = self.of.history if isinstance(self.of, Resource) else self.of.table
        about = About(self.of.time_of if isinstance(self.of, TimedResource) else time_of)
        return app.page(table, query, to_response=self._to_own, limit=limit, cursor=cursor, about=about)

    def _to_own(self, row: Any) -> JsonObject:  # noqa: ANN401
        """Return a row for a list, which an id that names another kind's rows does not show.

        Raises:
            NotFound: the list is one of another kind.

        """
        if not self.of.has(row):
            raise NotFound(self.of.missing)
        return self.of.to_response(row)

    def _shows(self, app: HttpApi, id_: Id, row: JsonMapping) -> bool:
        """Return True if a caller may see a version: it is not another owner's."""
        if self.located is None:
            return app.shows(row, time_of)
        return self._stay_of(parts_of(id_)[0]).is_at(app.caller.places, time_of(row))

    def _saved(self, app: HttpApi, saved: Saved[Any]) -> Response:
        return app.saved(saved, to_response=self.of.to_response, after=self._token(saved) if self.token else None)

    def _token(self, saved: Saved[Any] | KeptReport) -> str:
        return Written.of_row(saved.row, self.of.fact_of, self._told, source=self.of.service).to_token()

    def _guard(self, app: HttpApi) -> Guard | None:
        return None if self.located is None else self.located.guard_of(app.caller.places)


@cache
def _body_of(api: ResourceApi) -> type:
    """Return the declaration of a request: the content, and of a `Resource` since when it is so."""
    content, of = api.of.content, api.of
    members = {name: said for name, said in content.__annotations__.items() if name not in of.id}
    if isinstance(of, Resource):
        since = {"validFrom": NotRequired[Annotated[Time, Says("2020-04-20T06:00:00Z")]]}
        says = _says_of(content).removesuffix(".") + "; with `validFrom`, what it has been since before."
        body = typed_dict(api.names.body, says, {**members, **since})
    else:
        body = typed_dict(api.names.body, _says_of(content), members)
    return checked(*getattr(content, CHECK, ()))(body)


@cache
def _rollback_of(api: ResourceApi) -> type:
    says = "The version whose content becomes current again."
    return typed_dict(api.names.rollback, says, {"toVersion": Number})


@cache
def _shown(api: ResourceApi) -> Shown:
    """Return the declaration of a response: the entity, when and by whom it was made."""
    name, is_timed = api.names.response, isinstance(api.of, Resource)
    entity = api.of.entity_in(f"{api.of.kind}-deleted")  # a tombstone is one of its versions
    first = (*api.of.id, api.of.counted_as)  # as `Declared.entity_of` has them
    said = sorted(entity.__annotations__.items(), key=lambda member: member[0] not in first)
    members = {**dict(said), **(Changed.__annotations__ if api.of.counted_as else {})}
    members.pop("ownedSince", None)
    since = "\n\n`validFrom` is there if it has been so since before `changedAt`, when it was recorded."
    says = f"A version of {api.noun}; `changedAt` is fixed-width UTC."
    if is_timed:
        says = f"A version of {api.noun}; times are fixed-width UTC.{since}"
    elif isinstance(api.of, TimedResource):
        says = f"{api.noun[:1].upper()}{api.noun[1:]}; `{api.of.id[-1]}` is fixed-width UTC."
    says = api.says.get("response", says)
    return Shown(typed_dict(name, says, members), name, says)


def _says_of(kind: type) -> str:
    return inspect.cleandoc(kind.__doc__ or "")
