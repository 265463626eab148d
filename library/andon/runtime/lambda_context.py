"""The context that Lambda hands to a handler, as far as it is read here."""

from typing import Protocol


class LambdaContext(Protocol):
    """The invocation: https://docs.aws.amazon.com/lambda/latest/dg/python-context.html."""

    @property
    def function_name(self) -> str:
        """The function's name."""

    @property
    def aws_request_id(self) -> str:
        """The invocation's id."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds that are left until the timeout."""
