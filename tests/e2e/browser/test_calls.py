"""Calls on the deployed stack, by a person with a phone: two taps, one call, one who comes, and a cause at the end."""

import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from andon.tools.stack.api import ApiClient
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo.board.pictures import PHONE
from tests.e2e.browser.test_board import AT_FIRST_MS
from tests.support.axe import violations
from tests.support.browser import fill_in, leave_for_sign_in, session, watched

CATALOG = {
    "categories": [{"id": "material", "name": "Material", "icon": "box", "priority": 2, "needsCause": True}],
    "causes": [{"id": "out-of-coils", "name": "Out of coils", "categories": ["material"]}],
}
TAKE = "() => document.querySelector('[data-deed=take]').click()"

_numbers = count(1)


@pytest.fixture
def machine(stack: Stack) -> str:
    """The id of a machine called `Saw`, in a factory of its own with a catalog."""
    number = next(_numbers)
    place = {"country": "MX", "region": "West", "state": "JAL", "county": "Guadalajara", "city": "Guadalajara"}
    location = {"company": f"Calls{number}", "neighborhood": "Centro", **place}
    body: dict[str, Any] = {"name": "Saw", "factoryId": f"C{number}", "lineId": "L1", "location": location}
    assert stack.api(groups.OPERATOR).put(f"/equipment/calls-{number}", body).status == 201
    assert stack.api(groups.SUPERVISOR).put(f"/factories/C{number}/catalog", CATALOG).status == 201
    return f"calls-{number}"


Phone = Callable[[str, str], Page]


@pytest.fixture
def phone(browser: Browser, origin: str) -> Iterator[Phone]:
    """Return a function that signs somebody in on a phone of their own, at a place of the page."""
    live = f"ws://data-ats.iot.us-east-1.localhost:{origin.rpartition(':')[2]}"
    with ExitStack() as phones:

        def open_page(user: str, place: str) -> Page:
            context = browser.new_context(base_url=origin, locale="en-GB", viewport=PHONE, has_touch=True)
            phones.callback(context.close)
            phones.enter_context(watched(context, frozenset({origin, live})))
            page = context.new_page()
            page.goto(f"/{place}")
            leave_for_sign_in(page)
            with page.expect_navigation(url=lambda url: "code=" in url):
                fill_in(page, user)
            assert session(page, "start()")
            expect(page.get_by_text("live", exact=True)).to_be_visible(timeout=AT_FIRST_MS)
            return page

        yield open_page


def test_two_taps_call_one_comes_and_a_cause_ends_it(
    phone: Phone, machine: str, stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    operator = stack.api(groups.OPERATOR)
    company, factory = machine.replace("calls-", "Calls"), machine.replace("calls-", "C")
    caller = phone(groups.OPERATOR, f"#/equipment/{machine}")
    other = phone(groups.SUPERVISOR, f"#/board/{company}/{factory}")
    warm_up(operator, machine, [caller, other])

    caller.get_by_role("button", name="Call for help").tap()
    tile = caller.get_by_role("button", name="Material")
    tile.wait_for()
    began = time.perf_counter()
    tile.dblclick()
    expect(cards(other)).to_have_count(1)
    seconds = time.perf_counter() - began
    with capsys.disabled():
        print(f"\ntap to other screen: {seconds * 1000:.0f} ms")  # noqa: T201
    expect(cards(caller)).to_have_count(1)
    assert len(open_calls(operator, machine)) == 1, "a double tap is one call"
    assert violations(caller) == violations(other) == []

    for page in (caller, other):
        page.evaluate(TAKE)
    said = [page.locator(".said-last") for page in (caller, other)]
    for one in said:
        expect(one).to_contain_text(re.compile(r"You come to Saw\.|Somebody was faster\."))
    assert sorted(one.inner_text() for one in said) == ["Somebody was faster.", "You come to Saw."]
    [call] = open_calls(operator, machine)
    assert (call["status"], call["version"]) == ("taken", 2)

    # A dialog that opens before its screen knows of the taker has the version before, which is refused once: 412.
    expect(cards(other)).not_to_contain_text("nobody comes yet")
    other.get_by_role("button", name="Close: Material, Saw").tap()
    dialog = other.get_by_role("dialog")
    expect(dialog.get_by_role("radio")).to_have_count(1)
    assert violations(other) == []
    dialog.get_by_role("button", name="Close the call").tap()
    assert len(open_calls(operator, machine)) == 1, "this category needs a cause"
    dialog.get_by_label("Out of coils").check()
    dialog.get_by_role("button", name="Close the call").tap()
    for page in (caller, other):
        expect(cards(page)).to_have_count(0)
    assert open_calls(operator, machine) == []


def warm_up(api: ApiClient, machine: str, screens: list[Page]) -> None:
    """Raise a call, and close it by the API: without a cause it is refused."""
    path = f"/calls/{uuid.uuid4()}"
    assert eventually(lambda: api.put(path, {"equipmentId": machine, "category": "material"}).status == 201)
    for screen in screens:
        expect(cards(screen)).to_have_count(1, timeout=AT_FIRST_MS)
    closed = [
        api.request("PUT", f"{path}/closure", said, headers={"if-match": '"1"'}).status
        for said in ({}, {"cause": "of another factory"}, {"cause": "bent-guide"}, {"cause": "out-of-coils"})
    ]
    assert closed == [400, 400, 400, 200]
    for screen in screens:
        expect(cards(screen)).to_have_count(0)


def cards(page: Page) -> Locator:
    return page.locator(".card.call")


def open_calls(api: ApiClient, machine: str) -> list[dict[str, Any]]:
    return [one for one in api.get(f"/equipment/{machine}/calls").json["items"] if "endedAt" not in one]
