"""An API, and a broker in the place of AWS IoT, that lose answers, hang up, refuse and lie; what was taken is a fact.

Scripts of `ScriptedServer` and of `Broker`. Facts are kept by content, as `POST /states` keeps them.
"""

import json
import math
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from andon.events.identifiers import of_content
from andon.testing.scripted_server import HUNG_UP, ReceivedRequest, ScriptedAnswer, whole
from andon_gateway.testing.broker import Publication
from lab.gateway_process import POISON, Fate, Made, judged

_HANG_S: Final = 1.5
LOOK_S: Final = 0.002

_ANSWERS: Final[Mapping[str, ScriptedAnswer]] = {
    "unavailable": ScriptedAnswer(whole({}, 503)),
    "throttled": ScriptedAnswer(whole({"message": "Too Many Requests"}, 429)),
    "token ended": ScriptedAnswer(whole({"message": "Unauthorized"}, 401)),
    "page of a proxy": ScriptedAnswer(whole({"ids": ["of", "somebody"]}, 200)),
    "accepted by a proxy": ScriptedAnswer(whole(["<html>"], 202)),
    "nothing read": HUNG_UP,
    "answer lost": HUNG_UP,
    "answer broken": ScriptedAnswer(b'HTTP/1.1 202 Accepted\r\ncontent-length: 5000\r\n\r\n{"ids": [', closed=True),
    "hangs": ScriptedAnswer(b"", closed=True, late_s=_HANG_S),
    "unnamed": ScriptedAnswer(whole({"message": "Bad Request"}, 400)),
    "too large": ScriptedAnswer(whole({}, 413)),
}
_TAKES: Final[Mapping[str, int]] = {"taken": 50, "answer lost": 10, "answer broken": 5, "hangs": 1}
_TAKES_NOT: Final[Mapping[str, int]] = {
    "unavailable": 5,
    "throttled": 5,
    "token ended": 3,
    "nothing read": 5,
    "page of a proxy": 5,
    "accepted by a proxy": 5,
}
_OF_POISON: Final[Mapping[str, int]] = {"named": 4, "unnamed": 1, "too large": 1}

_BROKER_TAKES: Final[Mapping[str, int]] = {"acknowledge": 60, "lose": 8, "hang up": 8, "acknowledge another": 5}
_BROKER_TAKES_NOT: Final[Mapping[str, int]] = {
    "lose, not taken": 5,
    "hang up, not taken": 8,
    "acknowledge another, not taken": 3,
}

Report = dict[str, Any]


class Liar:
    """Facts by id, how often each was sent, and what was done, by kind; drawn from a seed.

    most: facts beyond which nobody is answered.
    """

    def __init__(self, seed: int) -> None:
        self.facts: dict[str, Report] = {}
        self.times: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.most = math.inf
        self._dice = Random(seed)  # noqa: S311  mischief is no secret
        self._lock = threading.Lock()

    def publish(self, reports: list[Report]) -> list[str]:
        """Take reports; return their ids."""
        ids = [of_content(report) for report in reports]
        with self._lock:
            self.facts |= zip(ids, reports, strict=True)
            self.times.update(ids)
        return ids

    def over_http(self, asked: ReceivedRequest) -> ScriptedAnswer:
        """Answer `POST /states`."""
        reports: list[Report] = asked.json
        if poison := [index for index, report in enumerate(reports) if report.get("detail") == POISON]:
            kind = self._draw(_OF_POISON)
            return _naming(400, poison) if kind == "named" else _ANSWERS[kind]
        kind = self._draw({**_TAKES, **_TAKES_NOT, "some named": 10})
        if kind == "some named":
            left = self._some(len(reports))
            self.publish([report for index, report in enumerate(reports) if index not in left])
            return _naming(503, left)
        ids = self.publish(reports) if kind in _TAKES else []
        return ScriptedAnswer(whole({"ids": ids}, 202)) if kind == "taken" else _ANSWERS[kind]

    def over_mqtt(self, sent: Publication) -> str:
        """Say what a broker does with a message."""
        kind = self._draw({**_BROKER_TAKES, **_BROKER_TAKES_NOT})
        if kind in _BROKER_TAKES:
            self.publish(json.loads(sent.content))
        return kind.partition(",")[0]

    def judged(self, made: Sequence[Made], folder: Path, kills: int) -> Fate:
        """Compare what was taken, and what the store in a folder has refused, with what was made up."""
        again = sum(times > 1 for times in self.times.values())
        return judged(made, self.facts.values(), folder)._replace(again=again, kills=kills, mischief=self.done)

    def _draw(self, weights: Mapping[str, int]) -> str:
        """Return the kind of an answer: each kind once, then by chance."""
        while len(self.facts) >= self.most:
            time.sleep(LOOK_S)
        with self._lock:
            untried = [kind for kind in weights if not self.done[kind]]
            kind = untried[0] if untried else self._dice.choices([*weights], [*weights.values()])[0]
            self.done[kind] += 1
        return kind

    def _some(self, count: int) -> list[int]:
        with self._lock:
            return sorted(self._dice.sample(range(count), self._dice.randint(1, count)))


def _naming(status: int, indexes: list[int]) -> ScriptedAnswer:
    errors = [{"field": f"body.{index}.detail", "detail": "is none of ours"} for index in indexes]
    return ScriptedAnswer(whole({"errors": errors}, status, more={"retry-after": "0"}))
