"""Every screen in every language: each word on it is of that language's file, or data; and long words find room."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from demo.board import factory
from demo.board.fake_api import ORIGIN, PAGE, FakeAnswer, FakeApi, Rule, contact_path, refused
from demo.board.pictures import PHONE, STATION, WALL
from demo.people import EVA, OMAR, name_of
from tests.pages.board.conftest import BOARD, Opened
from tests.pages.board.test_faults import FAULT
from tests.pages.board.test_link import PLACE as LINK
from tests.pages.board.test_link import SEEN
from tests.support.axe import violations
from tests.support.pages import Screen

TAGS: Final = sorted(file.stem.removeprefix("text-") for file in PAGE.glob("text-*.js"))
OTHERS: Final = [tag for tag in TAGS if tag != "en"]

ZOOMED: Final[ViewportSize] = {"width": 195, "height": 422}
"""The phone at 200 %: half as many of its pixels are a CSS pixel wide."""

SHOWN: Final = """() => {
  const [said, others] = [[document.title], "script, style, noscript, pre, [lang=en], select[name=zone], option[lang]"];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.closest(others)) said.push(node.textContent);
  }
  const names = ["aria-label", "title", "placeholder", "alt", "aria-description"];
  for (const one of document.querySelectorAll("*")) {
    for (const name of names) said.push(one.getAttribute(name) ?? "");
  }
  return said;
}"""
"""All texts of a page, hidden ones and those of attributes, too; but what the API says, which is marked as English."""

TEXTS: Final = """async (tag) => {
  const { TEXTS } = await import(`/page/text-${tag}.js`);
  return JSON.stringify(TEXTS);
}"""

CALENDAR: Final = """(tag) => [...Array(366).keys()].map((day) => new Date(Date.UTC(2026, 0, 1 + day))
  .toLocaleString(tag,
  { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: "UTC" }))"""

CUT: Final = """() => [...document.querySelectorAll("button, h1, h2, h3, label, summary, a, p, dt, dd")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1
    && getComputedStyle(one).display !== "inline" && !one.classList.contains("hidden")
    && getComputedStyle(one).textOverflow !== "ellipsis")
  .map((one) => `${one.tagName}: ${one.textContent}`)"""
"""Texts that are wider than their place, unless they are meant to end in an ellipsis."""

HEADER: Final = '() => document.querySelector("header").offsetHeight'
ONE_ROW_PX: Final = 80

WORD: Final = re.compile(r"[^\W\d_]{2,}")
HOLE: Final = re.compile(r"\{\w+\}")

Step = Callable[[Page], None]


def words_in(texts: Iterable[object]) -> set[str]:
    return {word for text in texts for word in WORD.findall(HOLE.sub(" ", str(text)).lower())}


def strings_in(value: object) -> Iterable[str]:
    """Yield all texts in a JSON value, but for the names of members."""
    if isinstance(value, dict):
        for one in value.values():
            yield from strings_in(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from strings_in(one)
    elif isinstance(value, str):
        yield value


def data_in(known: FakeApi) -> set[str]:
    """Return the words in data of the API: names, ids, states, notes; and names of users, which are their roles."""
    said = [known.items, known.bodies, {path: row for path, (row, _) in known.people.items()}, known.orders]
    texts = [*strings_in(json.loads(json.dumps([*said, known.directory]))), *known.directory]
    return words_in([*texts, *["supervisor", "admin", "operator", "auditor", "utc"], "Mexico_City"])


def foreign(page: Page, known: FakeApi, tag: str) -> set[str]:
    """Return the words on a page that are neither of its language nor data."""
    own = words_in(strings_in(json.loads(page.evaluate(TEXTS, tag))))
    return words_in(page.evaluate(SHOWN)) - own - words_in(page.evaluate(CALENDAR, tag)) - data_in(known)


def check(screen: Screen, tag: str, *, in_time: bool = True) -> None:
    """Look at a screen in its language: on a wall, on a phone, and on a phone at 200 %; axe-core needs time to pass."""
    page = screen.page
    expect(page.locator("html")).to_have_attribute("lang", tag)
    assert foreign(page, screen.known, tag) == set()
    for size in (WALL, ZOOMED, PHONE):
        page.set_viewport_size(size)
        assert (size["width"], screen.scrolls_sideways(), page.evaluate(CUT)) == (size["width"], False, [])
    assert not in_time or violations(page) == []


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """Everything that can be seen: calls, faults, shifts, an unusual observation, a message that somebody got."""
    known.bodies |= {"/faults": {"items": FAULTS}, factory.ROSTER_PATH: factory.DUTY}
    for role in ("admin", "supervisor"):
        known.bodies[contact_path(role)] = factory.CONTACT
    for machine, calls in factory.calls().items():
        known.items[machine]["calls"] = calls
    known.items["conveyor-b"] |= {
        "lastAnomaly": ANOMALY,
        "lastTold": {"person": OMAR, "channel": "mail", "at": factory.minutes_ago(20)},
        "disconnectedSince": factory.minutes_ago(3),
    }
    known.items["oven-1"]["nobodyTold"] = factory.minutes_ago(30)
    known.items["oven-1"]["atRisk"] = {"since": factory.minutes_ago(40), "reason": WORSE}
    return known


ANOMALY: Final = {
    "kind": "burst",
    "timestamp": factory.minutes_ago(24),
    "state": "ERROR",
    "seen": 12,
    "unit": "reports an hour",
    "expected": {"typical": 1, "atMost": 4, "observations": 100},
}
WORSE: Final = "ERROR after WARNING"
AGAIN: Final = {"resubmittedAt": factory.minutes_ago(9), "resubmissions": 2, "failedAgainAt": factory.minutes_ago(8)}
FAULTS: Final = [FAULT, {**FAULT, "id": "f2", "facts": 3, "truncated": True, **AGAIN}]

PLACES: Final = {
    BOARD: ".tile",
    "#/board/Acme/Guadalajara/Line 9": "main .empty",
    "#/equipment/conveyor-b": ".entry",
    "#/equipment/x-9": "main .empty",
    "#/agenda/Acme/Guadalajara": ".order-kind",
    "#/duty/Acme/Guadalajara": ".spans",
    "#/me": ".channel",
    "#/faults": ".fault",
    "#/": "form",
}


@pytest.mark.parametrize("tag", OTHERS)
@pytest.mark.parametrize("place", PLACES)
def test_a_page_speaks_one_language_and_fits(opened: Opened, place: str, tag: str) -> None:
    screen = opened(place, role="admin", search=f"?lang={tag}")
    expect(screen.page.locator(PLACES[place]).first).to_be_visible()
    screen.let_pass(1000)
    assert place != BOARD or screen.page.evaluate(HEADER) < ONE_ROW_PX

    check(screen, tag)


@pytest.mark.parametrize("tag", OTHERS)
def test_dialogs_speak_one_language_and_fit(opened: Opened, known: FakeApi, tag: str) -> None:
    screen = opened(search=f"?lang={tag}", size=PHONE)
    page = screen.page
    expect(page.locator(".card").first).to_be_visible()
    for deed in ("close", "acknowledge", "assign", "escalate"):
        page.set_viewport_size(PHONE)
        page.locator(f".card button[data-deed={deed}]:enabled").first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        screen.let_pass(500)
        check(screen, tag)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.set_viewport_size(PHONE)
    page.locator(".card button[data-deed=take]:enabled").first.click()
    expect(page.locator(".said-last")).not_to_be_empty()
    assert foreign(page, known, tag) == set()


@pytest.mark.parametrize("tag", OTHERS)
def test_the_dialogs_of_a_machine_speak_one_language_and_fit(opened: Opened, tag: str) -> None:
    screen = opened("#/equipment/trimmer-2", search=f"?lang={tag}", size=PHONE)
    buttons = screen.page.locator("main button:visible")
    expect(buttons.first).to_be_visible()
    screen.let_pass(1000)
    opened_dialogs = 0
    for index in range(buttons.count()):
        screen.page.set_viewport_size(PHONE)
        buttons.nth(index).click()
        if screen.page.get_by_role("dialog").count():
            opened_dialogs += 1
            screen.let_pass(500)
            check(screen, tag)
            screen.page.keyboard.press("Escape")
    assert opened_dialogs >= 2


@pytest.mark.parametrize("tag", OTHERS)
def test_who_takes_over_is_asked_in_one_language(opened: Opened, tag: str) -> None:
    screen = opened("#/duty/Acme/Guadalajara", search=f"?lang={tag}", size=PHONE)
    screen.page.locator(".duty-role button").first.click()
    expect(screen.page.get_by_role("dialog").get_by_role("button").nth(1)).to_be_visible()
    check(screen, tag)
    screen.page.set_viewport_size(PHONE)
    screen.page.get_by_role("dialog").get_by_role("button", name=name_of(EVA)).click()
    check(screen, tag)


@pytest.mark.parametrize("tag", OTHERS)
def test_a_station_speaks_one_language_and_fits(opened: Opened, tag: str) -> None:
    screen = opened(role="station", name=STATION, search=f"?lang={tag}", size=PHONE)
    expect(screen.page.locator(".standing")).to_be_visible()
    check(screen, tag)
    screen.page.set_viewport_size(PHONE)
    screen.page.locator(".deed-bar button").click()
    expect(screen.page.get_by_role("dialog")).to_be_visible()
    check(screen, tag)


@pytest.mark.parametrize("tag", OTHERS)
def test_the_link_of_a_message_speaks_one_language_and_fits(opened: Opened, known: FakeApi, tag: str) -> None:
    known.bodies["link"] = "press-1 op-17 #12 d 3/ü"
    known.rules[SEEN] = lambda _body: refused(410, "Gone.")
    screen = opened(LINK, role=None, search=f"?lang={tag}", size=PHONE)
    button = screen.page.locator("main button:visible")
    expect(button).to_be_visible()
    check(screen, tag)
    screen.page.set_viewport_size(PHONE)
    screen.pause()
    button.click()
    screen.let_pass(1000)
    check(screen, tag, in_time=False)
    button.first.click()
    expect(screen.page.get_by_role("alert")).to_be_visible()
    check(screen, tag, in_time=False)


@pytest.mark.parametrize("tag", OTHERS)
def test_the_way_in_speaks_one_language_and_asks_for_the_next_page_in_it(opened: Opened, tag: str) -> None:
    screen = opened(role=None, search=f"?lang={tag}")
    expect(screen.page.locator(".sign-in")).to_be_visible()

    check(screen, tag)


def refusing(status: int) -> Rule:
    return lambda _body: refused(status, "The log is too old.")


@pytest.mark.parametrize("tag", OTHERS)
def test_what_the_api_refuses_is_said_in_one_language_and_its_own_words_are_closed(
    opened: Opened, known: FakeApi, tag: str
) -> None:
    screen = opened(search=f"?lang={tag}")
    page = screen.page
    for status in (400, 403, 404, 409, 410, 418, 422, 429):
        known.rules["PUT", "/acknowledgement"] = refusing(status)
        page.locator(".card", has_text="Conveyor B").locator("button").first.click()
        page.get_by_role("dialog").locator("button.main").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()

        assert foreign(page, known, tag) == set()
        assert not page.get_by_text("The log is too old.").is_visible()
        if status == 400:
            check(screen, tag)
            page.set_viewport_size(WALL)
            page.locator(".technical summary").click()
            expect(page.get_by_text("The log is too old.")).to_be_visible()
        page.keyboard.press("Escape")
    screen.troubles.clear()


@pytest.mark.parametrize("tag", OTHERS)
def test_a_lost_connection_is_said_in_one_language(opened: Opened, known: FakeApi, tag: str) -> None:
    known.items["press-2"]["state"] = 7
    screen = opened(search=f"?lang={tag}")
    screen.eventually(lambda: screen.connection() == "live")
    check(screen, tag)
    known.is_reachable, known.broker.refuses = False, True
    known.broker.kill()
    screen.eventually(lambda: screen.connection() == "lost", within_ms=60_000)

    check(screen, tag)


@pytest.mark.parametrize(
    ("search", "tag"),
    [("?lang=es", "es"), ("?lang=es-MX", "es"), ("?lang=es-419", "es"), ("", "en"), ("?lang=fr", "en")],
)
def test_the_address_chooses_the_language_for_as_long_as_the_tab_is_open(opened: Opened, search: str, tag: str) -> None:
    page = opened(role=None, search=search).page
    expect(page.locator("html")).to_have_attribute("lang", tag)

    page.goto(f"{ORIGIN}/")

    expect(page.locator("html")).to_have_attribute("lang", tag)


def test_a_person_chooses_the_language_of_messages(opened: Opened, known: FakeApi) -> None:
    page = opened("#/me", search="?lang=es", size=PHONE).page
    choice = page.get_by_label("Idioma de los mensajes")
    expect(choice.locator("option")).to_have_text(["English", "Deutsch", "Español"])
    expect(choice).to_have_value("es")

    known.rules["PUT", "/contact"] = lambda body: FakeAnswer(200, body, etag="3")
    choice.select_option("de")
    page.get_by_role("region", name="Idioma").get_by_role("button", name="Guardar").click()

    expect(page.get_by_text("Guardado.")).to_be_visible()
    assert known.written[-1][2]["language"] == "de"
