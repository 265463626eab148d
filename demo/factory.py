"""The demo factory: three lines of eight machines, and who works there."""

from dataclasses import dataclass
from typing import Any, Final

from demo.people import EVA, LUIS, OMAR, ROSA

COMPANY: Final = "Acme"
FACTORY: Final = "Guadalajara"
LOCATION: Final = {
    "company": COMPANY,
    "country": "MX",
    "region": "West",
    "state": "JAL",
    "county": "Guadalajara",
    "city": "Guadalajara",
    "neighborhood": "Centro",
}

LINES: Final = {
    "Line 1 · Pressing": "Press 1, Press 2, Press 3, Press 4, Press 5, Robot 1, Trimmer 1, Trimmer 2",
    "Line 2 · Machining": "Grinder 1, Lathe 1, Lathe 2, Mill 1, Mill 2, Mill 3, Robot 2, Washer 1",
    "Line 3 · Assembly": "Conveyor A, Conveyor B, Oven 1, Oven 2, Packer 1, Paint booth, Welder 1, Welder 2",
}

OPERATORS: Final = (EVA, LUIS, OMAR)
SUPERVISOR: Final = ROSA


@dataclass(frozen=True, slots=True)
class DemoMachine:
    """A machine of the demo factory."""

    name: str
    line: str

    @property
    def id(self) -> str:
        """The id of the equipment, as `gdl-paint-booth`; the episode of `make up` has a `mill-1`, too."""
        return f"gdl-{self.name.lower().replace(' ', '-')}"

    @property
    def body(self) -> dict[str, Any]:
        """The body of its registration."""
        return {"name": self.name, "factoryId": FACTORY, "lineId": self.line, "location": LOCATION}


MACHINES: Final = tuple(DemoMachine(name, line) for line, names in LINES.items() for name in names.split(", "))
