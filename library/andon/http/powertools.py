"""Powertools' `APIGatewayHttpResolver` as the `app` of a handler file, beside an `HttpApi` that takes its routes.

    app = APIGatewayHttpResolver(enable_validation=True)
    api = PowertoolsApi(app)
    handler = api.handler

    @app.get("/things/<id>")
    @api.allows(groups=READERS, at=OfSubject("thing_id"))
    def get_thing(thing_id: Annotated[str, Path(alias="id")], if_none_match: IfNoneMatch = None) -> Response: ...

The resolver validates, runs middlewares, dependencies and exception handlers, and makes responses of what functions
return; these may also take the library's parameters and return its responses. All else is as for any `HttpApi`. Only a
function that needs it imports this module: Powertools is in a layer of its own.

The resolver is not asked which route it is, for API Gateway knows, and has decoded the path. That takes private
members of one version: `_static_routes`, `_dynamic_routes`, `_enable_validation`, `_call_route`, `_build_response`,
`_json_body_deserializer`, `_router_middlewares`, and `_is_or_contains_sequence`.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial, update_wrapper
from http import HTTPStatus
from typing import Annotated, Any, Final, NoReturn, TypeVar, Unpack, get_args, get_origin

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler import Response as TheirResponse
from aws_lambda_powertools.event_handler.api_gateway import BaseRouter
from aws_lambda_powertools.event_handler.api_gateway import Route as TheirRoute
from aws_lambda_powertools.event_handler.exceptions import ServiceError
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import _is_or_contains_sequence
from aws_lambda_powertools.event_handler.openapi.compat import ModelField
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from aws_lambda_powertools.event_handler.openapi.params import Body, Form, Header, Path, Query, get_flat_dependant
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from pydantic import BaseModel

from andon.http.after import NotSeenYet
from andon.http.arguments import JSON, Argument, parse, require_single, text_of, unknown
from andon.http.derived import plain
from andon.http.http_api import Access, HttpApi, Route, answered, route_of
from andon.http.models import fields_of
from andon.http.parameters import Parameter
from andon.http.response import Response, respond_problem, respond_rejected
from andon.runtime.errors import FieldError, Invalid, Rejected
from andon.runtime.json_types import JsonObject

INVALID: Final = "The request is invalid."

_MARKS: Final[Mapping[str, Callable[..., Any]]] = {"path": Path, "query": Query, "header": Header}
"""Part of a request -> Powertools' mark of a parameter there."""

Known = TypeVar("Known", bound=Callable[..., Any])

_NextMiddleware = Callable[[Any], TheirResponse[Any]]
_Middleware = Callable[[Any, _NextMiddleware], TheirResponse[Any]]


class PowertoolsApi(HttpApi):
    """The routes of a resolver, each with its `allows` at its function, and those that it `serves` itself."""

    def __init__(self, app: APIGatewayHttpResolver, *, no_store: bool = False) -> None:
        super().__init__(no_store=no_store)
        if app._json_body_deserializer is not None:  # noqa: SLF001  see above
            raise ValueError("a json_body_deserializer would never be asked: bodies are read as for HttpApi")
        if app._router_middlewares:  # noqa: SLF001  see above
            raise ValueError(
                "a middleware before PowertoolsApi would be asked before places are: call app.use behind it"
            )
        self.resolver = app
        self._allowed: dict[Any, Route] = {}
        self._is_valid = False
        app.use([self._middleware()])
        # The most exact handler is taken, so that one of the project's goes before these.
        app.exception_handler([Exception, Rejected, NotSeenYet])(self._raise)
        app.exception_handler(RequestValidationError)(self._respond_invalid)
        app.exception_handler(RequestUnsupportedContentType)(_respond_unsupported)
        app.exception_handler(ServiceError)(self._respond_service_error)

    def allows(self, **access: Unpack[Access]) -> Callable[[Known], Known]:
        """Declare the callers of the decorated function's route; it stands between the function and `@app.get(…)`."""

        def allow(function: Known) -> Known:
            answering: Any = _Answering(function)
            self._allowed[answering] = route_of(function.__name__, function, access)
            known: Known = answering  # it takes the same arguments, by their names
            return known

        return allow

    @cached_property
    def declared(self) -> Mapping[str, Route]:
        """The routes by their keys.

        Raises:
            ValueError: of some route of the resolver nobody says who may call it, or of what is no route.

        """
        forgotten = [key for key, route in self._resolved.items() if route.func not in self._allowed]
        routed = {route.func for route in self._resolved.values()}
        forgotten += [route.answered_by.__name__ for known, route in self._allowed.items() if known not in routed]
        if forgotten:
            raise ValueError(
                f"each of these needs both @app.get(…), or the like, and @api.allows(…) below it: {forgotten}"
            )
        return self._served | {key: self._allowed[route.func] for key, route in self._resolved.items()}

    @cached_property
    def _resolved(self) -> dict[str, TheirRoute]:
        """The resolver's routes by their keys; of two with the same key it takes the first one."""
        registered = [*self.resolver._static_routes, *self.resolver._dynamic_routes]  # noqa: SLF001  see above
        return {f"{route.method} {route.openapi_path}": route for route in reversed(registered)}

    @property
    def _route(self) -> TheirRoute:
        """The resolver's route of the current request."""
        return self._resolved[self._request["event"]["routeKey"]]

    @property
    def _validates(self) -> bool:
        validates = self._route.enable_validation
        return self.resolver._enable_validation if validates is None else validates  # noqa: SLF001  see above

    def _answer(self, event: JsonObject, route: Route) -> Response:
        """Let the resolver answer a request; see `HttpApi`."""
        resolved = self._resolved.get(event["routeKey"])
        if resolved is None:
            return super()._answer(event, route)
        app: Any = self.resolver
        shared: Any = BaseRouter  # by all resolvers and routers
        self._is_valid = False
        current = _current(event, resolved) if self._validates else _json(event, parse)
        shared.current_event, shared.lambda_context = current, self.lambda_context
        app.append_context(_route=resolved, _path=event["rawPath"])
        try:
            path = {**(event.get("pathParameters") or {})}
            return _ours(app._build_response(app._call_route(resolved, path)))  # noqa: SLF001  see above
        finally:
            app.clear_context()

    def _middleware(self) -> _Middleware:
        """Return the middleware behind the validation of a request; one that is no method is looked into only once."""

        def require(app: Any, next_middleware: _NextMiddleware) -> TheirResponse[Any]:  # noqa: ANN401  a resolver
            if wrong := self._unknown():
                raise Invalid(INVALID, fields=tuple(wrong))
            self._is_valid = True
            self._require_place(self.declared[self._request["event"]["routeKey"]], app.context["_route_args"])
            return next_middleware(app)

        return require

    def _unknown(self) -> list[FieldError]:
        """Return an error for each parameter that the route does not know; one that validates nothing says none."""
        given = self._request["event"].get("queryStringParameters") or {}
        return unknown(given, _queries(self._route)) if self._validates else []

    def _raise(self, error: Exception) -> NoReturn:
        """Leave the response to `HttpApi`, and the line in the log.

        Raises:
            Exception: the error.
            Invalid: it is a form that cannot be read.

        """
        if not self._is_valid and isinstance(error, ValueError) and self._validates and _takes_form(self._route):
            raise Invalid.field("body", "is no form that can be read") from error
        raise error

    def _respond_invalid(self, error: RequestValidationError) -> TheirResponse[str]:
        """Return 400.

        Raises:
            RequestValidationError: it is the response that is not valid, which is no fault of the client.

        """
        if self._is_valid:
            raise error
        fields = (*fields_of(error.errors()), *self._unknown())
        return _theirs(respond_rejected(Invalid(INVALID, fields=fields)))

    def _respond_service_error(self, error: ServiceError) -> TheirResponse[str]:
        """Return the problem that a function raised; a message that is no text becomes members."""
        status, said = HTTPStatus(error.status_code), error.msg
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.failed_by = error
        if isinstance(said, str):
            return _theirs(respond_problem(status, said))
        return _theirs(respond_problem(status, status.phrase, members=said))


class _Answering:
    """A function of a route, as the resolver takes it: with parameters and responses in its words."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, **arguments: Any) -> Any:  # noqa: ANN401  whatever a resolver makes a response of
        given = {name: plain(one) if name in self._declared else one for name, one in arguments.items()}
        response = answered(self._function, given)
        return _theirs(response) if isinstance(response, Response) else response

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """Made when the resolver asks, at the first request of a route: a process seldom serves all of its package."""
        signature = inspect.signature(self._function, eval_str=True)
        returned = signature.return_annotation
        return signature.replace(
            parameters=[_taken(one) for one in signature.parameters.values()],
            return_annotation=signature.empty if returned is Response else returned,
        )

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The names of bodies by a declaration; they come as dictionaries, see `arguments.py`."""
        signature = inspect.signature(self._function, eval_str=True)
        return frozenset(one.name for one in signature.parameters.values() if _argument(one).is_declared)


def _argument(one: inspect.Parameter) -> Argument:
    return Argument(one.name, one.annotation, one.default)


def _taken(one: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter with a mark of Powertools in place of the library's; it needs none for a declared body."""
    marks = get_args(one.annotation)[1:] if get_origin(one.annotation) is Annotated else ()
    ours = next((mark for mark in marks if isinstance(mark, Parameter)), None)
    if any(hasattr(mark, "in_") for mark in marks):  # Powertools' own goes before the library's
        return one
    if ours is not None:
        mark = _MARKS[ours.part](alias=ours.alias or one.name, description=ours.description)
        return one.replace(annotation=Annotated[one.annotation, mark])
    argument = _argument(one)
    return one.replace(annotation=Annotated[argument.taken, Body()]) if argument.is_declared else one


def _current(event: JsonObject, route: TheirRoute) -> APIGatewayProxyEventV2:
    """Return the event for the resolver: with a body that is JSON as the library reads it, unless it takes a form.

    Raises:
        Invalid: see `_json`.

    """
    if not _takes_form(route):
        return _json(event, partial(_read, fields=route.dependant.body_params))
    require_single(event.get("rawQueryString", ""))
    return APIGatewayProxyEventV2(event, parse)


def _json(event: JsonObject, read: Callable[[str], Any]) -> APIGatewayProxyEventV2:
    """Return the event of a request with a text that `read` makes a value of.

    Raises:
        Invalid: a parameter came twice, or the text cannot be read.

    """
    require_single(event.get("rawQueryString", ""))
    text = text_of(event)
    sent_as = {} if text is None else {"content-type": JSON}  # Powertools compares letter by letter
    headers = {**(event.get("headers") or {}), **sent_as}
    return APIGatewayProxyEventV2({**event, "headers": headers, "body": text, "isBase64Encoded": False}, read)


def _read(text: str, fields: Sequence[ModelField]) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of a body.

    Raises:
        Invalid: see `parse`.

    """
    value = parse(text)
    if len(fields) == 1 and not getattr(fields[0].field_info, "embed", None):
        return _whole(value, fields[0])
    if not isinstance(value, dict):
        return value
    return value | {one.alias: _whole(value[one.alias], one) for one in fields if one.alias in value}


def _whole(value: Any, field: ModelField) -> Any:  # noqa: ANN401
    """Keep a list together: Powertools would take its first item where a function wants no list."""
    is_parted = isinstance(value, list) and not _is_or_contains_sequence(field.field_info.annotation)
    return [value] if is_parted else value


@cache
def _takes_form(route: TheirRoute) -> bool:
    return any(isinstance(one.field_info, Form) for one in get_flat_dependant(route.dependant).body_params)


@cache
def _queries(route: TheirRoute) -> frozenset[str]:
    """Return the names of the query that a route and its dependencies know; a model has several."""
    kinds = {one.alias: one.field_info.annotation for one in get_flat_dependant(route.dependant).query_params}
    return frozenset(name for alias, kind in kinds.items() for name in _names(alias, kind))


def _names(alias: str, kind: Any) -> Iterable[str]:  # noqa: ANN401
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return (alias,)
    by_name = kind.model_config.get("validate_by_name") or kind.model_config.get("populate_by_name")
    return [
        one for name, info in kind.model_fields.items() for one in (info.alias or name, name)[: 2 if by_name else 1]
    ]


def _respond_unsupported(_: RequestUnsupportedContentType) -> TheirResponse[str]:
    return _theirs(respond_problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body is of a type that is not taken here."))


def _theirs(response: Response) -> TheirResponse[str]:
    return TheirResponse(response.status_code, body=response.body, headers={**response.headers})


def _ours(built: JsonObject) -> Response:
    more = {name: built[name] for name in ("cookies", "isBase64Encoded") if built.get(name)}
    return Response(built["statusCode"], built["body"] or "", built["headers"], more)
