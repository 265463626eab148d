"""API Gateway's HTTP API as a WSGI application: it routes and decodes as AWS does, and answers 404 by itself."""

import base64
import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from andon.packages.discovery import apis, owner_of_route
from andon.testing.lambda_context import LocalContext
from andon.testing.lambda_events import http_event

BY_ITSELF = "x-answered-by-the-gateway"

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]


class Gateway:
    """All routes of all packages; the token is an admin's."""

    def __init__(self) -> None:
        routes = [route for package in apis() for route in package.routes]
        # A literal part goes before a parameter: /states/latest before /states/{timestamp}.
        self._routes = [(route, _pattern(route)) for route in sorted(routes, key=lambda route: route.count("{"))]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        answer = self._answer(environ)
        status = HTTPStatus(answer["statusCode"])
        start_response(f"{status.value} {status.phrase}", list(answer["headers"].items()))
        return [answer.get("body", "").encode()]

    def _answer(self, environ: Environ) -> dict[str, Any]:
        # WSGI hands bytes over as Latin-1, percent-encoding undone: a `%2F` has become a slash, as it does in AWS.
        path = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
        for route, pattern in self._routes:
            if found := pattern.fullmatch(f"{environ['REQUEST_METHOD']} {path}"):
                package, role = owner_of_route(route)
                event = _event(environ, route, path=found.groupdict())
                answer: dict[str, Any] = package.handler(role)(event, LocalContext(f"{package.name}-{role}"))
                return answer
        headers = {"content-type": "application/json", BY_ITSELF: "yes"}
        return {"statusCode": HTTPStatus.NOT_FOUND, "headers": headers, "body": '{"message":"Not Found"}'}


def _pattern(route: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(route)), re.DOTALL)


def _event(environ: Environ, route: str, *, path: dict[str, str]) -> dict[str, Any]:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in {"CONTENT_TYPE", "CONTENT_LENGTH"}
    }
    query: dict[str, str] = {}
    for name, value in parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True):
        query[name] = f"{query[name]},{value}" if name in query else value
    event = http_event(route, path=path, query=query, headers=headers)
    raw_query = environ.get("QUERY_STRING", "")
    return event | {"rawQueryString": raw_query} | _body(environ["wsgi.input"].read())


def _body(sent: bytes) -> dict[str, Any]:
    if not sent:
        return {}
    try:
        return {"body": sent.decode(), "isBase64Encoded": False}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(sent).decode(), "isBase64Encoded": True}
