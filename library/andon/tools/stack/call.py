"""`make call`: sends one request to the running stack, signed by itself, and prints the response."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from http import HTTPStatus
from http.client import responses
from itertools import zip_longest
from typing import Final
from urllib.parse import quote

from andon.packages.discovery import packages
from andon.project import project
from andon.tools.called import as_called, is_by_make
from andon.tools.stack import outputs
from andon.tools.stack.api import HttpResponse
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.stack import Stack

# Routes near a request that no route answers, as a person mistypes one. Pure.

NAMED: Final = 3
"""So many routes are named."""

ALIKE: Final = 0.6
"""From this ratio on, a path is like another one; 1 is the same."""


def words_for(method: str, path: str, routes: Iterable[str]) -> str | None:
    """Return the message about a request that no route answers; None: one does.

    path: without its query. routes: as `GET /things/{id}`.
    """
    known = sorted(routes)
    if any(_is(path, of_path) for of_method, of_path in map(_parts, known) if of_method == method):
        return None
    there = [route for route in known if _is(path, _parts(route)[1])]
    near = there or _nearest(path, known)
    words = f"there is no route {method} {path}"
    return f"{words}; there is {', '.join(near)}" if near else words


def _parts(route: str) -> Sequence[str]:
    method, _, path = route.partition(" ")
    return method, path


def _is(path: str, template: str) -> bool:
    """Return True if a path is one of a template, as `/things/lamp` of `/things/{id}`."""
    return _filled(template, path) == path and "//" not in path


def _filled(template: str, path: str) -> str:
    """Return a template with the parts of a path in the place of its own ones."""
    pairs = zip_longest(template.split("/"), path.split("/"), fillvalue="")
    filled = [typed if own.startswith("{") and typed else own for own, typed in pairs]
    return "/".join(filled[: template.count("/") + 1])


def _nearest(path: str, routes: Iterable[str]) -> list[str]:
    """Return the routes whose paths are most like one, the nearest first."""
    ratios = {route: SequenceMatcher(None, _filled(_parts(route)[1], path), path).ratio() for route in routes}
    return sorted((route for route in ratios if ratios[route] >= ALIKE), key=lambda route: -ratios[route])[:NAMED]


SHOWN: Final = ("etag", "location", "link", "x-after", "x-next", "retry-after", "allow", "content-type")
"""Headers that say something about the response; `content-type` only if it is no JSON."""

_AS_TYPED: Final = "/?&=%:,;+@!$'()*~-._"
"""Characters that stay as they are typed; a `#`, which ids may contain, would end the path."""


def sent(text: str | None) -> object:
    """Return the body of a request.

    Raises:
        ToolFailed: it is no JSON.

    """
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise ToolFailed(f"the body is no JSON: {error}") from error


def headers_of(lines: list[str]) -> dict[str, str]:
    """Return headers that were given as `name: value`.

    Raises:
        ToolFailed: one has no colon.

    """
    found = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    if missing := [line for line, (_, value) in zip(lines, found, strict=True) if not value]:
        raise ToolFailed(f"a header is written as name: value, not as {missing[0]!r}")
    return dict(found)


def lines_of(response: HttpResponse) -> list[str]:
    """Return a response as a person wants to see it: its status, some headers, its content."""
    kind = response.headers.get("content-type", "")
    is_json = kind.partition(";")[0].endswith("json")
    shown = [name for name in SHOWN if name in response.headers and not (is_json and name == "content-type")]
    status = f"{response.status} {responses.get(response.status, '')}".strip()
    lines = [status, *(f"{name}: {response.headers[name]}" for name in shown)]
    if not response.body:
        return lines
    content = (
        json.dumps(response.json, indent=2, ensure_ascii=False) if is_json else response.body.decode(errors="replace")
    )
    return [*lines, content]


def exit_code(status: int) -> int:
    """Return 1 if the request was refused; to make 0, which would add an error of its own below the response."""
    return 0 if is_by_make() else int(status >= HTTPStatus.BAD_REQUEST)


def main() -> int:
    """Entry point."""
    options = _options()
    method, at = options.method.upper(), tuple(name for name in options.at.split(",") if name)
    body, headers = sent(options.body), headers_of(options.header)
    api = Stack(outputs.of_running_stack()).api(options.role, options.user, at)
    response = api.request(method, _path(options.path), body, headers)
    print("\n".join(lines_of(response)))
    if response.status == HTTPStatus.NOT_FOUND and (words := _no_route(method, options.path)):
        print(f"{as_called('call')}: {words}", file=sys.stderr)
    return exit_code(response.status)


def _path(typed: str) -> str:
    """Return a path as it is sent.

    Raises:
        ToolFailed: it does not begin with a slash.

    """
    if not typed.startswith("/"):
        raise ToolFailed(f"a path begins with a slash, as /{typed}")
    return quote(typed, safe=_AS_TYPED)


def _no_route(method: str, path: str) -> str | None:
    """Return a message if this project has no such route, so that a mistyped path does not look like a missing row."""
    return words_for(method, path.partition("?")[0], [route for one in packages() for route in one.routes])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("call"), description=__doc__)
    parser.add_argument("method", help="as GET")
    parser.add_argument("path", help="as /things/one, with its query")
    parser.add_argument("body", nargs="?", help="JSON")
    admin = project().groups.admin
    parser.add_argument(
        "--as", dest="role", default=admin, metavar="ROLE", help=f"the caller's group (default: {admin})"
    )
    parser.add_argument("--user", help="the caller's name (default: the one user of the role)")
    parser.add_argument("--at", default="", metavar="PLACE,…", help="limited to these places")
    parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE", help="as 'if-match: \"1\"'")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
