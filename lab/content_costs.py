"""Cost of a user's content, uploaded and then referred to by others; counted, without Lambda and the API.

A row has 300 bytes. An upload is a PUT and the requests around it; that DynamoDB removes rows, and S3 objects, is free.
"""

from hashlib import sha256
from typing import Final

from andon.content.contents import Content, Contents
from andon.content.keep import AwaitedUpload, keep
from andon.content.links import to_upload
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.testing.environment import frozen_clock
from andon.testing.memory import presigned
from lab.counted import MILLION, Counted
from lab.prices import LAKE_GB

NOW_MS: Final = 1_790_000_000_000
CONTENTS: Final = Contents(Table("KEPT_TABLE", Keys("pk", "sk", one_partition_per="entity")), "KEPT_BUCKET")
BODY: Final = b"x"
CONTENT: Final = Content(sha256(BODY).hexdigest(), "image/jpeg", len(BODY), "Acme")
TTL_SECONDS: Final = NOW_MS // 1000 + 90 * 86_400
MEGABYTES: Final = 2
MONTHS: Final = 3


def dollars() -> dict[str, float]:
    """Return the dollars of a million, by what is done."""
    with Counted({CONTENTS.table.variable: TableSchema(CONTENTS.table.keys)}, [CONTENTS.variable]) as aws:
        first = _keep(aws, "a")
        another = _keep(aws, "b")
        again = _keep(aws, "b")
    stored = LAKE_GB.dollars * MEGABYTES / 1024 * MONTHS
    return {
        "uploaded and referred to": first * MILLION,
        "referred to by another one": another * MILLION,
        "the same request again": again * MILLION,
        f"{MEGABYTES} MB kept for {MONTHS} months": stored * MILLION,
    }


def _keep(aws: Counted, place: str) -> float:
    """Do what a client does; return what it cost."""
    aws.spent()
    reference = {"pk": place, "sk": CONTENT.sha256, "ttl": TTL_SECONDS, "text": "x" * 180}
    with frozen_clock(NOW_MS):
        answer = keep(CONTENTS, CONTENT, reference, now_ms=NOW_MS)
        if isinstance(answer, AwaitedUpload):
            told = to_upload(CONTENTS, answer.name, CONTENT, now_ms=NOW_MS)
            presigned.request(aws, "PUT", told.url, headers=told.headers, body=BODY)
            keep(CONTENTS, CONTENT, reference, now_ms=NOW_MS)
    return aws.spent()


def report() -> str:
    """Write the figures as the table of docs/maintenance.md."""
    lines = ["| a million photos | dollars |", "|---|---:|"]
    lines += [f"| {what} | ${round(spent, 2):,.2f} |" for what, spent in dollars().items()]
    return "\n".join(lines)
