"""`make call`: sends one request to the running stack, signed by itself, and prints the response."""

import argparse
import json
import sys
from http.client import responses
from typing import Final
from urllib.parse import quote

from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack import outputs
from andon.tools.stack.api import HttpResponse
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.stack import Stack

SHOWN: Final = ("etag", "location", "link", "x-after", "x-next", "retry-after", "allow", "content-type")
"""Headers that say something about the response; `content-type` only if it is no JSON."""

AS_TYPED: Final = "/?&=%:,;+@!$'()*~-._"
"""Characters that stay as they are typed; a `#`, which ids may contain, would end the path."""

REFUSED: Final = 400


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
    """Return what a person wants to see of a response: its status, some headers, its content."""
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


def main() -> int:
    """Entry point; 1 if the request was refused, or not sent."""
    options = _options()
    at = tuple(name for name in options.at.split(",") if name)
    try:
        body, headers = sent(options.body), headers_of(options.header)
        api = Stack(outputs.of_running_stack()).api(options.role, options.user, at)
        response = api.request(options.method.upper(), quote(options.path, safe=AS_TYPED), body, headers)
    except ToolFailed as reason:
        print(f"{as_called('call')}: {reason}", file=sys.stderr)
        return 1
    print("\n".join(lines_of(response)))
    return int(response.status >= REFUSED)


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
