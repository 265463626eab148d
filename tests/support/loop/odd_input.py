"""Requests of every route with odd input."""

from typing import Any, Final

from hypothesis import strategies as st

from andon.packages.discovery import apis
from andon.testing.lambda_events import http_event

ROUTES: Final = sorted(route for package in apis() for route in package.routes)

ODD_TEXTS: Final = (
    "",
    " ",
    "-1",
    "0",
    "x" * 128,
    "x" * 129,
    "🏭" * 128,
    "a#b",
    "é",
    "\x00",
    "null",
    '"1"',
    '"999999998"',
)
TIMES: Final = ("2020-04-27", "2020-04-27T10:00:00.000Z", "9999-12-31T23:59:59.999Z")
GOOD_TEXTS: Final = ("1", "NORMAL", "WARNING*", "Acme", "MX/JAL", *TIMES)
TEXTS: Final = st.sampled_from([*ODD_TEXTS, *GOOD_TEXTS]) | st.text(max_size=5)
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)
NAMES: Final = ["name", "state", "operator", "supervisor", "operators", "toVersion", "result", "detail", "timestamp"]
BODIES: Final = st.none() | TEXTS | VALUES | st.dictionaries(st.sampled_from(NAMES), VALUES)
QUERIES: Final = st.dictionaries(
    st.sampled_from(["limit", "cursor", "from", "to", "state", "date", "asOf", "location", "x"]), TEXTS, max_size=2
)
HEADERS: Final = st.dictionaries(st.sampled_from(["if-match", "if-none-match"]), TEXTS, max_size=2)


@st.composite
def _requests(draw: Any) -> dict[str, Any]:  # noqa: ANN401  hypothesis's
    route = draw(st.sampled_from(ROUTES))
    names = [part[1:-1] for part in route.split("/") if part.startswith("{")]
    path = {name: draw(TEXTS) for name in names}
    return http_event(route, path=path, query=draw(QUERIES), headers=draw(HEADERS), body=draw(BODIES))


ODD_REQUESTS: Final = _requests()
