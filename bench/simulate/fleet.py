"""How machines report."""

from dataclasses import dataclass
from typing import Final

EVERY_S: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """How machines report. abnormal: the share of reports that are not NORMAL.

    batched: a gateway posts the reports of all of them at once; else each machine reports at a time of its own.
    """

    machines: int = 40
    seconds: int = 3_600
    abnormal: float = 0.0
    batched: bool = False
