"""What Lambda tells a handler about its invocation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LambdaContext:
    """The part of Lambda's context that the handlers look at."""

    function_name: str
    aws_request_id: str = "00000000-0000-0000-0000-000000000000"

    def get_remaining_time_in_millis(self) -> int:
        """Tell how long the invocation may still take: here, as long as it likes."""
        return 60_000
