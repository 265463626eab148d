"""Listeners that stand still for the moment of a switch: their queues keep what comes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.views.deployed import Deployed

STOPS_WITHIN_S: Final = 180  # on AWS a mapping takes up to a minute, and a batch that has begun is let end
IN_FLIGHT: Final = "ApproximateNumberOfMessagesNotVisible"


@contextmanager
def holding(stack: Deployed, *views: Package) -> Iterator[None]:
    """Let the listeners of these views go on at the end, whatever happens; `stop` makes them stand still."""
    try:
        yield
    finally:
        for view in views:
            go_on(stack, view)


def stop(stack: Deployed, view: Package) -> None:
    """Make a view's listener stand still; return once no batch is on its way.

    Raises:
        Failed: it does not stop.

    """
    _enable(stack, view, enabled=False)
    if not eventually(lambda: _stands_still(stack, view), within_s=STOPS_WITHIN_S):
        raise ToolFailed(f"the listener of {view.name} does not stop")


def go_on(stack: Deployed, view: Package) -> None:
    """Let a view's listener work again; one that works goes on."""
    _enable(stack, view, enabled=True)


def _stands_still(stack: Deployed, view: Package) -> bool:
    if any(mapping["State"] != "Disabled" for mapping in _mappings(stack, view)):
        return False
    sqs, queue = stack.client("sqs"), stack.queue(view)
    counts = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[IN_FLIGHT])["Attributes"]
    return int(counts.get(IN_FLIGHT, 0)) == 0


def _enable(stack: Deployed, view: Package, *, enabled: bool) -> None:
    for mapping in _mappings(stack, view):
        if (mapping["State"] in {"Enabled", "Enabling"}) != enabled:
            stack.client("lambda").update_event_source_mapping(UUID=mapping["UUID"], Enabled=enabled)


def _mappings(stack: Deployed, view: Package) -> list[JsonObject]:
    sqs, queue = stack.client("sqs"), stack.queue(view)
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    found: list[JsonObject] = stack.client("lambda").list_event_source_mappings(EventSourceArn=arn)[
        "EventSourceMappings"
    ]
    return found
