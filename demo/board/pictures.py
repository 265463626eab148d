"""Makes the pictures in docs/pictures/ from a factory that is always the same, at a time that is always the same."""

from typing import Final

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from andon.project import project
from andon.tools.browser.launch import launched
from demo.board import factory
from demo.board.fake_api import ORIGIN, FakeApi, contact_path, sign_in
from demo.people import EVA, LUIS, name_of

PICTURES: Final = project().root / "docs" / "pictures"
WALL: Final[ViewportSize] = {"width": 1920, "height": 1080}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
BOARD: Final = f"{ORIGIN}/#/board/{factory.COMPANY}/{factory.FACTORY}"
AGENDA: Final = f"{ORIGIN}/#/agenda/{factory.COMPANY}/{factory.FACTORY}"
DUTY: Final = f"{ORIGIN}/#/duty/{factory.COMPANY}/{factory.FACTORY}"
STATION: Final = "press-1"
MACHINE: Final = f"{ORIGIN}/#/equipment/conveyor-b"


def api() -> FakeApi:
    """Return an API that knows the factory."""
    log = f"/equipment/conveyor-b/logs/ERROR/{factory.minutes_ago(24)}/assignment"
    return FakeApi(
        items={row["equipmentId"]: row for row in factory.machines()},
        bodies={
            "/equipment/conveyor-b/episodes": factory.story(),
            "/equipment/conveyor-b/audits": factory.audits(),
            "/equipment/conveyor-b/versions": factory.versions(),
            factory.ROSTER_PATH: factory.ROSTER,
            f"/factories/{factory.FACTORY}/catalog": factory.CATALOG,
        },
        people={log: ({"operator": LUIS}, 1)},
        directory=dict(factory.NAMES),
        orders=factory.agenda(),
        now=factory.NOW,
    )


def context_of(
    browser: Browser,
    known: FakeApi,
    size: ViewportSize,
    *,
    role: str | None,
    name: str | None = None,
    reads_only: bool = False,
    scale: int = 1,
) -> BrowserContext:
    """Return a context whose pages are served by `known`, at its time, in English; without a role nobody signed in.

    name: of the user, if not that of the role.
    """
    context = browser.new_context(
        viewport=size,
        device_scale_factor=scale,
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    if role is not None:
        sign_in(context, role, name=name, reads_only=reads_only)
    known.serve(context)
    if known.now is not None:
        context.clock.install(time=known.now)
    return context


def _opened(
    browser: Browser,
    place: str,
    size: ViewportSize,
    *,
    role: str,
    scale: int = 1,
    shown: str = name_of(LUIS),
    known: FakeApi | None = None,
    is_live: bool = True,
) -> Page:
    page = context_of(browser, known or api(), size, role=role, scale=scale).new_page()
    page.goto(place)
    if is_live:
        expect(page.get_by_text("live", exact=True)).to_be_visible()
    expect(page.get_by_text(shown).first).to_be_visible()
    return page


def main() -> None:
    """Make them all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with launched() as browser:
        _picture_board(browser)
        _picture_machine(browser)
        _picture_agenda(browser)
        _picture_calls(browser)
        _picture_station(browser)
        _picture_duty(browser)


def _picture_board(browser: Browser) -> None:
    wall = _opened(browser, BOARD, WALL, role="auditor")
    wall.screenshot(path=PICTURES / "board-1920.png")
    devtools = wall.context.new_cdp_session(wall)
    for vision, name in (("achromatopsia", "grey"), ("deuteranopia", "deuteranopia")):
        devtools.send("Emulation.setEmulatedVisionDeficiency", {"type": vision})
        wall.screenshot(path=PICTURES / f"{name}.png")
    phone = _opened(browser, BOARD, PHONE, role="supervisor", scale=2)
    phone.screenshot(path=PICTURES / "board-390.png")


def _picture_machine(browser: Browser) -> None:
    machine = _opened(browser, MACHINE, WALL, role="supervisor")
    expect(machine.get_by_text("belt slips")).to_be_visible()
    machine.screenshot(path=PICTURES / "machine.png")
    machine.get_by_role("button", name="Assign").click()
    expect(machine.get_by_role("button", name=f"Assign instead of {name_of(LUIS)}")).to_be_visible()
    machine.get_by_role("button", name=name_of(EVA)).click()
    machine.screenshot(path=PICTURES / "dialog.png")


def _picture_agenda(browser: Browser) -> None:
    for size, scale in ((WALL, 1), (PHONE, 2)):
        agenda = _opened(browser, AGENDA, size, role="supervisor", scale=scale, shown="belt-change")
        agenda.screenshot(path=PICTURES / f"agenda-{size['width']}.png")


def _picture_calls(browser: Browser) -> None:
    known = api()
    for machine, calls in factory.calls().items():
        known.items[machine]["calls"] = calls
    phone = _opened(browser, BOARD, PHONE, role="operator", scale=2, known=known, shown=f"{name_of(LUIS)} comes")
    phone.screenshot(path=PICTURES / "calls-390.png")
    phone.get_by_role("button", name="Call for help").click()
    phone.get_by_label("Where?").select_option("Mill 1")
    expect(phone.get_by_role("dialog").get_by_text("Material")).to_be_visible()
    phone.screenshot(path=PICTURES / "call-390.png")


def _picture_station(browser: Browser) -> None:
    known = api()
    known.items[STATION]["calls"] = factory.calls()[STATION]
    context = context_of(browser, known, PHONE, role="station", name=STATION, scale=2)
    phone = context.new_page()
    phone.goto(ORIGIN)
    expect(phone.get_by_role("button", name="Call for help")).to_be_visible()
    expect(phone.get_by_text("Material")).to_be_visible()
    phone.screenshot(path=PICTURES / "station-390.png")


def _picture_duty(browser: Browser) -> None:
    known = api()
    known.bodies |= {factory.ROSTER_PATH: factory.DUTY, contact_path("supervisor"): factory.CONTACT}
    phone = _opened(browser, DUTY, PHONE, role="supervisor", scale=2, known=known, shown="Nobody is on duty")
    phone.screenshot(path=PICTURES / "duty-390.png", full_page=True)
    phone.get_by_role("button", name="Somebody else: Operators").click()
    expect(phone.get_by_role("dialog").get_by_text(name_of(EVA))).to_be_visible()
    phone.screenshot(path=PICTURES / "take-over-390.png")
    phone = _opened(
        browser,
        f"{ORIGIN}/#/me",
        PHONE,
        role="supervisor",
        scale=2,
        known=known,
        shown="You are told here",
        is_live=False,
    )
    phone.screenshot(path=PICTURES / "me-390.png", full_page=True)


if __name__ == "__main__":
    main()
