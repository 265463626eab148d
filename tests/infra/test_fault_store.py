import pytest

from andon.cdk.names import pascal
from andon.packages.package import Package
from andon.testing.synthesised import Synthesised
from andon.wire.queue import beside, name_of
from tests.support.infra.synthesised import READERS


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_the_queue_of_every_reader_is_known_to_the_command_that_puts_messages_back(
    aws: Synthesised, reader: Package
) -> None:
    environment = aws.functions()["stores/faults/command"]["Environment"]["Variables"]

    queue, own = (aws.resources[aws.output(f"{name}QueueUrl")] for name in (pascal(reader.name), "Fault"))
    assert environment["FAULTS_QUEUE_URL"] == {"Ref": aws.output("FaultQueueUrl")}
    assert queue["Properties"]["QueueName"] == beside(own["Properties"]["QueueName"], name_of(reader.name))
    assert reader.name in environment["READERS"].split(",")
