"""Requests of this process -> AWS in memory: those of libcurl as bytes, those of botocore's clients as parameters."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

import orjson
from botocore.client import BaseClient
from botocore.exceptions import ClientError, ReadTimeoutError

from andon.runtime.json_types import JsonObject
from andon.wire import botocore_client, curl, in_turns
from andon.wire.aws_json import PROTOCOLS, operation_of
from andon.wire.curl import END_OF_HEADERS, Request, Response
from andon.wire.retries import ATTEMPTS

# A call of an AWS operation, and the ways in which it fails.

Answer = JsonObject


class Call(NamedTuple):
    """service: as boto3 names it. operation: as AWS does, `PutItem`."""

    service: str
    operation: str
    request: JsonObject


class AwsRefused(Exception):
    """AWS answers with an error; members: those beside its code and its message."""

    def __init__(self, code: str, *, message: str = "no", status: int = 400, **members: Any) -> None:  # noqa: ANN401
        super().__init__(code)
        self.code, self.message, self.status, self.members = code, message, status, members


class Lost(Exception):
    """AWS did it, and its answer was lost on the way."""


def invalid(message: str) -> AwsRefused:
    """Return the error of a request that can never succeed."""
    return AwsRefused("ValidationException", message=message)


_Answering = Callable[[Call], Answer]

LOST: Final = "ReadTimeoutError"

_SERVICES: Final = {protocol.target: service for service, protocol in PROTOCOLS.items()}


@contextmanager
def in_place_of_aws(answering: _Answering) -> Iterator[None]:
    """Answer all requests of this process; one AWS may be inside another, which is there again afterwards."""
    connections = _Connections(answering)

    def call(client: Any, operation: str, request: JsonObject) -> Answer:  # noqa: ANN401  botocore has no types
        return _answered(answering, Call(client.meta.service_model.service_name, operation, request))

    with (
        patch.object(curl, "CONNECTIONS", connections),
        patch.object(in_turns, "CONNECTIONS", connections),
        patch.object(BaseClient, "_make_api_call", call),
        patch.object(botocore_client, "create", partial(_Client, answering)),
    ):
        yield


class _Connections(threading.local):
    """Connections of a thread, as `curl.Connections`; what begins is answered at once, and has ended when asked."""

    def __init__(self, answering: _Answering) -> None:
        self._answering = answering
        self.forget()

    def forget(self) -> None:
        self._ended: list[tuple[object, Response]] = []

    def send(self, request: Request) -> Response:
        return _response(self._answering, request)

    def begin(self, request: Request) -> object:
        handle = object()
        self._ended.append((handle, _response(self._answering, request)))
        return handle

    def ended(self, *, within_seconds: float = 0) -> list[tuple[object, Response]]:  # noqa: ARG002  libcurl's signature
        ended, self._ended = self._ended, []
        return ended

    def give_up(self, handle: object) -> None:
        self._ended = [one for one in self._ended if one[0] is not handle]


def _response(answering: _Answering, request: Request) -> Response:
    try:
        return _whole(HTTPStatus.OK, answering(_call_in(request)))
    except AwsRefused as refused:
        said = {"__type": f"com.amazonaws#{refused.code}", "message": refused.message, **refused.members}
        return _whole(refused.status, said, f"x-amzn-errortype: {refused.code}\r\n".encode())
    except Lost:
        return Response(0, (), b"", LOST)


def _whole(status: int, said: Answer, *headers: bytes) -> Response:
    return Response(status, (*headers, END_OF_HEADERS), orjson.dumps(said))


def _call_in(request: Request) -> Call:
    """Return the call that a request makes: of a JSON protocol, else the one of IoT's that has none."""
    service, operation = _target(request.headers)
    if service:
        return Call(service, operation, orjson.loads(request.body))
    url = urlsplit(request.url)
    topic = unquote(url.path.removeprefix("/topics/"))
    return Call("iot-data", "Publish", {"topic": topic, "payload": request.body})


@cache
def _target(headers: tuple[str, ...]) -> tuple[str, str]:
    named = [header.partition(": ")[2] for header in headers if header.startswith("X-Amz-Target: ")]
    target, _, operation = named[0].partition(".") if named else ("", "", "")
    return _SERVICES.get(target, ""), operation


_create: Final = botocore_client.create


class _Client:
    """A client as `botocore_client.create` makes it, without the 40 ms of CPU that botocore's own takes."""

    def __init__(self, answering: _Answering, service: str) -> None:
        self._answering, self._service = answering, service

    def get_paginator(self, method: str) -> Any:  # noqa: ANN401  botocore's
        return _create(self._service).get_paginator(method)  # its requests come here, too

    def __getattr__(self, method: str) -> Callable[..., Answer]:
        return lambda **request: _answered(self._answering, Call(self._service, operation_of(method), request))


def _answered(answering: _Answering, call: Call) -> Answer:
    for _ in range(ATTEMPTS):
        try:
            return {"ResponseMetadata": {"HTTPStatusCode": 200}, **answering(call)}
        except AwsRefused as refused:
            raise ClientError(_as_botocore_has_it(refused), call.operation) from refused
        except Lost:
            continue
    raise ReadTimeoutError(endpoint_url=call.service)


def _as_botocore_has_it(refused: AwsRefused) -> Answer:
    error = {"Code": refused.code, "Message": refused.message}
    return {"Error": error, "ResponseMetadata": {"HTTPStatusCode": refused.status}, **refused.members}
