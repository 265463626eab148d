"""AWS's quotas and latencies: every assumption of the model, with its source.

`MEASURED`: on this project, see docs/benchmarks.md. `ASSUMED`: nobody says; the value is on the safe side.
"""

from typing import Final, Self

from andon.cdk.throttles import ACCOUNT_PER_SECOND, Quotas
from lab.prices import REGION

MEASURED: Final = "measured on this project"
ASSUMED: Final = "assumed"
DYNAMODB: Final = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
LAMBDA: Final = "https://docs.aws.amazon.com/lambda/latest/dg/"
SQS: Final = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/"
LOGS: Final = "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/"
THROTTLES: Final = "library/andon/cdk/throttles.py"
POSTNL: Final = (
    "https://medium.com/postnl-engineering/improved-eventbridge-latency-opens-up-new-use-cases-at-postnl-910fdf6b5dde"
)


class Limit(float):
    """A number that says where it is from. quota: its name where it can be raised, None where it cannot."""

    source: str
    quota: str | None

    def __new__(cls, value: float, source: str, quota: str | None = None) -> Self:
        """Return the number."""
        limit = super().__new__(cls, value)
        limit.source, limit.quota = source, quota
        return limit


# Of partitions and tables.
PARTITION_WRITES: Final = Limit(1_000, f"{DYNAMODB}bp-partition-key-design.html")
PARTITION_READS: Final = Limit(3_000, f"{DYNAMODB}bp-partition-key-design.html")
PARTITION_GB: Final = Limit(10, f"{DYNAMODB}HowItWorks.Partitions.html")
ON_DEMAND: Final = f"{DYNAMODB}on-demand-capacity-mode.html"
NEW_TABLE_WRITES: Final = Limit(4_000, ON_DEMAND, "DynamoDB warm throughput of the table")
TABLE_WRITES: Final = Limit(40_000, ON_DEMAND, "DynamoDB table-level write throughput")
PROVISIONED: Final = "DynamoDB account-level write throughput (provisioned)"
ACCOUNT_WRITES: Final = Limit(80_000, f"{DYNAMODB}ServiceQuotas.html", PROVISIONED)

# Of the API and of the bus.
API_RATE: Final = Limit(ACCOUNT_PER_SECOND, THROTTLES, "API Gateway throttle rate of the account")
_BUS: Final = Quotas.of(REGION)
BUS_ENTRIES: Final = Limit(_BUS.put_events, THROTTLES, "EventBridge PutEvents throttle limit")
BUS_DELIVERIES: Final = Limit(_BUS.invocations, THROTTLES, "EventBridge invocations throttle limit")

# Of AWS IoT, in the larger regions.
IOT: Final = "https://docs.aws.amazon.com/general/latest/gr/iot-core.html"
IOT_CONNECTIONS: Final = Limit(500_000, IOT, "AWS IoT maximum concurrent client connections")
IOT_CONNECTS: Final = Limit(500, IOT, "AWS IoT connect requests per second")
IOT_PUBLISHES: Final = Limit(20_000, IOT, "AWS IoT inbound publish requests per second")
IOT_RULES: Final = Limit(20_000, IOT, "AWS IoT rule evaluations per second")

# Of a message, after which AWS IoT counts another one.
IOT_MESSAGE_BYTES: Final = Limit(5 * 1024, "https://aws.amazon.com/iot-core/pricing/")

# Of Lambda.
CONCURRENCY: Final = Limit(1_000, f"{LAMBDA}gettingstarted-limits.html", "Lambda concurrent executions")
MB_PER_CPU: Final = Limit(1_769, f"{LAMBDA}configuration-memory.html")
STREAM_POLLS_PER_S: Final = Limit(4, f"{LAMBDA}with-ddb.html")
# With a maximum concurrency Lambda begins with five pollers of a queue, and does not go down to two.
QUEUE_POLLERS: Final = Limit(5, f"{LAMBDA}services-sqs-scaling.html")
RECEIVED_AT_ONCE: Final = Limit(10, f"{SQS}API_ReceiveMessage.html")
BILLED_BYTES: Final = Limit(64 * 1024, "https://aws.amazon.com/sqs/pricing/")
LONGEST_POLL_S: Final = Limit(20, f"{SQS}API_ReceiveMessage.html")
PAYLOAD_BYTES: Final = Limit(6_000_000, f"{LAMBDA}gettingstarted-limits.html")

# Of what functions read seldom: DynamoDB keeps a table's key for each caller, and the sender a secret.
KEY_KEPT_S: Final = Limit(300, f"{DYNAMODB}encryption.usagenotes.html; one request for each caller and table: assumed")
SECRET_KEPT_S: Final = Limit(300, "library/andon/outbound/channels.py")

# How long things take, in milliseconds: the median, and what one in a hundred takes.
DYNAMODB_MS: Final = (
    Limit(4, "single-digit milliseconds: https://aws.amazon.com/dynamodb/features/"),
    Limit(20, ASSUMED),
)
PUT_EVENTS_MS: Final = (Limit(15, ASSUMED), Limit(60, ASSUMED))
BROKER_MS: Final = (Limit(50, ASSUMED), Limit(500, ASSUMED))  # from a publish until the rule has it in its queue
BUS_MS: Final = (Limit(60, ASSUMED), Limit(1_000, f"{POSTNL} measures a tenth of it"))
QUEUE_MS: Final = (Limit(20, ASSUMED), Limit(100, ASSUMED))
STREAM_MS: Final = (Limit(100, ASSUMED), Limit(400, ASSUMED))  # from the write until a shard shows it
INDEX_MS: Final = (Limit(20, ASSUMED), Limit(200, ASSUMED))  # from the row to the index, which is read
COLD_MS: Final = (Limit(700, ASSUMED), Limit(1_500, ASSUMED))  # 0.5 s of CPU at init: docs/benchmarks.md, imports
SCHEDULE_LATE_MS: Final = (Limit(300, ASSUMED), Limit(3_000, ASSUMED))  # of a rule that runs each minute
INSTANCE_LIVES_S: Final = Limit(2 * 3_600, ASSUMED)

# Our own CPU, in milliseconds of one processor of the machine that docs/benchmarks.md was measured on.
CPU_PER_RECORD_MS: Final = Limit(0.04, MEASURED)
CPU_PER_REQUEST_MS: Final = Limit(0.085, MEASURED)
CPU_PER_EVALUATION_MS: Final = Limit(0.187, MEASURED)
CPU_PER_REQUEST_SWEPT_MS: Final = Limit(0.073, MEASURED)  # 0.564 for a row that is due, with 5.16 requests
CPU_PER_INVOCATION_MS: Final = Limit(0.2, MEASURED)
CPU_OF_HTTP_MS: Final = Limit(0.4, MEASURED)
CPU_OF_LAKE_MS: Final = Limit(0.058, MEASURED)  # of an event, by the lake's listener
CPU_OF_ARCHIVE_MS: Final = Limit(0.0441, MEASURED)  # of an event, each time that the sweep reads it
QUERY_MS: Final = Limit(100, ASSUMED)  # that a read of a screen takes
LOOK_S: Final = Limit(10, ASSUMED)  # that a look for drift takes
LAMBDA_SLOWER: Final = Limit(2, ASSUMED)  # Graviton2 and TLS, beside that processor without TLS
REQUESTS_AT_ONCE: Final = Limit(32, "andon/wire/in_turns.py")

# What a function and the API log beside our own lines, in bytes.
LOG_EVENT_BYTES: Final = Limit(26, f"{LOGS}API_PutLogEvents.html")
ACCESS_LOG_BYTES: Final = Limit(280, "library/andon/cdk/api.py: LOGGED, with values")
RESPONSE_HEAD_BYTES: Final = Limit(300, ASSUMED)  # of a response, and of TLS around it
# `platform.start` and `platform.report`, which the level WARN of system logs leaves out; see andon/cdk/function.py.
PLATFORM_LOG_BYTES: Final = Limit(0, f"{LAMBDA}monitoring-cloudwatchlogs-log-level.html")
COMPRESSED_LOG: Final = Limit(0.2, ASSUMED)
# Lambda samples a request a second of each function, and one in twenty of the others; no sampling rule changes that.
TRACED: Final = Limit(0.05, f"{LAMBDA}services-xray.html")
TRACED_PER_S: Final = Limit(1, TRACED.source)
