"""AWS's prices: on demand, us-east-1, Linux on arm64, without the free tier.

Requests, units, entries and data events are in dollars a million, the others in dollars of one. DynamoDB's date from
2024-11-01, when AWS halved them. Traffic out of AWS is not counted: a response has some 200 bytes.
"""

from datetime import datetime
from typing import Final, NamedTuple


class Price(NamedTuple):
    """A price in dollars, and the page that says so."""

    of: str
    dollars: float
    page: str


REGION: Final = "us-east-1"
AS_OF: Final = "2025-01"


def as_of(now: datetime) -> str:
    """Return where and when the prices were read, and whether that is over a year ago."""
    year, month = map(int, AS_OF.split("-"))
    is_old = (now.year - year) * 12 + now.month - month > 12  # noqa: PLR2004  months
    return f"{REGION}, prices as of {AS_OF}{', which is over a year ago' if is_old else ''}"


API_REQUEST: Final = Price("HTTP API requests", 1.00, "https://aws.amazon.com/api-gateway/pricing/")
INVOCATION: Final = Price("Lambda invocations", 0.20, "https://aws.amazon.com/lambda/pricing/")
WRITE_UNIT: Final = Price("DynamoDB write request units", 0.625, "https://aws.amazon.com/dynamodb/pricing/on-demand/")
READ_UNIT: Final = Price("DynamoDB read request units", 0.125, "https://aws.amazon.com/dynamodb/pricing/on-demand/")
BUS_ENTRY: Final = Price("custom events, of up to 64 KB", 1.00, "https://aws.amazon.com/eventbridge/pricing/")
QUEUE_REQUEST: Final = Price("SQS requests, of up to 64 KB", 0.40, "https://aws.amazon.com/sqs/pricing/")
DATA_EVENT: Final = Price("CloudTrail data events: S3's requests", 1.00, "https://aws.amazon.com/cloudtrail/pricing/")

IOT_MINUTE: Final = Price("AWS IoT, minutes of connections", 0.08, "https://aws.amazon.com/iot-core/pricing/")
IOT_MESSAGE: Final = Price("AWS IoT messages, for each 5 KB; none by Basic Ingest", 1.00, IOT_MINUTE.page)
IOT_RULE: Final = Price("AWS IoT rules triggered, for each 5 KB", 0.15, IOT_MINUTE.page)
IOT_OPERATION: Final = Price("AWS IoT operations of the registry, for each 1 KB", 1.25, IOT_MINUTE.page)
IOT_ACTION: Final = Price("AWS IoT actions of rules, for each 5 KB", 0.15, IOT_MINUTE.page)

GB_SECOND: Final = Price("Lambda, GB-seconds on arm64", 0.0000133334, INVOCATION.page)
LOGGED_GB: Final = Price("CloudWatch Logs, GB taken in", 0.50, "https://aws.amazon.com/cloudwatch/pricing/")
ARCHIVED_GB: Final = Price("EventBridge archive, GB taken in", 0.10, BUS_ENTRY.page)
TRACE: Final = Price("X-Ray traces recorded", 0.000005, "https://aws.amazon.com/xray/pricing/")
S3_PUT: Final = Price("S3 PUT requests", 0.000005, "https://aws.amazon.com/s3/pricing/")
S3_GET: Final = Price("S3 GET requests", 0.0000004, S3_PUT.page)

TABLE_GB: Final = Price("DynamoDB, GB a month", 0.25, WRITE_UNIT.page)
BACKUP_GB: Final = Price("DynamoDB point-in-time recovery, GB a month", 0.20, WRITE_UNIT.page)
BETWEEN_REGIONS_GB: Final = Price("S3, GB to another region", 0.02, S3_PUT.page)
COPIED_IN_TIME_GB: Final = Price("S3 replication time control, GB", 0.015, S3_PUT.page)
LAKE_GB: Final = Price("S3, GB a month", 0.023, S3_PUT.page)
ARCHIVE_GB: Final = Price("EventBridge archive, GB a month", 0.023, BUS_ENTRY.page)
METRIC: Final = Price("CloudWatch metrics a month", 0.30, LOGGED_GB.page)
ALARM: Final = Price("CloudWatch alarms a month", 0.10, LOGGED_GB.page)
DASHBOARD: Final = Price("CloudWatch dashboards a month", 3.00, LOGGED_GB.page)
POOL_USER: Final = Price(
    "Cognito users active in a month, plan Essentials", 0.015, "https://aws.amazon.com/cognito/pricing/"
)
POOL_USER_LITE: Final = Price("Cognito users active in a month, plan Lite", 0.0055, POOL_USER.page)

# So many users of an account are free in each month, for good. What is free for a year is not counted.
FREE_POOL_USERS: Final = 10_000

# One year's reservation of provisioned capacity, in blocks of 100 units, paid partly in advance.
# https://aws.amazon.com/dynamodb/reserved-capacity/
RESERVED_SAVES: Final = 0.54

HOUR_S: Final = 3_600
PROVISIONED_WRITE: Final = Price(
    "DynamoDB, a million provisioned writes, all used",
    0.00065 / HOUR_S * 1e6,
    "https://aws.amazon.com/dynamodb/pricing/provisioned/",
)
PROVISIONED_READ: Final = Price(
    "DynamoDB, a million provisioned reads, all used", 0.00013 / HOUR_S * 1e6, PROVISIONED_WRITE.page
)
