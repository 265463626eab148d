from playwright.sync_api import expect

from demo.board import factory
from demo.board.fake_api import FakeApi
from demo.board.pictures import PHONE, WALL
from demo.people import EVA, LUIS, OMAR, ROSA
from tests.pages.board.conftest import BOARD, Opened
from tests.pages.board.test_faults import FAULT

IMG = "<img src=x onerror=console.error('ran')>"


def test_the_board_shows_what_the_api_answers(opened: Opened) -> None:
    screen = opened()

    screen.eventually(screen.is_right)

    assert len(screen.tiles()) == 24


def test_help_needed_is_ordered_by_urgency_and_counted(opened: Opened) -> None:
    screen = opened()
    screen.eventually(screen.is_right)

    names = screen.page.locator(".card .name").all_text_contents()
    counts = screen.page.locator(".counts strong").all_text_contents()

    assert names == ["Conveyor B", "Oven 1", "Robot 1", "Press 4", "Mill 2", "Washer 1"]
    assert counts == ["1", "2", "2", "1", "1", "17"]


def test_a_wall_shows_24_machines_without_scrolling(opened: Opened) -> None:
    screen = opened(role="auditor")
    screen.eventually(screen.is_right)

    height = screen.page.evaluate("() => document.scrollingElement.scrollHeight")

    assert height == WALL["height"]
    assert screen.page.locator(".deeds").count() == 0


def test_nothing_on_a_tile_is_cut(opened: Opened, known: FakeApi) -> None:
    row = known.items["conveyor-b"]
    row |= {"silentSince": factory.minutes_ago(3), "operator": EVA, "escalatedTo": OMAR}
    known.directory |= {EVA: "Maximiliane von der Aue", OMAR: None}
    screen = opened()
    screen.eventually(screen.is_right)

    cut = screen.page.evaluate(
        "() => [...document.querySelectorAll('.tile-link, .tile, .card')].filter((one) => "
        "one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1).length"
    )

    assert cut == 0


def test_a_phone_never_scrolls_sideways(opened: Opened, known: FakeApi) -> None:
    wide = "W" * 200
    known.items["conveyor-b"] |= {"name": wide, "lineId": "L" * 128}
    known.directory |= {LUIS: "W" * 128, ROSA: "Maximiliane von der Aue"}
    known.bodies |= {"/faults": {"items": [FAULT]}}
    places = {
        BOARD: wide,
        "#/": "Which board?",
        "#/board/Acme": wide,
        "#/equipment/conveyor-b": wide,
        "#/agenda/Acme/Guadalajara": wide,
        "#/faults": "Poison",
    }
    screen = opened(size=PHONE, role="admin")
    for place, shown in places.items():
        screen.go("#/")  # which has nothing wide, so that it is the place itself that shows it
        expect(screen.page.get_by_text("Which board?").first).to_be_visible()
        expect(screen.page.get_by_text(wide)).to_have_count(0)
        screen.go(place)
        expect(screen.page.get_by_text(shown).first).to_be_visible()

        assert not screen.scrolls_sideways(), place


def test_markup_in_any_text_stays_text(opened: Opened, known: FakeApi) -> None:
    row = known.items["conveyor-b"]
    for name in ("name", "lineId", "state", "operator", "acknowledgedBy"):
        row[name] = f"{name}{IMG}"
    known.directory |= dict.fromkeys(known.directory, IMG)
    row["underWay"] = [{**factory.UNDER_WAY, "kind": IMG}]
    known.orders[-2] |= {"kind": IMG}
    row["atRisk"] = {"since": factory.minutes_ago(3), "reason": IMG}
    row["location"] |= dict.fromkeys(("city", "neighborhood"), IMG)
    row["lastAnomaly"] = {
        "kind": IMG,
        "state": IMG,
        "timestamp": factory.minutes_ago(3),
        "unit": IMG,
        "seen": 1,
        "model": IMG,
        "expected": {"typical": 1, "atMost": 2, "basedOn": 3},
    }
    story = factory.story()
    for entry in story["items"][0]["story"]:
        entry |= {"detail": IMG, "operator": IMG, "supervisor": ROSA, "reason": IMG, "rule": IMG}
    known.bodies["/equipment/conveyor-b/episodes"] = story
    audits = factory.audits()
    audits["items"][0] |= {"part": IMG, "result": IMG, "notes": IMG}
    known.bodies["/equipment/conveyor-b/audits"] = audits
    versions = factory.versions()
    versions["items"][0] |= {"name": IMG, "lineId": IMG}
    known.bodies["/equipment/conveyor-b/versions"] = versions
    fault = {"id": "f", "timestamp": factory.minutes_ago(1), "consumer": IMG, "error": {"name": IMG, "message": IMG}}
    known.bodies |= {"/faults": {"items": [fault]}, "/faults/f": {**fault, "message": IMG}}

    for place in ("#/board/Acme", "#/equipment/conveyor-b", "#/agenda/Acme/Guadalajara", "#/faults"):
        screen = opened(place, role="admin")
        screen.page.get_by_text(IMG).first.wait_for()

        assert screen.page.locator("img").count() == 0

    screen.page.locator("summary").click()
    screen.page.locator("pre").get_by_text(IMG).wait_for()
    assert screen.page.locator("img").count() == 0


def test_the_keyboard_alone_leads_to_a_machine_and_back(opened: Opened) -> None:
    screen = opened(role="auditor")
    screen.eventually(screen.is_right)
    focused = screen.page.locator(":focus")

    for _ in range(30):
        screen.page.keyboard.press("Tab")
        if "Mill 3" in (focused.text_content() or ""):
            break
    screen.page.keyboard.press("Enter")

    screen.page.get_by_role("heading", name="Mill 3").wait_for()
    screen.page.keyboard.press("Tab")
    screen.page.keyboard.press("Shift+Tab")
    screen.page.get_by_role("link", name="Back to the board").press("Enter")
    screen.eventually(screen.is_right)


def test_the_focus_stays_when_the_board_is_drawn_again_in_another_order(opened: Opened, known: FakeApi) -> None:
    screen = opened(role="auditor")
    screen.until_live()
    card = screen.page.locator(".card", has_text="Oven 1").get_by_role("link")
    card.focus()

    known.put({**known.items["oven-1"], "state": "ERROR", "version": 2, "stateSince": factory.minutes_ago(500)})
    screen.eventually(lambda: screen.page.locator(".card .name").first.text_content() == "Oven 1")

    assert "Oven 1" in (screen.page.locator(":focus").text_content() or "")


def test_a_line_and_a_factory_have_a_board_of_their_own(opened: Opened, known: FakeApi) -> None:
    known.items["other"] = {**factory.machine("Other", "Line 9"), "factoryId": "Puebla"}

    line = opened("#/board/Acme/Guadalajara/Line%202%20%C2%B7%20Machining")
    line.eventually(lambda: len(line.tiles()) == 8)
    company = opened("#/board/Acme")
    company.eventually(lambda: len(company.tiles()) == 25)
    company.page.get_by_role("link", name="Puebla").click()
    company.eventually(lambda: list(company.tiles()) == ["other"])


def test_the_page_speaks_another_language(opened: Opened) -> None:
    screen = opened(search="?lang=de")

    screen.page.get_by_role("heading", name="Hilfe nötig").wait_for()

    assert screen.page.locator("html").get_attribute("lang") == "de"


def test_a_range_is_shown_until_the_story_tells_the_beginning(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.eventually(screen.is_right)
    assert screen.page.locator(".card", has_text="Oven 1").locator(".age").text_content() == "41 min \N{EN DASH} 5 h 43"

    started = factory.minutes_ago(340)
    entry = {"type": "state-reported", "state": "WARNING1", "at": started, "timestamp": started, "id": "1"}
    known.bodies["/equipment/oven-1/episodes"] = {
        "items": [{"startedAt": started, "endedAt": None, "story": [entry]}],
    }
    later = opened()
    later.eventually(lambda: later.page.locator(".card", has_text="Oven 1").locator(".age").text_content() == "5 h 40")
