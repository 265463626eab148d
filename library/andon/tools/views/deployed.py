"""A deployed stack's tables, queues, listeners, lake and API, for the tools for versions."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from andon.cdk.names import pascal
from andon.dynamodb.attribute_values import Item, to_plain
from andon.packages.package import Package
from andon.tools.called import as_called
from andon.tools.lake import lake_copy
from andon.tools.lake.lake_copy import LakeBucket
from andon.tools.listings import rows_of
from andon.tools.stack import aws, outputs
from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import outputs_of
from andon.tools.stack.stack import Stack

COUNTS: Final = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)
ADMIN: Final = "admin"
TOKEN: Final = "TOKEN"  # noqa: S105  the variable with an admin's token for a stack on AWS


@dataclass(frozen=True, slots=True)
class Deployed:
    """A stack; name: None is the one on this machine.

    settles_s: within so many seconds an event reaches all queues, and a queue counts it.
    """

    name: str | None
    outputs: Mapping[str, str]
    client: Callable[[str], Any]
    settles_s: float

    @property
    def lake(self) -> LakeBucket:
        """Its lake."""
        return lake_copy.of_deployed_stack(self.name) if self.name else lake_copy.of_running_stack()

    @property
    def api(self) -> ApiClient:
        """The API as an admin sees it.

        Raises:
            Failed: it is on AWS, and nobody gave a token.

        """
        if not self.name:
            return Stack(dict(self.outputs)).api(ADMIN)
        if TOKEN not in os.environ:
            raise ToolFailed(f"an admin's token for {self.name} has to be in the environment, as {TOKEN}")
        return ApiClient(self.outputs["ApiUrl"], os.environ[TOKEN])

    def table(self, package: Package, variable: str | None = None) -> str:
        """Return the name of a package's table; variable: of which, if it has several.

        Raises:
            Failed: it is not deployed.

        """
        if variable is None:
            [variable] = package.tables
        return self.output(pascal(variable), package)

    def queue(self, view: Package) -> str:
        """Return the address of a view's queue.

        Raises:
            Failed: it is not deployed.

        """
        return self.output(f"{pascal(view.name)}QueueUrl", view)

    def rows(self, package: Package, variable: str | None = None) -> Iterator[Item]:
        """Read all rows of a package's table, consistently; variable: of which, if it has several."""
        return map(to_plain, rows_of(self.client("dynamodb"), self.table(package, variable)))

    def is_idle(self, *views: Package) -> bool:
        """Return True if the queues of these views are empty, and no listener has a batch."""
        sqs = self.client("sqs")
        counted = (
            sqs.get_queue_attributes(QueueUrl=self.queue(view), AttributeNames=list(COUNTS))["Attributes"]
            for view in views
        )
        return not any(int(counts.get(name, 0)) for counts in counted for name in COUNTS)

    def output(self, name: str, package: Package) -> str:
        """Return an output of the stack that a package has.

        Raises:
            Failed: it is not deployed.

        """
        if name not in self.outputs:
            how = as_called("deploy" if self.name else "up")
            raise ToolFailed(f"{package.name} is not deployed yet; {how}")
        return self.outputs[name]


def here(found: Mapping[str, str]) -> Deployed:
    """Return a stack on this machine, by its outputs."""
    return Deployed(None, found, cache(lambda service: aws.client(service, found["Endpoint"])), settles_s=4)


def deployed(name: str | None) -> Deployed:
    """Return the stack of a name on AWS, or without a name the one on this machine.

    Raises:
        Failed: there is none.

    """
    if not name:
        return here(outputs.of_running_stack())
    try:
        shown = outputs.Outputs(outputs_of(boto3.client("cloudformation"), name))
    except (BotoCoreError, ClientError) as error:
        raise ToolFailed(f"the stack {name} on AWS could not be read: {error}") from error
    # A queue's counts are right after a minute without traffic.
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
    return Deployed(name, shown, boto3.client, settles_s=60)
