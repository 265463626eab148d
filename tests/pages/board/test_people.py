"""Names of people: looked up together, kept in memory alone, and never in the way of the board."""

from playwright.sync_api import Locator, expect

from demo.board import factory
from demo.board.fake_api import FakeApi, refused, subject_of
from demo.people import EVA, LIZ, LUIS, OMAR, ROSA
from tests.pages.board.conftest import Opened
from tests.support.pages import Screen

MANY = 250
STORED = "() => JSON.stringify([localStorage, sessionStorage, document.cookie, performance.getEntries()])"


def card(screen: Screen, name: str = "Conveyor B") -> Locator:
    return screen.page.locator(".card", has_text=name)


def assign(screen: Screen) -> Locator:
    """Open the dialog in which somebody is chosen."""
    card(screen).get_by_role("button", name="Assign").click()
    return screen.page.get_by_role("dialog")


def test_one_request_names_all_who_are_shown_and_nothing_keeps_it(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.eventually(screen.is_right)
    screen.let_pass(60_000, step_ms=4000)

    expect(card(screen)).to_contain_text("assigned to Luis")
    expect(card(screen)).to_contain_text("escalated to Rosa")
    expect(card(screen, "Robot 1")).to_contain_text("seen by Omar")
    [asked] = known.looked_up
    assert sorted(asked) == sorted({LUIS, EVA, OMAR, ROSA, factory.SUBJECT_OF_OMAR})
    assert known.asked.index("GET /board/Acme") < known.asked.index("GET /people")
    stored = screen.page.evaluate(STORED)
    assert not any(name in stored for name in ("Luis", "Rosa", "Omar", "Eva"))


def test_a_name_that_changed_and_one_that_was_erased_are_right_after_five_minutes(
    opened: Opened, known: FakeApi
) -> None:
    screen = opened()
    screen.eventually(screen.is_right)
    known.directory |= {LUIS: "Luisa", factory.SUBJECT_OF_OMAR: None}
    del known.directory[ROSA]

    screen.let_pass(300_000, step_ms=4000)
    screen.eventually(screen.is_right)

    expect(card(screen)).to_contain_text("assigned to Luisa")
    expect(card(screen)).to_contain_text("escalated to erased person #sv-04")
    expect(card(screen, "Robot 1")).to_contain_text(f"seen by erased person #{factory.SUBJECT_OF_OMAR[:4]}")
    assert len(known.looked_up) == 2


def test_without_the_directory_the_board_shows_ids_until_it_is_back(opened: Opened, known: FakeApi) -> None:
    known.rules["GET", "/people"] = lambda _body: refused(403, "no")
    screen = opened()
    screen.eventually(lambda: screen.connection() == "live")
    screen.let_pass(10_000)

    expect(card(screen)).to_contain_text(f"assigned to {LUIS}")
    assert len(screen.tiles()) == len(known.items)
    dialog = assign(screen)
    expect(dialog).to_contain_text(f"Now assigned to {LUIS}.")
    dialog.get_by_role("button", name=EVA).click()
    dialog.get_by_role("button", name=f"Assign instead of {LUIS}").click()
    expect(screen.page.get_by_text(f"Conveyor B is assigned to {EVA}.")).to_be_visible()
    del known.rules["GET", "/people"]
    known.items["conveyor-b"] |= {"operator": EVA, "version": 2}
    screen.eventually(screen.is_right, within_ms=60_000)


def test_more_than_a_hundred_are_asked_about_in_turns(opened: Opened, known: FakeApi) -> None:
    for number in range(MANY):
        badge = f"op-{1000 + number}"
        row = factory.machine(f"Lathe {number}", "Line 9") | {"state": "ERROR", "operator": badge}
        known.items[row["equipmentId"]] = row
        known.directory[badge] = f"Worker {number}"

    screen = opened()
    screen.eventually(screen.is_right)

    assert [len(ids) for ids in known.looked_up][:2] == [100, 100]
    assert sum(map(len, known.looked_up)) == MANY + 5


def test_somebody_is_chosen_by_name_and_sent_by_id(opened: Opened, known: FakeApi) -> None:
    known.directory |= {LIZ: "Ana López", OMAR: "Eva", factory.SUBJECT_OF_OMAR: None}
    screen = opened()
    dialog = assign(screen)
    typed = dialog.get_by_label("Operator")
    buttons = dialog.locator(".suggested button")
    expect(buttons).to_have_text([f"Eva ({EVA})", "Luis", f"Eva ({OMAR})"])

    typed.fill("nobody")
    expect(buttons).to_have_count(0)
    dialog.get_by_role("button", name="Assign instead of Luis").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Nobody here is called nobody.")
    typed.fill("eva")
    dialog.get_by_role("button", name="Assign instead of Luis").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Several people are called eva.")
    assert known.written == []
    typed.fill("ana")
    buttons.filter(has_text="Ana López").click()
    dialog.get_by_role("button", name="Assign instead of Luis").click()

    expect(screen.page.get_by_text("Conveyor B is assigned to Ana López.")).to_be_visible()
    assert [body for _, _, body, _ in known.written] == [{"operator": LIZ}]


def test_who_looks_is_called_as_they_sign_in_unless_the_directory_knows_better(opened: Opened, known: FakeApi) -> None:
    known.items["robot-1"]["acknowledgedBy"] = subject_of("supervisor")
    screen = opened()
    expect(card(screen, "Robot 1")).to_contain_text("seen by supervisor")

    known.directory[subject_of("supervisor")] = "Rosa Pérez"
    screen = opened()

    screen.eventually(screen.is_right)
    expect(card(screen, "Robot 1")).to_contain_text("seen by Rosa Pérez")
