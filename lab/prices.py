"""AWS's prices: on demand, us-east-1, Linux on arm64, without the free tier; and the lines of bills.

DynamoDB's date from 2024-11-01, when AWS halved them. Each price says the page that it is from, and when that was read.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

REGION: Final = "us-east-1"
AS_OF: Final = "2025-01"
"""The month in which pages were read, unless a price says another one."""

MILLION: Final = 1_000_000
MONTHS: Final = 12


class Price(NamedTuple):
    """A price in dollars for so many, the page that says so, and the year and month in which it was read."""

    of: str
    dollars: float
    page: str
    per: float = 1
    read: str = AS_OF

    def for_(self, count: float) -> float:
        """Return the dollars for a count."""
        return self.dollars * count / self.per

    def is_old(self, now: datetime) -> bool:
        """Return True if it was read over a year ago."""
        year, month = map(int, self.read.split("-"))
        return (now.year - year) * MONTHS + now.month - month > MONTHS


def _million(of: str, dollars: float, page: str) -> Price:
    return Price(of, dollars, page, MILLION)


API_REQUEST: Final = _million("HTTP API requests", 1.00, "https://aws.amazon.com/api-gateway/pricing/")
INVOCATION: Final = _million("Lambda invocations", 0.20, "https://aws.amazon.com/lambda/pricing/")
ON_DEMAND: Final = "https://aws.amazon.com/dynamodb/pricing/on-demand/"
WRITE_UNIT: Final = _million("DynamoDB write request units", 0.625, ON_DEMAND)
READ_UNIT: Final = _million("DynamoDB read request units", 0.125, ON_DEMAND)
BUS_ENTRY: Final = _million("custom events, for each 64 KB", 1.00, "https://aws.amazon.com/eventbridge/pricing/")
QUEUE_REQUEST: Final = _million("SQS requests, for each 64 KB", 0.40, "https://aws.amazon.com/sqs/pricing/")
DATA_EVENT: Final = _million(
    "CloudTrail data events: S3's requests", 1.00, "https://aws.amazon.com/cloudtrail/pricing/"
)

IOT_PAGE: Final = "https://aws.amazon.com/iot-core/pricing/"
IOT_MINUTE: Final = _million("AWS IoT, minutes of connections", 0.08, IOT_PAGE)
IOT_MESSAGE: Final = _million("AWS IoT messages, for each 5 KB; none by Basic Ingest", 1.00, IOT_PAGE)
IOT_OPERATION: Final = _million("AWS IoT operations of the registry, for each 1 KB", 1.25, IOT_PAGE)
IOT_RULE: Final = _million("AWS IoT rules triggered, for each 5 KB", 0.15, IOT_PAGE)
IOT_ACTION: Final = _million("AWS IoT actions of rules, for each 5 KB", 0.15, IOT_PAGE)

GB_SECOND: Final = _million("Lambda, GB-seconds on arm64", 13.3334, INVOCATION.page)
LOGGED_GB: Final = Price("CloudWatch Logs, GB taken in", 0.50, "https://aws.amazon.com/cloudwatch/pricing/")
ARCHIVED_GB: Final = Price("EventBridge archive, GB taken in", 0.10, BUS_ENTRY.page)
TRACE: Final = _million("X-Ray traces recorded", 5.00, "https://aws.amazon.com/xray/pricing/")
S3_PAGE: Final = "https://aws.amazon.com/s3/pricing/"
S3_PUT: Final = _million("S3 PUT and LIST requests", 5.00, S3_PAGE)
S3_GET: Final = _million("S3 GET requests", 0.40, S3_PAGE)

TABLE_GB: Final = Price("DynamoDB, GB a month", 0.25, ON_DEMAND)
BACKUP_GB: Final = Price("DynamoDB point-in-time recovery, GB a month", 0.20, ON_DEMAND)
BETWEEN_REGIONS_GB: Final = Price("S3, GB to another region", 0.02, S3_PAGE)
COPIED_IN_TIME_GB: Final = Price("S3 replication time control, GB", 0.015, S3_PAGE)
LAKE_GB: Final = Price("S3, GB a month", 0.023, S3_PAGE)
ARCHIVE_GB: Final = Price("EventBridge archive, GB a month", 0.023, BUS_ENTRY.page)
LOG_GB: Final = Price("CloudWatch Logs, GB a month as compressed", 0.03, LOGGED_GB.page)
METRIC: Final = Price("CloudWatch metrics a month", 0.30, LOGGED_GB.page)
ALARM: Final = Price("CloudWatch alarms a month", 0.10, LOGGED_GB.page)
DASHBOARD: Final = Price("CloudWatch dashboards a month", 3.00, LOGGED_GB.page)
POOL_PAGE: Final = "https://aws.amazon.com/cognito/pricing/"
POOL_USER: Final = Price("Cognito users active in a month, plan Essentials", 0.015, POOL_PAGE)
POOL_USER_LITE: Final = Price("Cognito users active in a month, plan Lite", 0.0055, POOL_PAGE)
POOL_USER_PLUS: Final = Price("Cognito users active in a month, plan Plus", 0.02, POOL_PAGE)
EGRESS_GB: Final = Price("GB to the internet", 0.09, "https://aws.amazon.com/ec2/pricing/on-demand/")
SCANNED_TB: Final = Price("Athena, TB scanned", 5.00, "https://aws.amazon.com/athena/pricing/")
KEY: Final = Price("KMS keys a month", 1.00, "https://aws.amazon.com/kms/pricing/")
KEY_REQUEST: Final = _million("KMS requests", 3.00, KEY.page)
SECRET: Final = Price("Secrets Manager, secrets a month", 0.40, "https://aws.amazon.com/secrets-manager/pricing/")
SECRET_REQUEST: Final = _million("Secrets Manager requests", 5.00, SECRET.page)
CONFIG_ITEM: Final = Price("AWS Config, items recorded", 0.003, "https://aws.amazon.com/config/pricing/")
MAIL: Final = Price("SES mails", 0.10, "https://aws.amazon.com/ses/pricing/", per=1_000)
SMS: Final = Price("SMS, at most; each country has a price", 0.25, "https://aws.amazon.com/sns/sms-pricing/")
"""What the sender lets one cost (`SMS_MOST_DOLLARS`): no price of AWS's, and above those of most countries."""

# So many users of an account are free in each month, for good, by any plan but Plus. What is free for a year is not
# counted, nor what is free of requests and traffic.
FREE_POOL_USERS: Final = 10_000

# One year's reservation of provisioned capacity, in blocks of 100 units, paid partly in advance.
# https://aws.amazon.com/dynamodb/reserved-capacity/
RESERVED_SAVES: Final = 0.54

PROVISIONED: Final = "https://aws.amazon.com/dynamodb/pricing/provisioned/"
WRITE_HOUR: Final = Price("DynamoDB provisioned write units, for an hour", 0.00065, PROVISIONED)
READ_HOUR: Final = Price("DynamoDB provisioned read units, for an hour", 0.00013, PROVISIONED)

# Once, for what a table is to take at once beyond what it takes already.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
WARM_WRITE: Final = Price("DynamoDB warm throughput, write units, once", 0.00065, ON_DEMAND)
WARM_READ: Final = Price("DynamoDB warm throughput, read units, once", 0.00013, ON_DEMAND)


def as_of(now: datetime) -> str:
    """Return where and when the prices were read, and whether that is over a year ago."""
    is_old = Price("", 0, "").is_old(now)
    return f"{REGION}, prices as of {AS_OF}{', which is over a year ago' if is_old else ''}"


class Basis(StrEnum):
    """Basis of a number: counted of the real handlers or computed from that, read from what is deployed, or not.

    An assumed one is about people, or about AWS where it does not say.
    """

    COUNTED = "counted"
    DEPLOYED = "deployed"
    ASSUMED = "ASSUMED"


class Line(NamedTuple):
    """So many of what a price is for; part: what the bill sums it up as. what: in place of the price's own words."""

    part: str
    price: Price
    amount: float
    basis: Basis = Basis.COUNTED
    what: str = ""

    @property
    def dollars(self) -> float:
        """The dollars of all of them."""
        return self.price.for_(self.amount)

    @property
    def name(self) -> str:
        """The words for it."""
        return self.what or self.price.of

    def times(self, factor: float) -> "Line":
        """Return the line of so many times as much."""
        return self._replace(amount=self.amount * factor)


def total(lines: Iterable[Line]) -> float:
    """Return the dollars of some lines."""
    return sum(line.dollars for line in lines)
