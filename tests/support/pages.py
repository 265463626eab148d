"""A page of the board in a browser: what it shows, beside what the API knows."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import ConsoleMessage, Page, Request

from contract import people
from demo.board.fake_api import ORIGIN, FakeApi

STEP_MS: Final = 500
SOON_MS: Final = 30_000
SUBJECT_LENGTH: Final = 36

# An answer that the page copes with, although Chromium calls it an error.
REFUSED: Final = re.compile(r"Failed to load resource: (net::ERR_FAILED|.* status of (400|403|404|409|410|412|428) )")

# What each tile says, by machine: its kind, its words, and the line that it stands in.
TILES: Final = """() => Object.fromEntries([...document.querySelectorAll(".tile")].map((tile) => [tile.dataset.key, [
  tile.dataset.kind, tile.querySelector(".name").textContent, tile.querySelector(".state").textContent,
  tile.closest(".line").querySelector("h2").textContent,
  [...tile.querySelectorAll(".note-text")].map((note) => note.textContent)]]))"""

WORDS: Final = {"silent": "SILENT", "overdue": "OVERDUE", "maintenance": "IN MAINTENANCE"}

Tile = list[Any]


@dataclass  # without slots: Playwright keeps something on the object of a callback
class Screen:
    """A page, and the API that it asks."""

    page: Page
    known: FakeApi
    troubles: list[str] = field(default_factory=list)
    _under_way: set[Request] = field(default_factory=set)

    def open(self, place: str, *, search: str = "") -> None:
        """Go to a place of the page, and watch for errors."""
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        self.page.on("request", self._asked)
        for ended in ("requestfinished", "requestfailed"):
            self.page.on(ended, self._ended)
        self.page.goto(f"{ORIGIN}/{search}{place}")

    def go(self, place: str) -> None:
        """Go to another place of the page, without loading it anew: to load it is most of what a test takes."""
        self.page.goto(f"{ORIGIN}/{place}")

    def tiles(self) -> dict[str, Tile]:
        """The tiles on the page."""
        tiles: dict[str, Tile] = self.page.evaluate(TILES)
        return tiles

    def is_right(self) -> bool:
        """Return True if the board shows exactly the items of `GET /board`."""
        return self.tiles() == {
            equipment_id: tile_of(row, self.known) for equipment_id, row in self.known.items.items()
        }

    def eventually(self, holds: Callable[[], bool], *, within_ms: int = SOON_MS) -> int:
        """Let time pass in the page until a condition holds; return how much."""
        for passed_ms in range(0, within_ms, STEP_MS):
            if holds():
                return passed_ms
            self.let_pass(STEP_MS)
        assert holds(), f"not within {within_ms} ms"
        return within_ms

    def let_pass(self, ms: int, *, step_ms: int = STEP_MS) -> None:
        """Let time pass in the page, in steps; its clock stands still until what a step asks for is answered."""
        for _ in range(0, ms, step_ms):
            self.page.clock.run_for(step_ms)
            self.page.wait_for_timeout(20)
            while self._under_way:
                self.page.wait_for_timeout(5)

    def pause(self) -> None:
        """Let time pass in the page only where a test lets it, however slow this machine is."""
        self.page.clock.pause_at(self.page.evaluate("Date.now()") / 1000 + 0.5)

    def connection(self) -> str:
        """The state of the connection, as the page shows it."""
        return self.page.locator(".connection").get_attribute("data-connection") or ""

    def until_live(self) -> None:
        """Let time pass until the page is subscribed and has settled."""
        self.eventually(lambda: self.connection() == "live" and self.is_right())
        self.let_pass(6000)

    def scrolls_sideways(self) -> bool:
        """Return True if the page is wider than the window."""
        root = "document.scrollingElement"
        return bool(self.page.evaluate(f"() => {root}.scrollWidth > {root}.clientWidth"))

    def _asked(self, request: Request) -> None:
        self._under_way.add(request)

    def _ended(self, request: Request) -> None:
        self._under_way.discard(request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not REFUSED.match(message.text):
            self.troubles.append(message.text)


def tile_of(row: dict[str, Any], known: FakeApi) -> Tile:
    """The expected tile of a row, in English."""
    state = row["state"]
    is_abnormal = state not in {None, "NORMAL"}
    silent = "silentSince" in row
    in_maintenance, overdue = bool(row.get("underWay")), "overdue" in row
    calm = "maintenance" if in_maintenance else "silent" if silent else "overdue" if overdue else "running"
    kind = "error" if state == "ERROR" else "warning" if is_abnormal else calm
    seen = called(row["acknowledgedBy"], known) if "acknowledgedBy" in row else "not seen"
    notes = [
        *([seen] if is_abnormal else []),
        *(called(row[person], known) for person in ("operator", "escalatedTo") if person in row),
        *(["at risk"] if "atRisk" in row else []),
        *(["in maintenance"] if in_maintenance and kind != "maintenance" else []),
        *(["maintenance overdue"] if overdue and kind != "overdue" else []),
        *(["silent"] if is_abnormal and silent else []),
    ]
    word = WORDS.get(kind, state)
    return [kind, row["name"], word, row["lineId"], notes]


def called(person: str, known: FakeApi) -> str:
    """What the page calls somebody, once it has looked the name up."""
    if not re.fullmatch(people.PERSON_PATTERN, person):
        return person
    short = person if len(person) < SUBJECT_LENGTH else person[:4]
    return known.directory.get(person) or f"erased person #{short}"
