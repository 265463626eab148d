"""Queues of SQS."""

from collections import defaultdict
from typing import Final, NamedTuple

from andon.runtime.json_types import JsonObject
from andon.testing.memory.hook import Answer, AwsRefused

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
MOST_MESSAGES: Final = 10
MOST_BYTES: Final = 1024 * 1024


class QueuedMessage(NamedTuple):
    """delay_seconds: how long the queue holds it back; None: the message does not say."""

    body: str
    delay_seconds: int | None = None


def name_in(address: str) -> str:
    """Return the name of a queue within its deployment (`things-Queue`), by its address or whole name."""
    return "-".join(address.rsplit("-", 2)[1:])


class MemoryQueues:
    """The messages of each queue, which is made when a message is sent to it; the URL of a queue is its name."""

    def __init__(self) -> None:
        self._messages: dict[str, list[QueuedMessage]] = defaultdict(list)
        self._hidden: dict[str, int] = defaultdict(int)

    def clear(self) -> None:
        """Forget all messages."""
        self._messages.clear()
        self._hidden.clear()

    def take(self, queue: str, *, waited_seconds: int | None = None) -> list[str]:
        """Take the messages of a queue: those that it has not held back any longer; None: all."""
        messages = self._messages.pop(queue, [])
        if waited_seconds is not None:
            self._messages[queue] = [one for one in messages if (one.delay_seconds or 0) > waited_seconds]
            messages = [one for one in messages if (one.delay_seconds or 0) <= waited_seconds]
        return [one.body for one in messages]

    def take_all(self) -> list[tuple[str, QueuedMessage]]:
        """Take the messages of all queues, each with its queue."""
        messages, self._messages = self._messages, defaultdict(list)
        return [(queue, one) for queue, some in messages.items() for one in some]

    def messages(self, queue: str) -> list[QueuedMessage]:
        """Return the messages of a queue, and leave them there."""
        return [*self._messages.get(queue, [])]

    def answer(self, operation: str, request: JsonObject) -> Answer:
        """Answer one request."""
        match operation:
            case "SendMessage":
                self._send(request["QueueUrl"], request)
                return {"MessageId": "sent"}
            case "SendMessageBatch":
                self._require_few(request["Entries"])
                for entry in request["Entries"]:
                    self._send(request["QueueUrl"], entry)
                return {"Successful": [{"Id": entry["Id"], "MessageId": "sent"} for entry in request["Entries"]]}
            case "ReceiveMessage":
                return {"Messages": self._receive(request["QueueUrl"], request["MaxNumberOfMessages"])}
            case "ChangeMessageVisibility":
                self._hidden[request["QueueUrl"]] = 0
                return {}
        raise NotImplementedError(operation)

    def _receive(self, queue: str, most: int) -> list[JsonObject]:
        """Return the next messages, which nobody sees then until one of them is made visible."""
        first = self._hidden[queue]
        found = self._messages.get(queue, [])[first : first + most]
        self._hidden[queue] += len(found)
        return [
            {"MessageId": f"{queue} {number}", "ReceiptHandle": f"{queue} {number}", "Body": one.body}
            for number, one in enumerate(found, first)
        ]

    def _send(self, queue: str, entry: JsonObject) -> None:
        self._messages[queue].append(QueuedMessage(entry["MessageBody"], entry.get("DelaySeconds")))

    def _require_few(self, entries: list[JsonObject]) -> None:
        if len(entries) > MOST_MESSAGES:
            raise AwsRefused("AWS.SimpleQueueService.TooManyEntriesInBatchRequest")
        if sum(len(entry["MessageBody"].encode()) for entry in entries) > MOST_BYTES:
            raise AwsRefused("AWS.SimpleQueueService.BatchRequestTooLong")
