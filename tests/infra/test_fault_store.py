from itertools import product

import pytest

from andon.cdk.names import pascal
from andon.packages.discovery import ingesting
from andon.packages.package import Package
from andon.testing.synthesised import Synthesised
from andon.wire.queue import INGEST, WORK, beside, name_of
from tests.support.infra.synthesised import READERS

OUTPUTS = {WORK: "QueueUrl", INGEST: "IngestQueueUrl"}


@pytest.mark.parametrize(
    ("reader", "purpose"),
    [*product(READERS, [WORK]), *product(ingesting(), [INGEST])],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_queue_of_every_reader_is_known_to_the_command_that_puts_messages_back(
    aws: Synthesised, reader: Package, purpose: str
) -> None:
    environment = aws.functions()["stores/faults/command"]["Environment"]["Variables"]

    outputs = (f"{pascal(reader.name)}{OUTPUTS[purpose]}", "FaultQueueUrl")
    queue, own = (aws.resources[aws.output(output)] for output in outputs)
    assert environment["FAULTS_QUEUE_URL"] == {"Ref": aws.output("FaultQueueUrl")}
    assert queue["Properties"]["QueueName"] == beside(own["Properties"]["QueueName"], name_of(reader.name, purpose))
    assert name_of(reader.name, purpose) in environment["QUEUES"].split(",")
