from playwright.sync_api import expect

from demo.board import factory
from demo.board.fake_api import FakeApi
from tests.pages.board.conftest import Opened

MACHINE = "#/equipment/conveyor-b"


def test_a_machine_shows_how_it_stands_its_story_its_audits_and_its_versions(opened: Opened) -> None:
    page = opened(MACHINE).page

    expect(page.locator(".standing")).to_contain_text("ERROR24 minsince 18:10")
    expect(page.locator(".episode")).to_have_count(2)
    expect(page.get_by_text("reported ERROR: belt stopped, motor current 0 A")).to_be_visible()
    expect(page.get_by_text("seen by Luis")).to_be_visible()
    expect(page.get_by_text("Change it at the next stop.")).to_be_visible()
    expect(page.get_by_text("Version 2")).to_be_visible()
    expect(page.get_by_role("img", name="Troubles in the last 24 hours: 2").locator("rect")).to_have_count(3)


def test_a_machine_changes_with_its_messages_and_so_does_its_story(opened: Opened, known: FakeApi) -> None:
    screen = opened(MACHINE)
    expect(screen.page.get_by_text("live", exact=True)).to_be_visible()
    asked = known.asked.count("GET /equipment/conveyor-b/episodes")

    known.put({**known.items["conveyor-b"], "state": "NORMAL", "version": 2})

    expect(screen.page.locator(".standing")).to_contain_text("NORMAL")
    expect(screen.page.locator(".deed-bar .deeds")).to_be_hidden()
    screen.eventually(lambda: known.asked.count("GET /equipment/conveyor-b/episodes") > asked)


def test_older_episodes_come_on_demand(opened: Opened, known: FakeApi) -> None:
    story = factory.story()
    known.bodies["/equipment/conveyor-b/episodes"] = {"items": story["items"][:1], "cursor": "next"}
    page = opened(MACHINE).page
    expect(page.locator(".episode")).to_have_count(1)

    known.bodies["/equipment/conveyor-b/episodes"] = {"items": story["items"][1:]}
    page.get_by_role("button", name="Show older ones").click()

    expect(page.locator(".episode")).to_have_count(2)
    expect(page.get_by_role("button", name="Show older ones")).to_be_hidden()


def test_a_machine_that_nobody_knows_is_said_to_be_unknown(opened: Opened) -> None:
    page = opened("#/equipment/nowhere").page

    expect(page.get_by_text("Nothing is known of nowhere.")).to_be_visible()


def test_a_machine_that_nobody_registered_is_shown_all_the_same(opened: Opened, known: FakeApi) -> None:
    known.items["loose"] = {
        **factory.machine("loose", ""),
        "name": None,
        "location": None,
        "factoryId": None,
        "lineId": None,
        "state": "WARNING1",
    }

    page = opened("#/equipment/loose").page

    expect(page.locator(".standing")).to_contain_text("WARNING1")
    expect(page.get_by_text("not registered", exact=True)).to_be_visible()
