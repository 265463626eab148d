"""A command that prints values, one JSON object a line: for machines with other protocols.

`{"timestamp": 1790000000123, "values": {"Press1.Oil": 81.2, "Press1.Mode": null}}`; the time, epoch ms or RFC 3339,
may be left out. A command that ended, or was quiet for too long, is begun again.
"""

import contextlib
import queue
import subprocess
import threading
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from andon_gateway.clock import Clock, said_ms
from andon_gateway.kinds import LinesSource
from andon_gateway.reading import Message, Messages, json_of, value_of

MAX_LINE: Final = 1_000_000
GRACE_S: Final = 5.0
AGAIN_S: Final = 1.0


class Lines:
    """A source of kind `lines`. tags: those that machines use."""

    def __init__(
        self, settings: LinesSource, *, tags: Collection[str], messages: Messages, clock: Clock, counts: Counter[str]
    ) -> None:
        """Prepare it; nothing runs yet."""
        self._name = settings.name
        self._run = settings.run
        self._quiet_s = settings.quiet_ms / 1000
        self._tags = frozenset(tags)
        self._messages = messages
        self._clock = clock
        self._counts = counts
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=f"source {settings.name}", daemon=True)
        self._process: subprocess.Popen[bytes] | None = None
        self.is_up = False
        self.trouble: str | None = None

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End the command, and wait for that."""
        self._stopped.set()
        if process := self._process:
            process.kill()
        if self._thread.ident:
            self._thread.join(GRACE_S)

    def _supervise(self) -> None:
        while not self._stopped.is_set():
            try:
                self._read()
                self.trouble = "the command ended"
            except (OSError, ValueError) as error:  # such as a NUL in the command
                self._counts["source_failures"] += 1
                self.trouble = f"the command cannot be run: {error}"
            self.is_up = False
            self._put(Message(self._name, dict.fromkeys(self._tags), None, self._clock.now_ms()))
            self._stopped.wait(AGAIN_S)

    def _read(self) -> None:
        # What the plant's own configuration says is run, without a shell.
        with subprocess.Popen(self._run, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:  # noqa: S603
            self._process = process
            try:
                for line in self._lines(process):
                    self._take(line)
            finally:
                process.kill()
                self._process = None

    def _lines(self, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
        """Yield lines until the command ends; a timer ends it if it is quiet."""
        while process.stdout and not self._stopped.is_set():
            timer = threading.Timer(self._quiet_s, process.kill)
            timer.start()
            try:
                line = process.stdout.readline(MAX_LINE)
            finally:
                timer.cancel()
            if not line:
                return
            yield line

    def _take(self, line: bytes) -> None:
        message = message_of(line, self._name, received_ms=self._clock.now_ms())
        if message is None:
            self._counts["malformed"] += 1
            return
        self.is_up, self.trouble = True, None
        values = {tag: value for tag, value in message.values.items() if tag in self._tags}
        if values:
            self._put(message._replace(values=values))

    def _put(self, message: Message) -> None:
        while not self._stopped.is_set():
            with contextlib.suppress(queue.Full):
                self._messages.put(message, timeout=1)
                return


def message_of(line: bytes, source: str, *, received_ms: int) -> Message | None:
    """Return the message of a line; None: it is none."""
    try:
        found = json_of(line)
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(values := found.get("values"), dict):
        return None
    source_ms = said_ms(found.get("timestamp"))
    return Message(source, {tag: value_of(value) for tag, value in values.items()}, source_ms, received_ms)
