"""HTTP requests -> the functions of a handler file: authorised, then validated, then answered, one log line each."""

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from pydantic import BaseModel

from patterns.dynamodb.client import Table
from patterns.dynamodb.key_query import KeyQuery
from patterns.http.caller import Caller, authorize
from patterns.http.etag import etag_of, matches
from patterns.http.http_request import parse, routable
from patterns.http.openapi import CONTENT_TYPE, problem
from patterns.http.page import read_page
from patterns.runtime import clock, strict_json
from patterns.runtime.errors import FieldError, Invalid, Rejected
from patterns.runtime.log import logger
from patterns.versions.optimistic_lock import Command, Saved, fingerprint_of

JSON: Final = "application/json"

ToResponse = Callable[[Any], Mapping[str, Any]]
"""A row -> what an answer says of it."""


class HttpApi(APIGatewayHttpResolver):
    """A resolver for the routes of one package: `{"GET /things/{id}": groups}`."""

    def __init__(self, routes: Mapping[str, frozenset[str]]) -> None:
        super().__init__(enable_validation=True, json_body_deserializer=parse)
        self._routes = routes
        self._error: Exception | None = None
        self.use(middlewares=[_refuse_unknown_query, _refuse_array])
        self.exception_handler([RequestValidationError])(_invalid)
        self.exception_handler([Rejected])(_rejected)
        self.exception_handler([NotFoundError])(_no_route)
        self.exception_handler([Exception])(self._failed)

    @property
    def caller(self) -> Caller:
        """Who calls."""
        caller: Caller = self.context["caller"]
        return caller

    @property
    def scope(self) -> dict[str, Any]:
        """What a cursor of this request fits: the same route and parameters."""
        event = self.current_event
        asked = {n: v for n, v in (event.get("queryStringParameters") or {}).items() if n not in {"cursor", "limit"}}
        return {"route": event["routeKey"], "path": event.path_parameters, "query": asked}

    def command(self, if_match: int | None, body: Mapping[str, Any]) -> Command:
        """Give what the optimistic lock wants to know of the request; `body` is what it asks for, validated."""
        event, actor = self.current_event, self.caller.subject
        fingerprint = fingerprint_of(
            route=event["routeKey"], path=event.path_parameters, if_match=if_match, body=body, actor=actor
        )
        return Command(actor=actor, now_ms=clock.now_ms(), if_match=if_match, fingerprint=fingerprint)

    def saved(self, saved: Saved, *, to_response: ToResponse) -> Response[str]:
        """Answer a command that was saved: 201 for a first revision, else 200."""
        status = HTTPStatus.CREATED if saved.created else HTTPStatus.OK
        return answer(status, to_response(saved.row), ETag=etag_of(saved.row["version"]))

    def found(
        self, row: Mapping[str, Any], *, to_response: ToResponse, if_none_match: str | None = None
    ) -> Response[str]:
        """Answer something that has a version, which the ETag tells; 304 if the client has that one."""
        etag = etag_of(row["version"])
        if matches(if_none_match, etag):
            return answer(HTTPStatus.NOT_MODIFIED, ETag=etag)
        return answer(HTTPStatus.OK, to_response(row), ETag=etag)

    def page(
        self, table: Table, query: KeyQuery, *, to_response: ToResponse, limit: int, cursor: str | None
    ) -> Response[str]:
        """Answer one page of a list; its cursor fits the same route and parameters only."""
        now_ms = clock.now_ms()
        page = read_page(
            table, query, to_response=to_response, scope=self.scope, limit=limit, cursor=cursor, now_ms=now_ms
        )
        return answer(HTTPStatus.OK, page)

    def handler(self, event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
        """Be the Lambda function's handler."""
        started = time.perf_counter()
        self._error = None
        answer = self._answer(event, context)
        request_id = event["requestContext"]["requestId"]
        answer.setdefault("headers", {})["x-request-id"] = request_id
        self._log(
            event["routeKey"],
            function_request_id=context.aws_request_id,
            request_id=request_id,
            status=answer["statusCode"],
            ms=round((time.perf_counter() - started) * 1000, 1),
        )
        return answer

    def _log(self, route: str, **told: object) -> None:
        if self._error is None:
            logger().info(route, extra=told)
        else:
            logger().error(route, extra=told, exc_info=self._error)

    def _answer(self, event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401
        try:
            # Authorisation is decided before validation: who may not call learns nothing of what would be valid.
            self.append_context(caller=authorize(event, self._routes))  # type: ignore[no-untyped-call]
            return self.resolve(routable(event), context)
        except Rejected as error:
            response = _rejected(error)
            return {"statusCode": response.status_code, "headers": dict(response.headers), "body": response.body}
        finally:
            self.clear_context()  # type: ignore[no-untyped-call]

    def _failed(self, error: Exception) -> Response[str]:
        """Answer 500 without a word of why; the log has it."""
        self._error = error
        return _problem(
            HTTPStatus.INTERNAL_SERVER_ERROR, "Something failed on our side; the request may be tried again."
        )

    def _convert_matches_into_route_keys(self, match: Any) -> dict[str, str]:  # noqa: ANN401, ARG002
        """Take path parameters from the gateway, not from the path: see `routable`."""
        return dict(self.current_event.path_parameters)


def answer(status: HTTPStatus, body: Mapping[str, Any] | None = None, **headers: str) -> Response[str]:
    """Build an answer; header names are given with `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is None:
        return Response(int(status), body="", headers=named)
    return Response(int(status), content_type=JSON, body=strict_json.dumps(body), headers=named)


def _rejected(error: Rejected) -> Response[str]:
    return _problem(error.status, error.detail, error.fields)


def _invalid(error: RequestValidationError) -> Response[str]:
    fields = tuple(
        FieldError(".".join(str(place) for place in one["loc"]), one["msg"].removeprefix("Value error, "))
        for one in error.errors()
    )
    return _rejected(Invalid("The request is invalid.", fields=fields))


def _no_route(_: NotFoundError) -> Response[str]:
    return _problem(HTTPStatus.NOT_FOUND, "There is no such route.")


def _problem(status: HTTPStatus, detail: str, fields: tuple[FieldError, ...] = ()) -> Response[str]:
    return Response(int(status), content_type=CONTENT_TYPE, body=strict_json.dumps(problem(status, detail, fields)))


def _refuse_unknown_query(app: Any, next_middleware: Callable[[Any], Response[str]]) -> Response[str]:  # noqa: ANN401
    """Refuse query parameters that the route does not know: a mistyped `form=` must not answer everything."""
    known = {parameter.alias for parameter in app.context["_route"].dependant.query_params}
    unknown = sorted((app.current_event.get("queryStringParameters") or {}).keys() - known)
    if unknown:
        fields = tuple(FieldError(f"query.{name}", "is not a parameter of this route") for name in unknown)
        raise Invalid("The request is invalid.", fields=fields)
    return next_middleware(app)


def _refuse_array(app: Any, next_middleware: Callable[[Any], Response[str]]) -> Response[str]:  # noqa: ANN401
    """Refuse an array where the body is an object: Powertools takes its first member and forgets the others."""
    kinds = [parameter.field_info.annotation for parameter in app.context["_route"].dependant.body_params]
    is_object = any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds)
    if is_object and app.current_event.body.lstrip().startswith("["):
        raise Invalid.field("body", "must be an object")
    return next_middleware(app)
