"""Reports over MQTT, by AWS IoT: the acknowledgement of a message takes its reports.

It stays connected while nothing waits: AWS IoT says of who is gone that it is. Nobody answers here, so that a report
whose time the API would refuse is refused before it is sent, where it would take its neighbours with it.
"""

from collections.abc import Callable, Sequence
from typing import Final

from andon_gateway.clock import MAX_AGE_MS, MAX_AHEAD_MS, MINUTE_MS, Clock
from andon_gateway.https import body_of
from andon_gateway.mqtt_connection import Connection, Lost
from andon_gateway.north import ByMqtt
from andon_gateway.provisioning import Refused
from andon_gateway.store import Stored
from andon_gateway.verdict import Verdict

KEEP_ALIVE_S: Final = 30  # the shortest of AWS IoT
ANSWER_S: Final = 30.0

TROUBLE: Final = (Lost, OSError, Refused, ValueError)

# So long a message may be on its way.
MARGIN_MS: Final = 5 * MINUTE_MS


class MqttNorth:
    """The way to the API by a topic; prepare: a step before each connection, which may be refused."""

    def __init__(
        self,
        settings: ByMqtt,
        *,
        clock: Clock,
        answer_s: float = ANSWER_S,
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        """Connect nothing yet."""
        self._settings = settings
        self._prepare = prepare
        self._clock = clock
        self._answer_s = answer_s
        self._connection: Connection | None = None

    def send(self, batch: Sequence[Stored]) -> tuple[int, Verdict]:
        """Publish as many of the first reports of a batch as fit, and wait for the acknowledgement."""
        count, body = body_of(batch)
        if refused := self._refused(batch[:count]):
            return count, Verdict(refused=refused)
        try:
            self._connected().deliver(self._settings.topic, body)
        except TROUBLE as error:
            return count, Verdict(waits=True, trouble=self._give_up(error))
        return count, Verdict(done=frozenset(range(count)))

    def keep(self) -> str | None:
        """Connect, stay connected, and return why not."""
        try:
            self._connected().step(0)
        except TROUBLE as error:
            return self._give_up(error)
        return None

    def ask_time(self) -> None:
        """Do nothing: AWS IoT says no time. The configuration has to trust the clock."""

    def close(self) -> None:
        """Disconnect."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _connected(self) -> Connection:
        if self._connection is None:
            self._prepare()
            made = Connection(self._settings.broker, keep_alive_s=KEEP_ALIVE_S, answer_s=self._answer_s)
            try:
                made.open()
            except BaseException:
                made.close()
                raise
            self._connection = made
        return self._connection

    def _give_up(self, error: Exception) -> str:
        self.close()
        return str(error) or type(error).__name__

    def _refused(self, batch: Sequence[Stored]) -> dict[int, str]:
        now_ms = self._clock.now_ms()
        oldest_ms, newest_ms = now_ms - MAX_AGE_MS + MARGIN_MS, now_ms + MAX_AHEAD_MS
        late = {index: "older than the API takes" for index, one in enumerate(batch) if one.at_ms <= oldest_ms}
        early = {index: "of a time to come" for index, one in enumerate(batch) if one.at_ms > newest_ms}
        return late | early
