"""The peer that most would write: Powertools' `BatchProcessor` or a loop, and boto3; it writes state_log's rows."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import boto3
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from boto3.dynamodb.types import TypeDeserializer

from andon.testing.lambda_context import LambdaContext
from bench.peers.rounds import Prepare, Work, serve
from bench.workload import Workload, batches

TTL_SECONDS: Final = 33 * 86_400
ENTRIES: Final = 10

dynamodb = boto3.client("dynamodb")
eventbridge = boto3.client("events")
processor = BatchProcessor(event_type=EventType.SQS)
deserializer = TypeDeserializer()


def record_handler(record: SQSRecord) -> None:
    """Write the log of a report, unless something newer was written."""
    event = json.loads(record.body)["detail"]
    state = event["state"]
    dynamodb.update_item(
        TableName=os.environ["STATE_LOG_TABLE"],
        Key={"DeviceID": {"S": state["equipmentId"]}, "State#Date": {"S": f"{state['state']}#{state['timestamp']}"}},
        UpdateExpression="SET #state = :state, #date = :date, #detail = :detail, #ttl = :ttl, #oplock = :oplock",
        ConditionExpression="attribute_not_exists(#oplock) OR #oplock < :oplock",
        ExpressionAttributeNames={
            "#state": "State",
            "#date": "Date",
            "#detail": "Detail",
            "#ttl": "ttl",
            "#oplock": "oplock#reported",
        },
        ExpressionAttributeValues={
            ":state": {"S": state["state"]},
            ":date": {"S": state["timestamp"]},
            ":detail": {"S": state["detail"]},
            ":ttl": {"N": str(event["timestamp"] // 1000 + TTL_SECONDS)},
            ":oplock": {"S": f"{event['timestamp']:013d}#{event['id']}"},
        },
    )


def materialize(event: dict[str, Any], context: Any) -> object:  # noqa: ANN401  Lambda's context
    """Handle a batch of a queue."""
    return process_partial_response(event=event, record_handler=record_handler, processor=processor, context=context)


def publish(event: dict[str, Any]) -> None:
    """Handle a batch of a stream."""
    entries = [_entry(record) for record in event["Records"]]
    for start in range(0, len(entries), ENTRIES):
        eventbridge.put_events(Entries=entries[start : start + ENTRIES])


def _entry(record: dict[str, Any]) -> dict[str, str]:
    row = {name: deserializer.deserialize(value) for name, value in record["dynamodb"]["NewImage"].items()}
    reported = datetime.fromisoformat(row["timestamp"]).astimezone(UTC)
    event = {
        "id": record["eventID"],
        "type": "state-reported",
        "timestamp": int(reported.timestamp() * 1000),
        "partitionKey": row["equipmentId"],
        "state": {name: row[name] for name in ("equipmentId", "state", "timestamp", "detail")},
        "raw": {"new": row, "old": None},
    }
    detail = json.dumps(event, default=int)  # numbers of a row are decimals
    bus = os.environ["BUS_NAME"]
    return {"EventBusName": bus, "Source": "equipment", "DetailType": "state-reported", "Detail": detail}


def _listener(workload: Workload, batch: int) -> Work:
    return partial(_deliver, batches(workload["messages"], batch))


def _deliver(events: Sequence[dict[str, Any]]) -> None:
    for event in events:
        materialize(event, LambdaContext("listener"))


def _trigger(workload: Workload, batch: int) -> Work:
    records = workload["records"]
    return partial(_publish_all, [records[start : start + batch] for start in range(0, len(records), batch)])


def _publish_all(batches_of_records: Sequence[list[dict[str, Any]]]) -> None:
    for records in batches_of_records:
        publish({"Records": records})


WORKS: Final[dict[str, Prepare]] = {"listener": _listener, "trigger": _trigger}

if __name__ == "__main__":
    serve(WORKS)
