"""Settings of a deployment, as its synthesised template has them: what a world in memory cannot make up itself."""

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self

from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.testing.memory.queues import name_in
from andon.testing.synthesised import Synthesised, synthesised
from andon.tools.stack.made_of import MadeOf

_FILE: Final = "proving.json"
_STREAM: Final = "StreamArn"
_SECONDS_OF: Final = {"minute": 60, "minutes": 60, "hour": 3_600, "hours": 3_600, "day": 86_400, "days": 86_400}


class Queue(NamedTuple):
    """A queue and who reads it, by the handler's file; its name is that within the deployment.

    size: of a batch. at_a_time: batches. delay_s: before a message comes. hidden_s: before one comes again that failed.
    receives: then it is a dead letter.
    """

    file: str
    size: int
    at_a_time: int
    delay_s: int
    hidden_s: int
    receives: int


class DeployedSettings(NamedTuple):
    """Settings of queues by name; of all else by the handler's file.

    streams: records of a batch, and the seconds to wait for them. every_s: period of a schedule. timeout_s: of an
    invocation. variables: those that are the same text wherever they are. secrets: variables that name one.
    """

    queues: Mapping[str, Queue]
    streams: Mapping[str, tuple[int, int]]
    every_s: Mapping[str, int]
    timeout_s: Mapping[str, int]
    variables: Mapping[str, str]
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, template: Synthesised) -> Self:
        """Return the settings of a template."""
        return cls(
            dict(_queues(template)),
            dict(_streams(template)),
            dict(_schedules(template)),
            {file: made["Timeout"] for file, made in template.functions().items()},
            _variables(template),
            tuple(sorted(_secrets(template))),
        )


@cache
def settings() -> DeployedSettings:
    """Return the settings of the project on one machine, as `andon up` deploys it.

    They are kept until something changes that shapes the infrastructure: a synth takes a quarter of a minute of CPU.
    """
    shape, file = dict(MadeOf.now().shape), project().local / _FILE
    try:
        kept = json.loads(file.read_text())
    except (OSError, ValueError):
        kept = {}
    if kept.get("shape") != shape:
        with tempfile.TemporaryDirectory(prefix="andon-prove-") as folder:
            kept = {"shape": shape, "settings": DeployedSettings.of(synthesised(Path(folder)))._asdict()}
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(kept))
    said = kept["settings"]
    queues = {name: Queue(*one) for name, one in said["queues"].items()}
    streams = {name: (size, window_s) for name, (size, window_s) in said["streams"].items()}
    return DeployedSettings(**said | {"queues": queues, "streams": streams, "secrets": tuple(said["secrets"])})


def _queues(template: Synthesised) -> Iterator[tuple[str, Queue]]:
    queues = template.of_type("AWS::SQS::Queue")
    for file, mapping in _mappings(template):
        made = queues.get(mapping["EventSourceArn"]["Fn::GetAtt"][0])
        if made:
            yield (
                name_in(made["QueueName"]),
                Queue(
                    file,
                    mapping["BatchSize"],
                    mapping["ScalingConfig"]["MaximumConcurrency"],
                    made.get("DelaySeconds", 0) + _window_s(mapping),
                    made["VisibilityTimeout"],
                    made["RedrivePolicy"]["maxReceiveCount"],
                ),
            )


def _streams(template: Synthesised) -> Iterator[tuple[str, tuple[int, int]]]:
    for file, mapping in _mappings(template):
        if mapping["EventSourceArn"]["Fn::GetAtt"][1] == _STREAM:
            yield file, (mapping["BatchSize"], _window_s(mapping))


def _mappings(template: Synthesised) -> Iterator[tuple[str, JsonObject]]:
    return ((file, mapping) for file in template.functions() for mapping in template.mappings(file))


def _window_s(mapping: JsonObject) -> int:
    return int(mapping.get("MaximumBatchingWindowInSeconds", 0))


def _schedules(template: Synthesised) -> Iterator[tuple[str, int]]:
    files = {template.id_of_function(file): file for file in template.functions()}
    for rule in template.of_type("AWS::Events::Rule").values():
        number, _, unit = rule.get("ScheduleExpression", "").removeprefix("rate(").removesuffix(")").partition(" ")
        for target in rule["Targets"] if unit in _SECONDS_OF else ():
            if (name := target["Arn"]["Fn::GetAtt"][0]) in files:
                yield files[name], int(number) * _SECONDS_OF[unit]


def _variables(template: Synthesised) -> dict[str, str]:
    values = defaultdict[str, set[str]](set)
    for name, value in _environment(template):
        values[name].add(value if isinstance(value, str) else json.dumps(value))
    return {name: text for name, [text] in _only_one(values) if not text.startswith("{")}


def _only_one(values: Mapping[str, set[str]]) -> Iterator[tuple[str, set[str]]]:
    return ((name, found) for name, found in sorted(values.items()) if len(found) == 1)


def _secrets(template: Synthesised) -> set[str]:
    made = template.of_type("AWS::SecretsManager::Secret")
    return {name for name, value in _environment(template) if isinstance(value, dict) and value.get("Ref") in made}


def _environment(template: Synthesised) -> Iterator[tuple[str, str | JsonObject]]:
    for made in template.functions().values():
        yield from made.get("Environment", {}).get("Variables", {}).items()
