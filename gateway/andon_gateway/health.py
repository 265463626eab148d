"""Health of the gateway: a page, `/healthz` and `/metrics`, for this machine alone."""

import html
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, NamedTuple

HOST: Final = "127.0.0.1"
OLDEST_S: Final = 300


class Health(NamedTuple):
    """A look at the gateway. oldest_s: the age of the oldest waiting report.

    sources: name -> True while values come; troubles: name -> what a person has to know, also while others come.
    """

    states: Mapping[str, str | None]
    sources: Mapping[str, bool]
    troubles: Mapping[str, str]
    counts: Mapping[str, int]
    waiting: int
    refused: int
    oldest_s: float
    is_clock_known: bool
    trouble: str | None

    @property
    def is_well(self) -> bool:
        """True if all values come and leave."""
        return all(self.sources.values()) and not self.troubles and self.oldest_s <= OLDEST_S and self.is_clock_known


def page_of(health: Health) -> str:
    """Return the page."""
    machines = "".join(f"<tr><td>{html.escape(id_)}<td>{state or '?'}" for id_, state in health.states.items())
    sources = "".join(
        f"<li>{html.escape(name)}: {'up' if up else 'DOWN'} {html.escape(health.troubles.get(name, ''))}"
        for name, up in health.sources.items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Andon gateway</title>'
        f"<h1>{'Well' if health.is_well else 'Not well'}</h1>"
        f"<p>{health.waiting} reports wait, the oldest for {health.oldest_s:.0f} s; {health.refused} were refused."
        f" {html.escape(health.trouble or '')}</p><ul>{sources}</ul><table><tr><th>machine<th>state{machines}</table>"
    )


def metrics_of(health: Health) -> str:
    """Return the metrics, in the text format of Prometheus."""
    gauges = {"waiting": health.waiting, "refused_kept": health.refused, "oldest_seconds": round(health.oldest_s, 1)}
    lines = [f"andon_gateway_{name} {value}" for name, value in gauges.items()]
    lines += [f"andon_gateway_{name}_total {count}" for name, count in sorted(health.counts.items())]
    lines += [f"andon_gateway_source_up{{source={json.dumps(name)}}} {up:d}" for name, up in health.sources.items()]
    return "\n".join(lines) + "\n"


def server(look: Callable[[], Health], port: int) -> ThreadingHTTPServer:
    """Return a server on this machine; port 0: any."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            health = look()
            match self.path:
                case "/healthz":
                    self._say(HTTPStatus.OK if health.is_well else HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", "")
                case "/metrics":
                    self._say(HTTPStatus.OK, "text/plain; version=0.0.4", metrics_of(health))
                case "/":
                    self._say(HTTPStatus.OK, "text/html; charset=utf-8", page_of(health))
                case _:
                    self._say(HTTPStatus.NOT_FOUND, "text/plain", "")

        def _say(self, status: HTTPStatus, kind: str, text: str) -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is http.server's
            pass

    return ThreadingHTTPServer((HOST, port), Handler)
