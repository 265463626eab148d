"""The API behind the page, in this process: what a test or a picture says that it knows, and no more.

It answers what the page asks for at an address of its own, which no request leaves.
"""

import base64
import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from playwright.sync_api import BrowserContext, Route

from andon.dynamodb.client import MOST_READ_AT_ONCE as AT_ONCE
from andon.project import project
from contract import people
from demo.board.fake_broker import TOPIC, URL, FakeBroker

ORIGIN: Final = "https://andon.test"
PAGE: Final = project().functions / "pages" / "board" / "page"
TYPES: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' "
    "wss://live.andon.test; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types worker"
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FakeAnswer:
    """A response of the API; `etag` without quotes."""

    status: int
    body: object = None
    etag: str | None = None


Rule = Callable[[Mapping[str, Any]], FakeAnswer | None]


@dataclass
class FakeApi:
    """The state of a fake API; paths are as requested, decoded.

    people: by path of an assignment or escalation. directory: names by id; None is of somebody erased. looked_up: the
    ids of each request for names. orders: of the factory's agenda, by day. unchanged: the paths of responses of 304.
    settings: of the deployment, as `oidc.js` reads them.
    rules: answers that a test puts in the place of the usual ones, by method and the end of a path. now: for the `Date`
    of responses; None is the time that it is.
    """

    items: dict[str, Row] = field(default_factory=dict)
    broker: FakeBroker = field(default_factory=FakeBroker)
    bodies: dict[str, object] = field(default_factory=dict)
    people: dict[str, tuple[Row, int]] = field(default_factory=dict)
    directory: dict[str, str | None] = field(default_factory=dict)
    orders: list[Row] = field(default_factory=list)
    looked_up: list[list[str]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    rules: dict[tuple[str, str], Rule] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    written: list[tuple[str, str, Any, str | None]] = field(default_factory=list)
    is_reachable: bool = True
    now: datetime | None = None

    def serve(self, context: BrowserContext) -> None:
        """Serve the pages of a context."""
        context.route(f"{ORIGIN}/**", self._serve)
        self.broker.serve(context)

    def put(self, row: Mapping[str, Any]) -> None:
        """Change a row, and publish that."""
        self.items[row["equipmentId"]] = dict(row)
        self.broker.publish(row)

    def remove(self, equipment_id: str, version: int) -> None:
        """Remove a row, and publish that."""
        del self.items[equipment_id]
        self.broker.publish({"equipmentId": equipment_id, "version": version, "gone": True})

    def _serve(self, route: Route) -> None:
        path = unquote(urlsplit(route.request.url).path)
        if not self.is_reachable:
            route.abort()
            return
        if path == "/page/settings.json":
            route.fulfill(status=200, content_type="application/json", body=json.dumps(self.settings))
            return
        if path == "/" or path.startswith("/page/"):
            _serve_file(route, path.removeprefix("/page/") if path != "/" else "index.html")
            return
        self.asked.append(f"{route.request.method} {path}")
        self._fulfil(route, self._answer(route, path))

    def _fulfil(self, route: Route, answer: FakeAnswer) -> None:
        tag = answer.etag or hashlib.sha256(json.dumps(answer.body).encode()).hexdigest()[:16]
        headers = {"date": format_datetime(self.now or datetime.now(UTC), usegmt=True), "etag": f'"{tag}"'}
        if route.request.method == "GET" and route.request.headers.get("if-none-match") == f'"{tag}"':
            self.unchanged.append(unquote(urlsplit(route.request.url).path))
            route.fulfill(status=304, headers=headers)
            return
        body = "" if answer.body is None else json.dumps(answer.body)
        route.fulfill(status=answer.status, headers=headers | {"content-type": "application/json"}, body=body)

    def _answer(self, route: Route, path: str) -> FakeAnswer:
        request = route.request
        body = json.loads(request.post_data) if request.post_data else None
        if request.method != "GET":
            self.written.append((request.method, path, body, request.headers.get("if-match")))
        for (method, end), rule in list(self.rules.items()):
            if method == request.method and path.endswith(end) and (answer := rule(body or {})) is not None:
                return answer
        if path == "/people":
            return self._names(parse_qs(urlsplit(request.url).query)["ids"][0].split(","))
        if path.startswith("/factories/") and "/agenda/" in path:
            day = path.rsplit("/", 1)[1]
            return FakeAnswer(200, {"items": [one for one in self.orders if one["plannedFor"] == day]})
        if path.startswith("/equipment/") and path.endswith("/maintenance"):
            return FakeAnswer(200, {"items": [one for one in self.orders if one["equipmentId"] == path.split("/")[2]]})
        if path.startswith("/factories/") and path.endswith("/people"):
            return FakeAnswer(200, {"items": [self._person(one) for one, name in self.directory.items() if name]})
        return self._read(path) if request.method == "GET" else self._write(path, body or {}, request.headers)

    def _names(self, ids: list[str]) -> FakeAnswer:
        self.looked_up.append(ids)
        if len(ids) > AT_ONCE or not all(re.fullmatch(people.PERSON_PATTERN, one) for one in ids):
            return refused(400, "These are no ids.")
        return FakeAnswer(200, {"items": [self._person(one) for one in ids if one in self.directory]})

    def _person(self, person_id: str) -> Row:
        name = self.directory[person_id]
        return {"id": person_id, "erased": True} if name is None else {"id": person_id, "name": name}

    def _read(self, path: str) -> FakeAnswer:
        place = path.strip("/").split("/")
        if place[0] == "board" and place[-1] == "changes":
            return FakeAnswer(200, {"url": f"{URL}?signed=1", "topic": TOPIC, "clientId": "screen-1"})
        if place[0] == "board":
            return FakeAnswer(200, {"items": list(self.items.values())})
        if place[0] == "equipment" and place[-1] == "board":
            row = self.items.get(place[1])
            return NOT_FOUND if row is None else FakeAnswer(200, row)
        if path in self.people:
            row, version = self.people[path]
            return FakeAnswer(200, row, etag=str(version))
        if path in self.bodies:
            return FakeAnswer(200, self.bodies[path])
        return FakeAnswer(200, {"items": []}) if place[-1] in EMPTY else NOT_FOUND

    def _write(self, path: str, body: Row, headers: Mapping[str, str]) -> FakeAnswer:
        if path.endswith("/acknowledgement"):
            return FakeAnswer(201, {"acknowledgedBy": subject_of("supervisor")})
        if path.endswith("/resubmit"):
            return FakeAnswer(
                202, {"consumer": "board", "resubmittedAt": "2026-11-21T18:00:00.000Z", "resubmissions": 1}
            )
        if "/maintenance/" in path:
            order = _order(path, body, at=self.now or datetime.now(UTC))
            self.orders = [*(one for one in self.orders if not _is_same(one, order)), order]
            return FakeAnswer(200, order)
        row, version = self.people.get(path, ({}, 0))
        if version and "if-match" not in headers:
            return refused(428, "A change needs If-Match with the current version.")
        if version and headers["if-match"] != f'"{version}"':
            return refused(412, "It has been changed since.")
        if path.endswith("/contact"):
            row = {"verifiedAt": {}}  # all of it is replaced
        self.people[path] = (row | body, version + 1)
        return FakeAnswer(200 if version else 201, body, etag=str(version + 1))


def _order(path: str, body: Row, *, at: datetime) -> Row:
    """Return the order that a request is about, as it is afterwards."""
    _, _, equipment_id, _, date, kind, *deed = path.split("/")
    at_utc = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    order = {"equipmentId": equipment_id, "date": date, "kind": kind, "plannedFor": date, "status": "planned", **body}
    if deed == ["start"]:
        return {**order, "status": "started", "startedAt": at_utc}
    return {**order, "status": "finished", "finishedAt": at_utc} if deed == ["finish"] else order


def _is_same(order: Row, other: Row) -> bool:
    return all(order[name] == other[name] for name in ("equipmentId", "date", "kind"))


def refused(status: int, detail: str) -> FakeAnswer:
    """Return problem details."""
    return FakeAnswer(status, {"type": "about:blank", "title": "Refused", "status": status, "detail": detail})


NOT_FOUND: Final = refused(404, "There is nothing.")
EMPTY: Final = frozenset({"episodes", "audits", "versions", "faults"})


def subject_of(role: str) -> str:
    """Return the subject of the user who is named as a role."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{ORIGIN}/{role}"))


def contact_path(role: str) -> str:
    """Return the path of how the user who is named as a role is reached."""
    return f"/people/{subject_of(role)}/contact"


def sign_in(context: BrowserContext, role: str, *, name: str | None = None, reads_only: bool = False) -> None:
    """Make the pages of a context find the session of a user who is named as the role, or otherwise."""
    scope = "andon/read" if reads_only else "openid aws.cognito.signin.user.admin"
    claims = {"sub": subject_of(role), "username": name or role, "cognito:groups": [role], "scope": scope}
    token = ".".join((_base64({"alg": "none"}), _base64(claims), ""))
    tokens = {"access": token, "refresh": "none", "expiresAt": 4_102_444_800_000, "wall": False}
    context.add_init_script(f"sessionStorage.setItem('andon.tokens', {json.dumps(json.dumps(tokens))})")


def _base64(claims: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _serve_file(route: Route, name: str) -> None:
    file = PAGE / name
    if not file.is_file():
        route.fulfill(status=404)
        return
    headers = {"content-type": TYPES[file.suffix], "content-security-policy": POLICY, "cache-control": "no-cache"}
    route.fulfill(status=200, headers=headers, body=file.read_bytes())
