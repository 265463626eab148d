"""Chains on the deployed stack, by the clock: who is asked for help when, and that what is over asks nobody else."""

from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from demo.people import EVA, ROSA
from tests.support.deployed.chained_presses import ALONE, MANAGER, NORMAL, PRESSES, SEEN, ChainedPresses

FIRST_S, SECOND_S, THIRD_S = 20, 150, 210


def test_a_chain_of_0_1_and_2_minutes_asks_in_time_and_no_more_of_whom_somebody_has_seen(
    stack: Stack, chained_presses: ChainedPresses
) -> None:
    eventually(lambda: len(chained_presses.asked(stack, ALONE)) == 3, within_s=THIRD_S)

    asked = chained_presses.asked(stack, ALONE)
    assert [one.person for one in asked] == [EVA, ROSA, MANAGER], asked
    first, second, third = asked
    assert 0 < first.after_s <= FIRST_S
    assert 60 < second.after_s <= SECOND_S
    assert 120 < third.after_s <= THIRD_S
    # The others began before, so that what would be asked of them had been by now.
    for press in (SEEN, NORMAL):
        [only] = chained_presses.asked(stack, press)
        assert only.person == EVA
    print({press: chained_presses.asked(stack, press) for press in PRESSES})  # noqa: T201  figures, with -s
