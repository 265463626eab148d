"""The context that Lambda passes to a handler."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocalContext:
    """The part of Lambda's context that the handlers use."""

    function_name: str
    aws_request_id: str = "00000000-0000-0000-0000-000000000000"

    def get_remaining_time_in_millis(self) -> int:
        """Time that the invocation may still take: here there is no limit."""
        return 60_000
