"""An API that loses answers, hangs, refuses and lies; what it took, it keeps by content, as `POST /states` does."""

import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, Final

from andon.events.identifiers import of_content
from lab.gateway.workload import POISON

HOST: Final = "127.0.0.1"
HANG_S: Final = 1.5
LOOK_S: Final = 0.002

Report = dict[str, Any]


class HostileApi:
    """Facts by id, and how often each was sent."""

    def __init__(self, seed: int) -> None:
        """Draw what happens from a seed."""
        self.facts: dict[str, Report] = {}
        self.times: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.most = math.inf
        """Facts beyond which a request waits."""
        self._chance = Random(seed)  # noqa: S311  mischief is no secret
        self._lock = threading.Lock()

    def publish(self, reports: list[Report]) -> list[str]:
        """Take reports; return their ids."""
        ids = [of_content(report) for report in reports]
        with self._lock:
            self.facts |= zip(ids, reports, strict=True)
            self.times.update(ids)
        return ids

    def draw(self, kinds: tuple[str, ...], weights: tuple[int, ...]) -> str:
        """Return the kind of answer that a request gets: each kind once, then by weighted chance."""
        while len(self.facts) >= self.most:
            time.sleep(LOOK_S)
        with self._lock:
            [kind] = [one for one in kinds if not self.done[one]][:1] or self._chance.choices(kinds, weights)
            self.done[kind] += 1
        return kind

    def some(self, count: int) -> list[int]:
        """Return some of so many indexes, at least one."""
        with self._lock:
            return sorted(self._chance.sample(range(count), self._chance.randint(1, count)))


WEIGHTS: Final = {
    "taken": 50,
    "answer_lost": 10,
    "answer_broken": 5,
    "some_named": 10,
    "unavailable": 5,
    "throttled": 5,
    "token_ended": 3,
    "hangs": 1,
    "page_of_a_proxy": 5,
    "accepted_by_a_proxy": 5,
}


class _Handler(BaseHTTPRequestHandler):
    api: HostileApi
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        reports = json.loads(self.rfile.read(int(self.headers["content-length"])))
        poison = [index for index, report in enumerate(reports) if report.get("detail") == POISON]
        if poison:
            self._refuse(poison)
        else:
            kind = self.api.draw((*WEIGHTS,), (*WEIGHTS.values(),))
            doing: Callable[[list[Report]], None] = getattr(self, f"_{kind}")
            doing(reports)

    def _refuse(self, poison: list[int]) -> None:
        match self.api.draw(("named", "unnamed", "too_large"), (4, 1, 1)):
            case "named":
                errors = [{"field": f"body.{index}.detail", "detail": "is poison"} for index in poison]
                self._say(400, {"errors": errors})
            case "unnamed":
                self._say(400, {"message": "Bad Request"})
            case _:
                self._say(413, {})

    def _taken(self, reports: list[Report]) -> None:
        self._say(202, {"ids": self.api.publish(reports)})

    def _answer_lost(self, reports: list[Report]) -> None:
        self.api.publish(reports)
        self.close_connection = True

    def _answer_broken(self, reports: list[Report]) -> None:
        self.api.publish(reports)
        self.wfile.write(b'HTTP/1.1 202 Accepted\r\ncontent-length: 5000\r\n\r\n{"ids": [')
        self.close_connection = True

    def _some_named(self, reports: list[Report]) -> None:
        left = self.api.some(len(reports))
        self.api.publish([report for index, report in enumerate(reports) if index not in left])
        errors = [{"field": f"body.{index}", "detail": "was not published"} for index in left]
        self._say(503, {"errors": errors}, {"retry-after": "0"})

    def _unavailable(self, _: list[Report]) -> None:
        self._say(503, {})

    def _throttled(self, _: list[Report]) -> None:
        self._say(429, {"message": "Too Many Requests"})

    def _token_ended(self, _: list[Report]) -> None:
        self._say(401, {"message": "Unauthorized"})

    def _hangs(self, reports: list[Report]) -> None:
        self.api.publish(reports)
        time.sleep(HANG_S)
        self.close_connection = True

    def _page_of_a_proxy(self, _: list[Report]) -> None:
        self._say(200, {"ids": ["of", "somebody"]})

    def _accepted_by_a_proxy(self, _: list[Report]) -> None:
        self._say(202, ["<html>"])

    def _say(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is http.server's
        pass

    def handle(self) -> None:
        """Answer requests; a client that was killed is none."""
        with suppress(ConnectionError):
            super().handle()


@contextmanager
def served(api: HostileApi) -> Iterator[str]:
    """Serve it; yield its URL."""
    server = ThreadingHTTPServer((HOST, 0), type("Handler", (_Handler,), {"api": api}))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
