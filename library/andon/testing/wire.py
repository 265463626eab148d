"""Between our code and AWS: records the calls, above all retries, and breaks those that a test chooses."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from unittest.mock import patch

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonObject
from andon.testing.above_retries import Pass, between
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.hook import Call, Lost

_SERVICES = ("dynamodb", "events")
_MEASURABLE = ("GetItem", "Query", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")

Parameters = JsonObject


@dataclass(slots=True)
class RecordedCall:
    """One call of an AWS operation, and its answer."""

    operation: str
    parameters: Parameters
    answer: JsonObject = field(default_factory=dict)


Reply = Callable[[RecordedCall], JsonObject | None]
"""A request -> the answer given in AWS's place; None lets it through."""


class Wire:
    """Stands between, while the context lasts."""

    def __init__(self, services: tuple[str, ...] = _SERVICES) -> None:
        self._services = services
        self.requests: list[RecordedCall] = []
        self._replies: list[Reply] = []
        self._lost: dict[str, int] = {}
        self._measuring = False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(between(self._on_call))
        self._stack.enter_context(_losing(self._lost))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def operations(self) -> list[str]:
        """The operations that were called, in order."""
        return [request.operation for request in self.requests]

    def before(self, operation: str, do: Callable[[], object], *, times: int = 1) -> None:
        """Call `do` just before a request is made."""

        def reply(_: RecordedCall) -> None:
            do()

        self._reply_to(operation, reply, times)

    def fail(
        self, operation: str, code: str, *, when: Callable[[Parameters], bool] | None = None, times: int = 1_000_000
    ) -> None:
        """Answer requests with an error code; they do not reach AWS."""
        message = f"{code} of table Secret at arn:aws:secret"
        self._reply_to(operation, lambda _: {"Error": {"Code": code, "Message": message}}, times, when)

    def cancel(self, reasons: Sequence[str], *, times: int) -> None:
        """Cancel transactions, for a reason of each write."""
        refused = {
            "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
            "CancellationReasons": [{"Code": reason} for reason in reasons],
        }
        self._reply_to("TransactWriteItems", lambda _: refused, times)

    def leave_out(self, operation: str, *, times: int) -> None:
        """Let DynamoDB read none of the rows of a batch, and say so."""

        def reply(request: RecordedCall) -> JsonObject:
            return {"Responses": {}, "UnprocessedKeys": request.parameters["RequestItems"]}

        self._reply_to(operation, reply, times)

    def refuse_entries(self, code_of: Callable[[dict[str, str]], str | None]) -> None:
        """Make PutEvents refuse the entries for which `code_of` returns an error code."""

        def reply(request: RecordedCall) -> JsonObject | None:
            entries = request.parameters["Entries"]
            codes = [code_of(entry) for entry in entries]
            if not any(codes):
                return None
            request.parameters["Entries"] = [entry for entry, code in zip(entries, codes, strict=True) if not code]
            if request.parameters["Entries"]:
                self._pass()
            request.parameters["Entries"] = entries
            results = [{"ErrorCode": code, "ErrorMessage": "no"} if code else {"EventId": "taken"} for code in codes]
            return {"FailedEntryCount": sum(map(bool, codes)), "Entries": results}

        self._reply_to("PutEvents", reply)

    def measure_capacity(self) -> None:
        """Make DynamoDB add their cost to its answers."""
        self._measuring = True

    def lose_answers(self, operation: str, *, times: int) -> None:
        """Let requests reach AWS in memory, and lose its answers, below the retries."""
        self._lost[operation] = times

    def _reply_to(
        self,
        operation: str,
        reply: Reply,
        times: int = 1_000_000,
        when: Callable[[Parameters], bool] | None = None,
    ) -> None:
        left = [times]

        def limited(request: RecordedCall) -> JsonObject | None:
            if request.operation != operation or not left[0] or (when and not when(request.parameters)):
                return None
            left[0] -= 1
            return reply(request)

        self._replies.append(limited)

    def _on_call(self, call: Call, make: Pass) -> JsonObject:
        if call.service not in self._services:
            return make()
        if self._measuring and call.operation in _MEASURABLE:
            call.request["ReturnConsumedCapacity"] = "TOTAL"
        self._pass, request = make, RecordedCall(call.operation, call.request)
        self.requests.append(request)
        try:
            request.answer = self._replied(request) or make()
        except CallFailed as failed:
            request.answer = dict(failed.response)
            raise
        return request.answer

    def _replied(self, request: RecordedCall) -> JsonObject | None:
        answer = next((answer for reply in self._replies if (answer := reply(request)) is not None), None)
        if answer and "Error" in answer:
            raise CallFailed(answer["Error"]["Code"], answer)
        return answer


@contextmanager
def _losing(lost: dict[str, int]) -> Iterator[None]:
    """Lose so many answers of each operation."""
    real = AwsInMemory.answer

    def answer(memory: AwsInMemory, call: Call) -> JsonObject:
        try:
            return real(memory, call)
        finally:
            if lost.get(call.operation):  # a refusal, too
                lost[call.operation] -= 1
                raise Lost

    with patch.object(AwsInMemory, "answer", answer):
        yield
