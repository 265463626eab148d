"""The wire between our code and AWS: records the requests, and breaks those that a test chooses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace, TracebackType
from typing import Any, Self

from botocore.exceptions import ReadTimeoutError

from andon.wire import aws

SERVICES = ("dynamodb", "events")
ANSWERED = "answered-in-memory"
"""What AWS in memory emits, which sends nothing, where botocore has sent something."""

Parameters = dict[str, Any]


@dataclass(slots=True)
class Request:
    """One call of an AWS operation, and what came back."""

    operation: str
    parameters: Parameters
    answer: dict[str, Any] = field(default_factory=dict)


Reply = Callable[[Request], dict[str, Any] | None]
"""A request -> the answer given in AWS's place; None lets it through."""


class Wire:
    """Hooks on the process's clients, while the context lasts."""

    def __init__(self, services: tuple[str, ...] = SERVICES) -> None:
        self._services = services
        self.requests: list[Request] = []
        self._replies: list[Reply] = []
        self._lost: dict[str, int] = {}
        self._measuring = False
        self._is_passing = False

    def __enter__(self) -> Self:
        for service in self._services:
            events = aws.client(service).meta.events
            events.register("provide-client-params", self._note)
            events.register("before-call", self._reply)
            events.register_last("before-send", self._lose)
            events.register(ANSWERED, self._lose)
            events.register("after-call", self._answered)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for service in self._services:
            events = aws.client(service).meta.events
            events.unregister("provide-client-params", self._note)
            events.unregister("before-call", self._reply)
            events.unregister("before-send", self._lose)
            events.unregister(ANSWERED, self._lose)
            events.unregister("after-call", self._answered)

    @property
    def operations(self) -> list[str]:
        """What was called, in order."""
        return [request.operation for request in self.requests]

    def before(self, operation: str, do: Callable[[], object], *, times: int = 1) -> None:
        """Call `do` just before a request reaches AWS."""
        left = [times]

        def reply(request: Request) -> None:
            if request.operation == operation and left[0]:
                left[0] -= 1
                do()

        self._replies.append(reply)

    def fail(
        self, operation: str, code: str, *, when: Callable[[Parameters], bool] | None = None, times: int = 1_000_000
    ) -> None:
        """Answer requests with an error code; they do not reach AWS."""
        left = [times]

        def reply(request: Request) -> dict[str, Any] | None:
            if request.operation != operation or not left[0] or (when and not when(request.parameters)):
                return None
            left[0] -= 1
            return {"Error": {"Code": code, "Message": f"{code} of table Secret at arn:aws:secret"}}

        self._replies.append(reply)

    def leave_out(self, operation: str, *, times: int) -> None:
        """Let DynamoDB read none of the rows of a batch, and say so."""
        left = [times]

        def reply(request: Request) -> dict[str, Any] | None:
            if request.operation != operation or not left[0]:
                return None
            left[0] -= 1
            return {"Responses": {}, "UnprocessedKeys": request.parameters["RequestItems"]}

        self._replies.append(reply)

    def refuse_entries(self, code_of: Callable[[dict[str, str]], str | None]) -> None:
        """Make PutEvents refuse the entries for which `code_of` returns an error code."""

        def reply(request: Request) -> dict[str, Any] | None:
            if request.operation != "PutEvents":
                return None
            entries = request.parameters["Entries"]
            codes = [code_of(entry) for entry in entries]
            if not any(codes):
                return None
            if taken := [entry for entry, code in zip(entries, codes, strict=True) if not code]:
                self._pass(taken)
            results = [{"ErrorCode": code, "ErrorMessage": "no"} if code else {"EventId": "taken"} for code in codes]
            return {"FailedEntryCount": sum(map(bool, codes)), "Entries": results}

        self._replies.append(reply)

    def _pass(self, entries: list[dict[str, str]]) -> None:
        """Put entries on the bus, past these hooks."""
        self._is_passing = True
        try:
            aws.client("events").put_events(Entries=entries)
        finally:
            self._is_passing = False

    def measure_capacity(self) -> None:
        """Make DynamoDB add to its answers what they cost."""
        self._measuring = True

    def lose_answers(self, operation: str, *, times: int) -> None:
        """Let requests reach AWS, and lose its answers."""
        self._lost[operation] = times

    def _note(self, params: Parameters, model: Any, context: dict[str, Any], **_: object) -> None:  # noqa: ANN401
        if self._measuring and "ReturnConsumedCapacity" in model.input_shape.members:
            params["ReturnConsumedCapacity"] = "TOTAL"
        if not self._is_passing:
            context["request"] = Request(model.name, params)
            self.requests.append(context["request"])

    def _reply(self, context: dict[str, Any], **_: object) -> tuple[SimpleNamespace, dict[str, Any]] | None:
        for reply in () if self._is_passing else self._replies:
            answer = reply(context["request"])
            if answer is not None:
                status = 400 if "Error" in answer else 200
                return SimpleNamespace(status_code=status, headers={}), answer | {"ResponseMetadata": {}}
        return None

    def _lose(self, request: Any, event_name: str, **_: object) -> None:  # noqa: ANN401
        operation = event_name.rpartition(".")[2]
        if self._lost.get(operation):
            self._lost[operation] -= 1
            raise ReadTimeoutError(endpoint_url=request.url)

    def _answered(self, parsed: dict[str, Any], context: dict[str, Any], **_: object) -> None:
        if "request" in context:
            context["request"].answer = parsed
