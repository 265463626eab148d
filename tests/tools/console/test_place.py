from hypothesis import given
from hypothesis import strategies as st

from andon.tools.console.screen import ConsoleState, Deed, pressed

KEYS = st.sampled_from(["f", "up", "down", "r", "x", ""])


@given(st.lists(KEYS), st.integers(0, 5))
def test_whatever_is_pressed_a_fault_that_is_there_is_chosen_and_only_such_a_one_is_resubmitted(
    keys: list[str], faults: int
) -> None:
    place = ConsoleState()
    for key in keys:
        before = place
        place, deed = pressed(place, key, faults=faults)

        assert 0 <= place.chosen < max(1, faults)
        assert (deed is Deed.RESUBMIT) == (key == "r" and before.shows_faults and faults > 0)


def test_f_shows_the_faults_and_hides_them_and_the_arrows_go_through_them() -> None:
    place, _ = pressed(ConsoleState(), "f", faults=3)
    assert place.shows_faults

    for key in ("down", "down", "down", "up"):
        place, _ = pressed(place, key, faults=3)
    assert place.chosen == 1

    assert pressed(place, "f", faults=3) == (ConsoleState(), None)


def test_q_ends_it_anywhere() -> None:
    assert (
        pressed(ConsoleState(), "q", faults=0)[1]
        is pressed(ConsoleState(shows_faults=True), "q", faults=1)[1]
        is Deed.QUIT
    )
