from hypothesis import given
from hypothesis import strategies as st

from andon.tools.console.emulated import QueueWatch

SECOND_MS = 1000


@given(st.lists(st.booleans(), min_size=1))
def test_the_oldest_message_came_after_the_queue_was_last_seen_empty(empties: list[bool]) -> None:
    watch = QueueWatch()
    for second, is_empty in enumerate(empties):
        watch.look({"queue": 0 if is_empty else 3}, now_ms=second * SECOND_MS)

    oldest_s = watch.oldest_s("queue", now_ms=(len(empties) - 1) * SECOND_MS)

    assert oldest_s == (empties[::-1].index(True) if any(empties) else None)
