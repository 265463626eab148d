"""`make console`: the flow through the running system, as the dashboard on AWS shows it."""

import os
import sys
from dataclasses import dataclass, field, replace
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from andon.runtime import clock
from andon.tools.called import as_called
from andon.tools.console import screen
from andon.tools.console.emulated import EmulatedStack
from andon.tools.console.screen import ConsoleState, Deed, FaultRow, pressed
from andon.tools.stack import outputs
from andon.tools.stack.errors import ToolFailed

EVERY_S: Final = 2.0
_NARROWEST: Final = 120  # a table with its trend
LOST: Final = (ToolFailed, OSError, BotoCoreError, ClientError)


@dataclass(slots=True)
class Session:
    """A person at the console of one stack."""

    deployed: dict[str, str]
    source: EmulatedStack
    place: ConsoleState = field(default_factory=ConsoleState)
    faults: list[FaultRow] = field(default_factory=list)

    def drawn(self) -> RenderableType:
        """Read what is new and draw it."""
        shown = self._faults() if self.place.shows_faults else self._flow()
        return Group(shown, Text(f"{screen.KEYS}   {self.place.said}", style="bold"))

    def press(self, key: str) -> bool:
        """Do what a key asks for; return whether the person stays."""
        self.place, deed = pressed(self.place, key, faults=len(self.faults))
        if deed is Deed.RESUBMIT:
            fault = self.faults[min(self.place.chosen, len(self.faults) - 1)]
            self.place = replace(self.place, said=screen.resubmit(self.deployed, fault))
        return deed is not Deed.QUIT

    def _flow(self) -> RenderableType:
        return screen.flow(self.source.read(clock.now_ms()), stack=self.deployed["ApiUrl"])

    def _faults(self) -> RenderableType:
        # Only when somebody looks: these requests are part of the flow themselves.
        self.faults = screen.newest(self.deployed)
        return screen.faults(self.faults, chosen=self.place.chosen)


def print_once(session: Session, console: Console) -> None:
    """Print one screen and the faults."""
    console.print(screen.flow(session.source.read(clock.now_ms()), stack=session.deployed["ApiUrl"]))
    console.print(screen.faults(screen.newest(session.deployed)))


def watch(session: Session, console: Console) -> None:
    """Draw again and again, until a person ends it."""
    with screen.keys_at_once(), Live(console=console, screen=True, auto_refresh=False) as live:
        stays = True
        while stays:
            live.update(session.drawn(), refresh=True)
            key = screen.key_within(EVERY_S)
            stays = session.press(key) if key else True


def main() -> int:
    """Show the flow of the running stack until `q`; with `ONCE=1`, or without a terminal, one screen of it."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    console = Console(width=None if is_terminal else max(_NARROWEST, int(os.environ.get("COLUMNS", "0"))))
    try:
        deployed = outputs.of_running_stack()
        session = Session(deployed, EmulatedStack.of(deployed))
        if os.environ.get("ONCE") or not is_terminal:
            print_once(session, console)
        else:
            watch(session, console)
    except LOST as reason:
        print(f"{as_called('console')}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass  # as good as q
    return 0


if __name__ == "__main__":
    sys.exit(main())
