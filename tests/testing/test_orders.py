"""Every order: gone on from a state, they come to the ends that they come to when each is played alone."""

from collections.abc import Callable

import pytest

from andon.testing.orders import OrderedStep, State, ends_of_every_order


class Number:
    """A number that steps change, whose order matters."""

    def __init__(self) -> None:
        self.value, self.changes = 0, 0

    def reset(self) -> None:
        self.value = 0

    def step(self, name: str, change: Callable[[int], int]) -> OrderedStep:
        def do() -> None:
            self.value, self.changes = change(self.value), self.changes + 1

        return OrderedStep(name, do)

    def put_back(self, kept: str) -> None:
        self.value = int(kept)


@pytest.fixture
def number() -> Number:
    return Number()


@pytest.fixture
def steps(number: Number) -> list[OrderedStep]:
    once_more = number.step("once more", lambda value: value + 1)
    same = number.step("the same", lambda value: value)
    return [
        *(once_more, once_more, same),
        number.step("twice", lambda value: 2 * value),
        number.step("at least five", lambda value: max(value, 5)),
        number.step("without what is odd", lambda value: value // 2 * 2),
    ]


def test_with_a_state_orders_come_to_the_same_ends_by_fewer_steps(number: Number, steps: list[OrderedStep]) -> None:
    alone = ends_of_every_order(steps, begin=number.reset, end=lambda: str(number.value))
    played, number.changes = number.changes, 0

    state = State(lambda: str(number.value), number.put_back)
    together = ends_of_every_order(steps, begin=number.reset, end=lambda: str(number.value), state=state)

    assert together.keys() == alone.keys()
    assert len(alone) > 3
    assert number.changes < played / 5


def test_an_end_is_that_of_the_order_that_is_named(number: Number, steps: list[OrderedStep]) -> None:
    by_name = {step.name: step for step in steps}
    state = State(lambda: str(number.value), number.put_back)

    ends = ends_of_every_order(steps, begin=number.reset, end=lambda: str(number.value), state=state)

    for end, names in ends.items():
        number.reset()
        for name in names.split(" > "):
            by_name[name].do()
        assert str(number.value) == end
