"""API Gateway's HTTP API in this process: it routes and decodes as AWS does, and answers 404 by itself."""

import base64
import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

from andon.packages.discovery import apis, owner_of_route
from andon.runtime.json_types import JsonObject
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event

BY_ITSELF: Final = "x-answered-by-the-gateway"

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]


class HttpGateway:
    """All routes of all packages, as a WSGI application, too; there the token is an admin's."""

    def __init__(self) -> None:
        routes = [route for package in apis() for route in package.routes]
        # A literal part goes before a parameter: /states/latest before /states/{timestamp}.
        self._routes = [(route, _pattern(route)) for route in sorted(routes, key=lambda route: route.count("{"))]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        headers = {
            name.removeprefix("HTTP_").replace("_", "-").lower(): value
            for name, value in environ.items()
            if name.startswith("HTTP_") or name in {"CONTENT_TYPE", "CONTENT_LENGTH"}
        }
        # WSGI hands bytes over as Latin-1.
        path, query = environ["PATH_INFO"].encode("latin-1"), environ.get("QUERY_STRING", "")
        event = self.event(environ["REQUEST_METHOD"], path, query, headers=headers, body=environ["wsgi.input"].read())
        answer = not_found() if event is None else _handled(event)
        status = HTTPStatus(answer["statusCode"])
        start_response(f"{status.value} {status.phrase}", list(answer["headers"].items()))
        return [answer.get("body", "").encode()]

    def event(
        self,
        method: str,
        path: bytes,
        query: str,
        *,
        headers: Mapping[str, str],
        body: bytes = b"",
        **claims: Any,  # noqa: ANN401
    ) -> JsonObject | None:
        """Return the event of a request; None: there is no such route.

        path: percent-encoding undone, so that a `%2F` has become a slash, as it does in AWS. claims: see `http_event`.
        """
        asked = f"{method} {path.decode(errors='replace')}"
        for route, pattern in self._routes:
            if found := pattern.fullmatch(asked):
                event = http_event(route, path=found.groupdict(), query=_joined(query), headers=headers, **claims)
                return event | {"rawQueryString": query, "headers": dict(headers)} | _body(body)
        return None


def not_found() -> JsonObject:
    """Return the answer where there is no such route."""
    headers = {"content-type": "application/json", BY_ITSELF: "yes"}
    return {"statusCode": HTTPStatus.NOT_FOUND, "headers": headers, "body": '{"message":"Not Found"}'}


def _handled(event: JsonObject) -> JsonObject:
    package, role = owner_of_route(event["routeKey"])
    answer: JsonObject = package.handler(role)(event, LocalContext(f"{package.name}-{role}"))
    return answer


def _pattern(route: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(route)), re.DOTALL)


def _joined(query: str) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _body(sent: bytes) -> dict[str, Any]:
    if not sent:
        return {}
    try:
        return {"body": sent.decode(), "isBase64Encoded": False}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(sent).decode(), "isBase64Encoded": True}
