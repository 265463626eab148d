"""The routes of a project's persons: their names are written, read for display, and erased.

    API = PersonApi(PASSENGERS, "/passengers/{id}", keepers=KEEPERS, erasers=ADMINS, readers=ANYBODY)
    API.writes(app)  # in command.py: PUT and DELETE of one
    API.reads(app)   # in query.py: GET of one, and of several by `?ids=`
    API.reads_place(app, "/sites/{siteId}/passengers", {"site_id": SiteId})  # of persons that have a place

No answer is kept on its way: the app is `HttpApi(no_store=True)`.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, partial
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict, Unpack

from pydantic import AfterValidator

from andon.dynamodb.client import MOST_READ_AT_ONCE
from andon.dynamodb.expressions import Condition
from andon.http.arguments import REQUIRED, answering
from andon.http.derived import PageOf, Shown, typed_dict
from andon.http.etag import etag_of
from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION, OfPlace
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, IfMatch, Limit, Path, Query, described
from andon.http.places import ELSEWHERE, SEPARATOR, Places, names_of
from andon.http.response import Response, respond, responses
from andon.http.said import person_id, person_schema
from andon.runtime.errors import Forbidden, NotFound
from andon.runtime.json_types import JsonMapping
from andon.versions.optimistic_lock import Changed, Guard
from andon.versions.persons import Persons
from andon.versions.versioned_write import save

SAYS: Final = {
    "put": "Write down {one}; a change needs If-Match with the current version.\n\n"
    "An id that was erased is not given to anybody again: 409.",
    "delete": "Erase {one}: the name is gone for good, the id stays. To do it again changes nothing.\n\n"
    "An id of which no name is known is erased, too: it gets none any more.",
    "get": "Return {one}; of one who was erased, that alone. Who is elsewhere is not known.",
    "some": f"Return up to {MOST_READ_AT_ONCE} {{many}}, in the order of their ids in the request; "
    "nothing of the unknown or elsewhere.",
    "place": "List the {many} of a place by their ids, without those who were erased.",
    "response": "{One}; `changedAt` is fixed-width UTC. Of one who was erased there are `id` and `erased` alone.",
}

Check = Callable[[str], str]


class Callers(TypedDict):
    """Groups of callers, and words.

    keepers: who write names down, erasers: who erase, readers: who read. examples: two ids. check: of an id, where the
    pattern of `Project.people` does not say all of it. says: the documentation of a route, see SAYS.
    """

    keepers: frozenset[str]
    erasers: frozenset[str]
    readers: frozenset[str]
    examples: NotRequired[tuple[str, str]]
    check: NotRequired[Check]
    says: NotRequired[Mapping[str, str]]


class PersonApi:
    """The routes of persons, see `Callers`."""

    def __init__(self, persons: Persons, path: str, **callers: Unpack[Callers]) -> None:
        self.of, self.path, self.callers = persons, path.removesuffix("/{id}"), callers
        self.examples, self.check = callers.get("examples", ("p-1001", "p-1002")), callers.get("check", person_id)
        self.at = IN_FUNCTION if persons.placed else None
        self.title, self._titles = (_title(one) for one in (persons.kind, persons.service))
        self._one, self._many = (one.replace("_", " ") for one in (persons.kind, persons.service))

    def writes(self, app: HttpApi) -> None:
        """Let an app write persons down, and erase them."""
        said = responses(self._shown, 201, 200, 409, 412, 428)
        takes = {"body": (partial(_body_of, self), REQUIRED), "if_match": (IfMatch, None)}
        self._serve(app, "PUT", "put", partial(self._put, app), self.callers["keepers"], said, takes)
        gone = responses(None, 204)
        self._serve(app, "DELETE", "delete", partial(self._delete, app), self.callers["erasers"], gone, {})

    def reads(self, app: HttpApi) -> None:
        """Let an app read one of them, or several by their ids."""
        readers = self.callers["readers"]
        found = responses(self._shown, 200, 404)
        self._serve(app, "GET", "get", partial(self._get, app), readers, found, {})
        answer = answering(
            partial(self._get_some, app),
            f"get_{self.of.service}",
            self.says("some"),
            {"ids": (partial(self._ids), REQUIRED)},
        )
        says = f"{self._many.capitalize()} in the order in which they were asked for."
        some = PageOf(self._shown, f"{self._titles}Response", says, is_all=True)
        app.serves(f"GET {self.path}", groups=readers, at=self.at, responses=responses(some, 200))(answer)

    def reads_place(self, app: HttpApi, path: str, of_place: JsonMapping) -> None:
        """Let an app list those of a place; of_place: its argument's name -> its annotation."""
        [(name, kind)] = of_place.items()

        def answered(limit: int, cursor: str | None, **place: str) -> Response:
            query = self.of.at_place(place[name])
            return app.page(self.of.table, query, to_response=self.of.to_response, limit=limit, cursor=cursor)

        operation = f"get_{self.of.service}_of_{name.removesuffix('_id')}"
        takes = {name: (kind, REQUIRED), "limit": (Limit, DEFAULT_LIMIT), "cursor": (Cursor, None)}
        page = PageOf(self._shown, f"{self._titles}Page", f"A page of {self._many}; a missing cursor is the end.")
        answer = answering(answered, operation, self.says("place"), takes)
        readers = self.callers["readers"]
        app.serves(f"GET {path}", groups=readers, at=OfPlace(name), responses=responses(page, 200))(answer)

    def is_shown(self, places: Places, row: JsonMapping | None) -> bool:
        """Return True if a caller may know of a row, or of there being none.

        Whoever was erased is at no place, and may be seen by everybody who reads persons.
        """
        if places.is_everywhere:
            return True
        if row is None or self.of.placed is None:
            return False
        return bool(row.get("deleted")) or places.include(names_of((row[self.of.placed.member],)))

    def guard_of(self, places: Places) -> Guard | None:
        """Return the bound of a caller on the rows that it may replace; None: it is everywhere.

        Raises:
            Forbidden: it is at no place that a person has.

        """
        if places.is_everywhere:
            return None
        named = sorted(name for name in places.names if name and SEPARATOR not in name)
        if not named or self.of.placed is None:
            raise Forbidden(ELSEWHERE)
        member, values = self.of.placed.member, {f"place{number}": name for number, name in enumerate(named)}
        # A hundred values at most; a user of Cognito is in no more groups.
        # https://docs.aws.amazon.com/cognito/latest/developerguide/limits.html
        condition = Condition(f"#{member} IN ({', '.join(f':{one}' for one in values)})", {member: member}, values)
        return Guard(condition, admits=lambda row: self.is_shown(places, row), otherwise=Forbidden(ELSEWHERE))

    def _put(self, app: HttpApi, id_: str, body: JsonMapping, if_match: int | None) -> Response:
        command, guard = app.command(if_match, body), self.guard_of(app.caller.places)
        draft = self.of.draft(id_, body, command, guard)
        return app.saved(save(self.of.versions_of(id_), draft), to_response=self.of.to_response)

    def _delete(self, app: HttpApi, id_: str) -> Response:
        from andon.versions.erasing import erase  # noqa: PLC0415  a query erases nobody

        places = app.caller.places

        def require(row: JsonMapping | None) -> None:
            if not self.is_shown(places, row):
                raise Forbidden(ELSEWHERE)

        erase(self.of, id_, actor=app.caller.subject, require=require)
        return respond(HTTPStatus.NO_CONTENT)

    def _get(self, app: HttpApi, id_: str) -> Response:
        row = self.of.versions_of(id_).current()
        if row is None or not self.is_shown(app.caller.places, row):
            raise NotFound("Nobody of this id is known.")
        return respond(HTTPStatus.OK, self.of.to_response(row), ETag=etag_of(row["version"]))

    def _get_some(self, app: HttpApi, ids: str) -> Response:
        rows = self.of.get_many([*dict.fromkeys(ids.split(","))])
        shown = [self.of.to_response(row) for row in rows if self.is_shown(app.caller.places, row)]
        return respond(HTTPStatus.OK, {"items": shown})

    def _serve(
        self,
        app: HttpApi,
        method: str,
        what: str,
        answer: Callable[..., Response],
        groups: frozenset[str],
        answers: Mapping[int, Any],
        takes: JsonMapping,
    ) -> None:
        """Let an app answer a route of one person by a function that takes the id and the route's other arguments."""
        name = f"{self.of.kind}_id"

        def answered(**arguments: Any) -> Response:  # noqa: ANN401
            return answer(arguments.pop(name), **arguments)

        function = answering(
            answered, f"{what}_{self.of.kind}", self.says(what), {name: (partial(self._id), REQUIRED), **takes}
        )
        app.serves(f"{method} {self.path}/{{id}}", groups=groups, at=self.at, responses=answers)(function)

    def _id(self) -> Any:  # noqa: ANN401
        """Return the annotation of an id; a process serves few routes, and asks for that of one."""
        says = "The subject of who signs in, or a badge; no name."
        schema = described(person_schema(), self.examples[0])
        return Annotated[str, AfterValidator(self.check), schema, Path(alias="id", description=says)]

    def _ids(self) -> Any:  # noqa: ANN401
        one = person_schema()["pattern"].removeprefix("^").removesuffix("$")
        pattern = {"type": "string", "pattern": f"^{one}(?:,{one}){{0,{MOST_READ_AT_ONCE - 1}}}$"}
        says = f"Ids, separated by commas: {MOST_READ_AT_ONCE} at most."
        schema = described(pattern, ",".join(self.examples))
        return Annotated[str, AfterValidator(self._checked), schema, Query(description=says)]

    def _checked(self, text: str) -> str:
        ids = text.split(",")
        if len(ids) > MOST_READ_AT_ONCE:
            raise ValueError(f"must be at most {MOST_READ_AT_ONCE} ids")
        for one in ids:
            self.check(one)
        return text

    def says(self, what: str) -> str:
        """Return the documentation of a route."""
        one = f"{'an' if self._one[0] in 'aeiou' else 'a'} {self._one}"
        words = {"one": one, "One": f"{one[0].upper()}{one[1:]}", "many": self._many}
        return {**SAYS, **self.callers.get("says", {})}[what].format_map(words)

    @property
    def _shown(self) -> Any:  # noqa: ANN401
        """Its response, of which a synth makes a model."""
        return partial(_shown_by, self)


@cache
def _body_of(api: PersonApi) -> type:
    """Return the declaration of a request."""
    content = api.of.content
    return typed_dict(f"{api.title}Body", inspect.cleandoc(content.__doc__ or ""), content.__annotations__)


@cache
def _shown_by(api: PersonApi) -> Shown:
    """Return the declaration of a response; of somebody erased, `id` and `erased` are all of it."""
    name = f"{api.title}Response"
    members = {"id": str, "version": int, **api.of.content.__annotations__, **Changed.__annotations__}
    more = {"erased": NotRequired[Literal[True]]}
    kind = typed_dict(name, api.says("response"), members)
    return Shown(kind, name, more=more, lacks=frozenset(members) - {"id"})


def _title(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
