"""Bodies of the archive's requests."""

from typing import TypedDict

from andon.http.said import First, Last

_Between = TypedDict("_Between", {"from": First, "to": Last})


class RehydrationBody(_Between):
    """From when to when: times, or dates, which are whole days of UTC. Both are inclusive."""
