"""The peer that most would write: Powertools' `BatchProcessor` or a loop, and boto3; it writes state_log's rows."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import boto3
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from boto3.dynamodb.types import TypeDeserializer

from andon.testing.environment import LocalContext
from lab.peers.rounds import Event, Handler, serve
from lab.workload import split

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


def materialize(event: Event) -> object:
    """Handle a batch of a queue."""
    context: Any = LocalContext("listener")
    return process_partial_response(event=event, record_handler=record_handler, processor=processor, context=context)


def publish(event: Event) -> None:
    """Handle a batch of a stream."""
    for entries in split([_entry(record) for record in event["Records"]], ENTRIES):
        eventbridge.put_events(Entries=entries)


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


HANDLERS: Final[Mapping[str, Handler]] = {"listener": materialize, "trigger": publish}

if __name__ == "__main__":
    serve(HANDLERS.__getitem__)
