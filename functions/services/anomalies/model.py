"""The model: usual rates and gaps of each machine and state, learned from the lake, robust. Pure.

A model is a JSON object, never changed once it is written:

`{"version", "trainedUntil", "machines": {<id>: {"reports", "hours", "states": {<state>: {"rate", "gap"?}}}}}`

`reports` counts the machine's reports; `hours`, the hours in which it reported anything. `rate`: reports of the state
in an hour that has any. `gap`: seconds from a report of the state to the machine's next report of any state. Either is
a `{"median", "mad", "of"}`: of so many observations; `mad` is the median of their distances from the median.
"""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, Final, NamedTuple, TypedDict

from andon.events.identifiers import of_content
from andon.runtime.json_types import JsonMapping

# The limit lies so many robust standard deviations above the median: see README.md for what that was chosen by.
DEVIATIONS: Final = 6

# Of normally distributed values, the standard deviation is so many times the median absolute deviation.
# https://en.wikipedia.org/wiki/Median_absolute_deviation
NORMAL_CONSISTENT: Final = 1.4826

# Most machines report by a clock, so that most deviations are 0: the scale is no less than these.
LEAST_OF_GAP: Final = 0.25  # of the median: one report that was lost doubles a gap, and is no anomaly
LEAST_SECONDS: Final = 1
LEAST_OF_RATE: Final = 0.1

# Without so much history there is no opinion.
ENOUGH_OBSERVATIONS: Final = 20
ENOUGH_HOURS: Final = 72
ENOUGH_REPORTS: Final = 500

# A state that was reported in a smaller share of the hours is odd: one that slipped in once is not usual from then on.
ODD_SHARE: Final = 1 / 200

DIGITS_OF_VERSION: Final = 12

_PUNCTUATION: Final = str.maketrans("", "", "-:.")


class UnreadableModel(ValueError):
    """A model has another shape."""


class SpreadJson(TypedDict):
    """A median of `of` values, and the median of their distances from it."""

    median: float
    mad: float
    of: int


class Spread(NamedTuple):
    """The spread of values: their median, the median of their distances from it, and how many they were."""

    median: float
    mad: float
    of: int

    def limit(self, deviations: float, *, least: float) -> float:
        """Return the value so many deviations above the median; a deviation is no less than `least`."""
        return round(self.median + deviations * max(NORMAL_CONSISTENT * self.mad, least), 3)


class Expectation(NamedTuple):
    """A usual value, `typical`, and the limit `at_most`; they rest on `based_on` observations."""

    typical: float
    at_most: float
    based_on: int


class StateHistory(NamedTuple):
    """A state of a machine: its reports in an hour, and the seconds until the next report."""

    rate: Spread
    gap: Spread | None = None


class MachineHistory(NamedTuple):
    """The history of a machine: see the head of this file."""

    reports: int
    hours: int
    states: Mapping[str, StateHistory]


class MachineKnowledge(NamedTuple):
    """The knowledge of one machine in a version of the model. None of an expectation: no opinion."""

    version: str
    machine: MachineHistory
    deviations: float = DEVIATIONS

    def rate_of(self, state: str) -> Expectation | None:
        """Return the reports of a state to expect in an hour; None: too few observations."""
        history = self.machine.states.get(state)
        if history is None or history.rate.of < ENOUGH_OBSERVATIONS:
            return None
        limit = history.rate.limit(self.deviations, least=max(LEAST_OF_RATE * history.rate.median, 1))
        return Expectation(typical=history.rate.median, at_most=limit, based_on=history.rate.of)

    def gap_after(self, state: str) -> Expectation | None:
        """Return the seconds to expect from a report of a state to the next report; None: too few observations."""
        history = self.machine.states.get(state)
        gap = history.gap if history else None
        if gap is None or gap.of < ENOUGH_OBSERVATIONS:
            return None
        limit = gap.limit(self.deviations, least=max(LEAST_OF_GAP * gap.median, LEAST_SECONDS))
        return Expectation(typical=gap.median, at_most=limit, based_on=gap.of)

    def hardly_saw(self, state: str) -> Expectation | None:
        """Return that no report of a state is expected; None also if it is one that the machine reports."""
        machine = self.machine
        if machine.reports < ENOUGH_REPORTS or machine.hours < ENOUGH_HOURS:
            return None
        history = machine.states.get(state)
        if history is not None and history.rate.of >= ODD_SHARE * machine.hours:
            return None
        return Expectation(typical=0, at_most=0, based_on=machine.reports)


class Model(NamedTuple):
    """The histories of machines, as of `version`."""

    version: str
    machines: Mapping[str, MachineHistory]

    def known_of(self, equipment_id: str) -> MachineKnowledge | None:
        """Return the knowledge of a machine."""
        machine = self.machines.get(equipment_id)
        return MachineKnowledge(version=self.version, machine=machine) if machine else None

    @classmethod
    def of(cls, content: Any) -> "Model":  # noqa: ANN401  JSON is any
        """Read a model.

        Raises:
            UnreadableModel: it is none.

        """
        try:
            machines = {name: _machine(machine) for name, machine in content["machines"].items()}
            version = content["version"]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnreadableModel("this is no model") from error
        if not isinstance(version, str) or version != version_of(content["trainedUntil"], content["machines"]):
            raise UnreadableModel("the version is not that of the content")
        return cls(version=version, machines=machines)


def version_of(trained_until: str, machines: object) -> str:
    """Return the name of a model: until when it was trained, and a digest of its content."""
    digest = of_content({"trainedUntil": trained_until, "machines": machines}, digits=DIGITS_OF_VERSION)
    return f"{trained_until.translate(_PUNCTUATION)}-{digest}"


def _machine(content: JsonMapping) -> MachineHistory:
    states = {state: _state(history) for state, history in content["states"].items()}
    reports, hours = _numbers((content["reports"], content["hours"]))
    return MachineHistory(reports=int(reports), hours=int(hours), states=states)


def _state(content: JsonMapping) -> StateHistory:
    gap = content.get("gap")
    return StateHistory(rate=_spread(content["rate"]), gap=None if gap is None else _spread(gap))


def _spread(content: JsonMapping) -> Spread:
    median, mad, of = _numbers((content["median"], content["mad"], content["of"]))
    return Spread(median, mad, int(of))


def _numbers(values: Iterable[object]) -> list[float]:
    numbers = [
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < inf
    ]
    if len(numbers) != len([*values]):
        raise TypeError("not a number, less than 0 or infinite")
    return numbers
