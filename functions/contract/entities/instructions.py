"""Work instructions, and their entity."""

from typing import Final, TypedDict

from andon.http.said import OneLine
from andon.runtime.marks import Annotated, Bounds, Says, Takes

LONGEST_STEP: Final = 200
MOST_STEPS: Final = 40

Step = Annotated[str, Takes(OneLine(LONGEST_STEP)), Says(personal="possible")]


class Instructions(TypedDict):
    """Steps of maintenance, in this order."""

    steps: Annotated[list[Step], Bounds(1, MOST_STEPS), Says(["Lock the drive.", "Drain the oil."])]


class InstructionsKey(TypedDict):
    """A machine, and a kind of maintenance."""

    equipmentId: str
    kind: str


class InstructionsEntity(Instructions, InstructionsKey):
    """`instructions`: the steps of a kind of maintenance of a machine."""

    version: int
