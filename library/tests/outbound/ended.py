"""How a call ended: outcomes are tuples, of which two kinds with the same words are equal."""

from andon.outbound.delivery import Outcome


def assert_ended(outcome: Outcome, expected: Outcome) -> None:
    """Compare two outcomes, their kinds included."""
    assert (type(outcome), outcome) == (type(expected), expected)
