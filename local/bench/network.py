"""DynamoDB's answers without a network: botocore does all of its work but the sending."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from botocore.awsrequest import AWSResponse

HEADERS: Final = {"content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "A" * 52}

Request = dict[str, Any]
Reply = Callable[[Request], dict[str, Any]]
"""A request's body -> the row in the way of its condition; empty: nothing is, it was written."""

NOTHING: Final = b"{}"


class Network:
    """Stands in for the network of a client, and counts; `nothing_in_the_way` costs no time to find out."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401  boto3 has no types
        self.sent = 0
        self.in_the_way: Reply | None = None
        self.stored: Mapping[str, bytes] = {}  # a partition -> the answer to a query of it
        client.meta.events.register("before-send.dynamodb", self._answer)

    def _answer(self, request: Any, **_: object) -> AWSResponse:  # noqa: ANN401
        self.sent += 1
        if request.headers["X-Amz-Target"].endswith(b".Query"):
            asked = json.loads(request.body)["ExpressionAttributeValues"][":p"]["S"]
            return AWSResponse(request.url, 200, HEADERS, _Raw(self.stored[asked]))
        row = self.in_the_way(json.loads(request.body)) if self.in_the_way else {}
        if not row:
            return AWSResponse(request.url, 200, HEADERS, _Raw(NOTHING))
        refusal = {"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "Item": row}
        return AWSResponse(request.url, 400, HEADERS, _Raw(json.dumps(refusal).encode()))


class _Raw(io.BytesIO):
    """The part of urllib3's answer that botocore reads."""

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()
