"""The bucket of models: two functions read it."""

import pytest

from andon.testing.synthesised import Synthesised

READERS = ("services/anomalies/trigger", "services/anomalies/sweep")


@pytest.mark.parametrize("file", READERS)
def test_who_reads_models_knows_the_bucket_and_has_the_memory_for_a_model(aws: Synthesised, file: str) -> None:
    function = aws.functions()[file]
    environment = function["Environment"]["Variables"]

    assert function["MemorySize"] >= 1024
    assert environment["MODELS_BUCKET"] == {"Ref": aws.output("ModelsBucket")}
