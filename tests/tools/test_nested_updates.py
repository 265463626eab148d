from contextvars import ContextVar
from typing import Any

from andon.tools.stack.patches import apart, remembering

STACKS = {"Andon-Board": {"_resources": {"Queue": {"Attributes": {"Arn": "arn of the queue", "QueueName": "queue"}}}}}


def update(made: str, attributes: dict[str, str]) -> Any:  # noqa: ANN401  whatever the emulator answers
    def answer(*_: object) -> tuple[str, dict[str, str]]:
        return made, attributes

    return remembering(answer, STACKS)("AWS::SQS::Queue", "url", {}, {}, "Andon-Board", "Queue")


def test_a_resource_that_stays_keeps_its_attributes() -> None:
    assert update("url", {}) == ("url", {"Arn": "arn of the queue", "QueueName": "queue"})


def test_a_resource_that_changes_has_its_new_attributes() -> None:
    assert update("url", {"QueueName": "renamed"})[1] == {"Arn": "arn of the queue", "QueueName": "renamed"}


def test_a_resource_that_is_replaced_has_no_attribute_of_the_one_before() -> None:
    assert update("another", {"QueueName": "another"})[1] == {"QueueName": "another"}


def test_a_name_has_no_seed_of_the_resource_before_it() -> None:
    seed, found = ContextVar("seed", default=""), list[str]()

    def create(own: str) -> tuple[str, dict[str, str]]:
        found.append(seed.get())
        seed.set(own)
        return own, {}

    for name in ("a bucket", "a function"):
        apart(create, seed)(name)

    assert found == ["", ""]
