"""At which time each event of a replay is due, so that a view gets `rate` of them a second. Pure.

An object gets a time of its own: behind all objects that have one. Its events are sent a little ahead, and the queue
holds each back until it is due. So nothing waits in a function, and a replay that is paused ends within seconds.
"""

from typing import Final

# How far ahead messages are sent. As long a replay goes on that is paused.
LEAD_MS: Final = 20_000

# Messages of one object in one step, so that ten objects end well within the function's time.
MOST_AT_ONCE: Final = 2_000

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
LONGEST_DELAY_SECONDS: Final = 900


def time_of(number: int, *, at_ms: int, rate: int) -> int:
    """Return the time at which an event is due (epoch milliseconds), by its number within its object (from 0)."""
    return at_ms + number * 1000 // rate


def sent_by(*, at_ms: int, sent: int, count: int, rate: int, now_ms: int) -> int:
    """Return the number of `count` events that are sent after this step; `sent` are so already."""
    within = (now_ms + LEAD_MS - at_ms) * rate // 1000 + 1
    return max(sent, min(count, within, sent + MOST_AT_ONCE))


def is_missed(*, at_ms: int, sent: int, rate: int, now_ms: int) -> bool:
    """Return True if the next event is so overdue that its object needs a new time, or many would come at once."""
    return time_of(sent, at_ms=at_ms, rate=rate) < now_ms - LEAD_MS


def delay_seconds(due_ms: int, *, now_ms: int) -> int:
    """Return the delay in a queue of a message that is due at `due_ms`, in seconds."""
    return min(LONGEST_DELAY_SECONDS, max(0, (due_ms - now_ms) // 1000))


def again_after(due_ms: int, *, now_ms: int) -> int:
    """Return the seconds until the work on an object goes on, whose next event is due at `due_ms`."""
    return delay_seconds(due_ms - LEAD_MS // 2, now_ms=now_ms)
