"""The loop in memory, and the entries that each source puts on the bus: a group of facts is one."""

from collections import Counter
from typing import Any

from andon.testing.loop import Loop
from andon.testing.memory.calls import Call
from andon.testing.memory.meter import Meter


class EntryLoop(Loop):
    """meter: what requests use. entries: by their source."""

    def __init__(self) -> None:
        self.meter = Meter()
        self.entries: Counter[str] = Counter()
        super().__init__(observer=self.meter)

    def answer(self, call: Call) -> dict[str, Any]:
        """Answer a call; count the entries that it puts on the bus."""
        if call.operation == "PutEvents":
            self.entries.update(entry["Source"] for entry in call.request["Entries"])
        return super().answer(call)
