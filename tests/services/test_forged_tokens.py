"""Cursors and tokens that somebody forged, who knows the code: refused, or a page, and never a failure of ours."""

import json
from itertools import product
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.events.written import Written
from andon.http.page import Scope, encode_cursor
from andon.packages.discovery import owner_of_route
from andon.testing.drift import keep_in_lake
from andon.testing.loop import Loop
from andon.tools.in_process import openapi
from contract import after
from tests.support.archive import EVER, TODAY, line_of, report_of, sweep
from tests.support.documented import Example, examples
from tests.support.samples import paths, sample

MANY: Final = settings(max_examples=100)
ROUTES: Final = [*examples(json.loads(openapi.DOCUMENT.read_text()))]
LISTS: Final = [one for one in ROUTES if one.method == "GET" and "limit" in one.parameters["query"]]
VIEWS: Final = [one for one in ROUTES if "after" in one.parameters["query"]]

STARTS: Final = (TODAY, "", "\0", "🏭" * 512, 0, 1 - 10**38, None)
TEXTS: Final = st.sampled_from(["", " ", "#", "é", "x" * 1025, "🏭" * 512, "press-7", "2020-04-24", "A#"])
NUMBERS: Final = st.sampled_from([0, -1, 1, 10**15, 10**37, 1 - 10**38])
WRITES: Final = [
    event
    for event in (DomainEvent.from_wire(sample("domain", path.stem)) for path in paths("domain"))
    if event.entities.keys() & after.NAMES.keys()
]


def status_of(loop: Loop, route: Example, **query: str) -> int:
    """Return the status of the response to a request with a token."""
    return loop.request(str(route), path=path_of(route), query=period_of(route) | query).status


def positions(route: Example) -> list[tuple[str, ...]]:
    """Return the names of what may stand in the cursor of a list."""
    package, _ = owner_of_route(str(route))
    keys = [
        tuple(sorted({*schema.keys.names, *index.names} - {index.partition}))
        for schema in package.tables.values()
        for index in (schema.keys, *(index.keys for index in schema.indexes.values()))
    ]
    return keys or [("after", "day"), ("key",)]


def path_of(route: Example) -> dict[str, str]:
    return {name: str(value) for name, value in route.parameters["path"].items()}


def period_of(route: Example) -> dict[str, str]:
    return {name: value for name, value in EVER.items() if name in route.parameters["query"]}


@pytest.fixture(scope="module", autouse=True)
def archived(loop: Loop) -> None:
    """An event of each actor that a list of the archive is asked for."""
    for route in LISTS:
        for actor in path_of(route).values():
            report = report_of(actor, event_id=actor)._replace(tags={"source": "equipment", "actor": actor})
            keep_in_lake([line_of(report)])
    sweep(loop)


@pytest.mark.parametrize("route", LISTS, ids=str)
def test_a_forged_cursor_is_refused_or_leads_to_a_page(loop: Loop, route: Example) -> None:
    scope: Scope = {"route": str(route), "path": path_of(route), "query": period_of(route)}

    for names in positions(route):
        for values in product(STARTS, repeat=len(names)):
            cursor = encode_cursor(dict(zip(names, values, strict=True)), partition="", scope=scope)
            assert status_of(loop, route, cursor=cursor) in {200, 400}, values


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("route", VIEWS, ids=str)
@MANY
@given(
    event=st.sampled_from(WRITES),
    partition_key=TEXTS,
    at_ms=st.none() | st.sampled_from([0, 1, 253_402_300_799_999]),
    changed=st.none() | st.sampled_from(sorted({name for names in after.NAMES.values() for name in names})),
    value=TEXTS | NUMBERS,
)
def test_a_forged_token_of_a_write_is_refused_or_waited_for(
    loop: Loop,
    route: Example,
    event: DomainEvent,
    partition_key: str,
    at_ms: int | None,
    changed: str | None,
    value: str | int,
) -> None:
    (name,) = event.entities.keys() & after.NAMES.keys()
    said = {field: event.entities[name].get(field, "") for field in after.NAMES[name]}
    names = {field: partition_key if told == event.partition_key else told for field, told in said.items()}
    token = Written(
        source=event.tags["source"],
        type=event.type,
        entity_name=name,
        partition_key=partition_key,
        timestamp_ms=event.timestamp_ms if at_ms is None else at_ms,
        names=names | ({changed: value} if changed else {}),
    ).to_token()

    assert status_of(loop, route, after=token) in {200, 202, 400, 404}
