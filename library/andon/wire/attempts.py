"""A request over libcurl until it succeeds, or cannot; `retries` decides about another attempt."""

from collections.abc import Callable

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonObject
from andon.wire import retries
from andon.wire.curl import Request, Response
from andon.wire.deadline import require_in_time
from andon.wire.in_turns import exchange, pause


def until_done(  # noqa: PLR0915  one loop, for every request
    request_of: Callable[[], Request], content_of: Callable[[Response], JsonObject]
) -> JsonObject:
    """Make a request, again if it may succeed then; `request_of` is called for each attempt, which is signed anew.

    Raises:
        CallFailed: `content_of` raised it, at each of `retries.ATTEMPTS` attempts or once for all.

    """
    attempt, taken = 1, 0
    require_in_time()
    while True:
        response = exchange(request_of())
        try:
            content = content_of(response)
        except CallFailed as error:
            if (again := retries.again_after(error.code, response.status)) is None:
                retries.QUOTA.give_back(taken or 1)  # a refusal is as good a sign of life as a success
                raise
            if attempt == retries.ATTEMPTS or not retries.QUOTA.take(again.quota):
                raise
            _pause_in_time(again.seconds * 2 ** (attempt - 1) * retries.jitter())
            attempt, taken = attempt + 1, again.quota
        else:
            retries.QUOTA.give_back(taken or 1)
            return content


def _pause_in_time(seconds: float) -> None:
    require_in_time(seconds)
    pause(seconds)
