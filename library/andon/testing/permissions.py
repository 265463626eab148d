"""The permissions that handlers use: each call of theirs to AWS, as policies name it."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.testing.above_retries import Pass, between
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.memory.hook import Call
from andon.testing.memory.queues import name_in
from andon.testing.recorder import Recorder
from andon.testing.replayable import Invocation
from andon.testing.synthesised import Synthesised
from andon.testing.world import DEPLOYMENT

# Within a transaction each part needs the permission of what it does; the transaction itself has no action.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
PARTS: Final = {
    "ConditionCheck": "ConditionCheckItem",
    "Delete": "DeleteItem",
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
}
# The endings of variables with the name of a resource; a queue is known by its address, see `queue.beside`.
NAMING: Final = ("_TABLE", "_NAME", "_BUCKET", "_ARN")

IOT: Final = "arn:AWS::Partition:iot:AWS::Region:AWS::AccountId"
"""Prefix of the ARNs of IoT's things, as the template writes it."""

_SINGLE: Final = {"DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"}


@dataclass(frozen=True, slots=True)
class UsedPermission:
    """One use of a permission: the variable that names the resource, what follows its ARN, what conditions look at."""

    action: str
    variable: str
    suffix: str = ""
    conditions: tuple[tuple[str, str], ...] = ()

    def resource(self, environment: dict[str, Any]) -> str:
        """Name the resource as policies do; `environment` is the environment of a function in the template."""
        match environment.get(self.variable):
            case {"Ref": name}:
                return f"{name}.Arn{self.suffix}"
            case {"Fn::GetAtt": [name, "Arn"]}:
                return f"{name}.Arn{self.suffix}"
            case _:
                return self.variable


def used_by(invocation: Invocation, *, at_ms: int) -> set[UsedPermission]:
    """Return the permissions that an invocation uses, at a time in epoch milliseconds."""
    handler = invocation.package.handler(invocation.role)
    with frozen_clock(at_ms), recorded() as calls:
        handler(invocation.event, LocalContext(f"{invocation.package.name}-{invocation.role}"))
    return _used(calls)


class Watched(Recorder):
    """A recorder of samples that keeps the permissions that each function uses, upon what was written before.

    used: function, as `services/things/command` -> its permissions.
    """

    def __init__(self, package: Package) -> None:
        super().__init__(package)
        self.used: dict[str, set[UsedPermission]] = {}

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """See `Loop`."""
        with recorded() as calls:
            answer = super().invoke(package, role, event)
        self.used.setdefault(package.path(role), set()).update(_used(calls))
        return answer


def _used(calls: Iterable[Call]) -> set[UsedPermission]:
    variables = {value: name for name, value in os.environ.items() if name.endswith(NAMING)}
    return {replace(used, variable=variables.get(used.variable, used.variable)) for used in _permissions_of(calls)}


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """Record every call."""
    calls: list[Call] = []

    def recording(call: Call, make: Pass) -> dict[str, Any]:
        calls.append(call)
        return make()

    with between(recording):
        yield calls


def _permissions_of(calls: Iterable[Call]) -> Iterator[UsedPermission]:
    for call in calls:
        yield from _permissions(call)


def _permissions(call: Call) -> Iterator[UsedPermission]:
    """Return the permissions of a call; the resource by its name in this process."""
    match call:
        case ("dynamodb", operation, request):
            yield from _permissions_on_tables(operation, request)
        case ("events", "PutEvents", {"Entries": entries}):
            for entry in entries:
                conditions = (("events:detail-type", entry["DetailType"]), ("events:source", entry["Source"]))
                yield UsedPermission("events:PutEvents", entry["EventBusName"], conditions=conditions)
        case ("s3", operation, request):
            yield from _permissions_on_objects(operation, request)
        case ("sqs", "SendMessage" | "SendMessageBatch", {"QueueUrl": queue}):
            yield UsedPermission("sqs:SendMessage", queue)
        case _:
            yield _permission_on_topics(call)


def _permissions_on_objects(operation: str, request: dict[str, Any]) -> Iterator[UsedPermission]:
    match operation, request:
        case ("PutObject" | "GetObject" | "DeleteObject", {"Bucket": bucket, "Key": key}):
            yield UsedPermission(f"s3:{operation}", bucket, f"/{key}")
        case ("HeadObject", {"Bucket": bucket, "Key": key}):
            yield UsedPermission("s3:GetObject", bucket, f"/{key}")
        case ("DeleteObjects", {"Bucket": bucket, "Delete": {"Objects": objects}}):
            yield from (UsedPermission("s3:DeleteObject", bucket, f"/{one['Key']}") for one in objects)
        case ("ListObjectsV2", {"Bucket": bucket}):
            yield UsedPermission("s3:ListBucket", bucket)
        case _:
            raise NotImplementedError(f"say here which permission s3 {operation} takes")


def _permission_on_topics(call: Call) -> UsedPermission:
    match call:
        case ("iot-data", "Publish", {"topic": topic}):
            return UsedPermission("iot:Publish", f"{IOT}:topic/{topic}")
        case ("iot", "DescribeEndpoint", _):
            return UsedPermission("iot:DescribeEndpoint", "*")
        case ("iot", "ListThingPrincipals", {"thingName": thing}):
            return UsedPermission("iot:ListThingPrincipals", f"{IOT}:thing/{thing}")
        case ("sts", "AssumeRole", {"RoleArn": role}):
            return UsedPermission("sts:AssumeRole", role)
        case (service, operation, _):
            raise NotImplementedError(f"say here which permission {service} {operation} takes")


def _permissions_on_tables(operation: str, request: dict[str, Any]) -> Iterator[UsedPermission]:
    match operation, request:
        case ("TransactWriteItems" | "TransactGetItems", {"TransactItems": parts}):
            for part in parts:
                [(kind, asked)] = part.items()
                yield UsedPermission(f"dynamodb:{PARTS[kind]}", asked["TableName"])
        case ("BatchGetItem", {"RequestItems": tables}):
            for table in tables:
                yield UsedPermission(f"dynamodb:{operation}", table)
        case _ if operation in _SINGLE:
            index = f"/index/{request['IndexName']}" if "IndexName" in request else ""
            yield UsedPermission(f"dynamodb:{operation}", request["TableName"], index)
        case _:
            raise NotImplementedError(f"say here which permission dynamodb {operation} takes")


def is_allowed(template: Synthesised, file: str, used: UsedPermission) -> bool:
    """Return True if the role of a function, as `services/things/command`, has this permission."""
    resource = used.resource(named_resources(template, file))
    return any(
        used.action == action and fnmatchcase(resource, pattern) and _permits(condition, used)
        for action, pattern, condition in template.grants(file)
    )


def named_resources(template: Synthesised, file: str) -> dict[str, Any]:
    """Return the resources that a function knows by variable, and all queues by their addresses in memory."""
    made = template.of_type("AWS::SQS::Queue").items()
    names = {queue: name_in(one["QueueName"]) for queue, one in made if "QueueName" in one}
    environment: dict[str, Any] = template.functions()[file]["Environment"]["Variables"]
    return {f"{DEPLOYMENT}-{name}": {"Ref": queue} for queue, name in names.items()} | environment


def _permits(condition: dict[str, dict[str, str]], used: UsedPermission) -> bool:
    entry = dict(used.conditions)
    return all(entry.get(key) == value for key, value in condition.get("ForAllValues:StringEquals", {}).items())
