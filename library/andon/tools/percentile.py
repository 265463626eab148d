"""The percentile of measured values."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of them do not exceed (nearest rank); NaN without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan
