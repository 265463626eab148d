"""What AWS charges: on demand, us-east-1, Linux on arm64, without the free tier, in dollars a million.

DynamoDB's date from 2024-11-01, when AWS halved them. A price that has changed is changed here only. Not counted are
the time that functions run, storage, logs, the polls of queues in which nothing arrives, traffic out of AWS, and
requests to S3, for on AWS thousands of facts become one object of the lake.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Price:
    """What a million of something costs, and the page that says so."""

    of: str
    dollars: float
    page: str


REGION: Final = "us-east-1"
AS_OF: Final = "2025-01"

API_REQUEST: Final = Price("HTTP API requests", 1.00, "https://aws.amazon.com/api-gateway/pricing/")
INVOCATION: Final = Price("Lambda invocations", 0.20, "https://aws.amazon.com/lambda/pricing/")
WRITE_UNIT: Final = Price("DynamoDB write request units", 0.625, "https://aws.amazon.com/dynamodb/pricing/on-demand/")
READ_UNIT: Final = Price("DynamoDB read request units", 0.125, "https://aws.amazon.com/dynamodb/pricing/on-demand/")
BUS_ENTRY: Final = Price("custom events, of up to 64 KB", 1.00, "https://aws.amazon.com/eventbridge/pricing/")
QUEUE_REQUEST: Final = Price("SQS requests, of up to 64 KB", 0.40, "https://aws.amazon.com/sqs/pricing/")

ALL: Final = (API_REQUEST, INVOCATION, WRITE_UNIT, READ_UNIT, BUS_ENTRY, QUEUE_REQUEST)
