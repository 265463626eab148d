"""GET / and GET /page/{file} -> the files of the page."""

import time
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final

from andon.http.static_files import StaticFile, static_files
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from pages.board.headers import security_headers
from pages.board.settings import Settings

FOLDER: Final = Path(__file__).parent / "page"
INDEX: Final = "index.html"

ROUTES: Final = ("GET /", "GET /page/{file}")


def handler(event: JsonObject, context: LambdaContext) -> JsonObject:
    """Lambda entry point."""
    started, request_id = time.perf_counter(), event["requestContext"]["requestId"]
    response = _respond(event)
    response["headers"] |= {**_headers(), "x-request-id": request_id}
    outcome = {"status": response["statusCode"], "ms": round((time.perf_counter() - started) * 1000, 1)}
    ids = {"request_id": request_id, "function_request_id": context.aws_request_id}
    logger().info(event["routeKey"], extra=ids | outcome)
    return response


def _respond(event: JsonObject) -> JsonObject:
    name = (event.get("pathParameters") or {}).get("file", INDEX)
    if found := _files().get(name):
        return found.respond(event["headers"])
    return {"statusCode": int(HTTPStatus.NOT_FOUND), "headers": {"content-type": "text/plain"}, "body": "Not found"}


@cache
def _files() -> dict[str, StaticFile]:
    settings = Settings.of_environment().to_json()
    return static_files(FOLDER) | {"settings.json": StaticFile.of("settings.json", settings)}


@cache
def _headers() -> dict[str, str]:
    return security_headers(Settings.of_environment())
