"""cdk-nag and cfn-lint find nothing in the stages: `make nag`, of the templates that all tests look at."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_s3 import Bucket

from andon.cdk.checks import nag
from andon.project import project
from andon.testing.synthesised import Properties, Synthesised
from tests.support.infra.synthesised import STAGES

DIGEST = re.compile("[0-9A-Fa-f]{8,}")
NAME = re.compile(r'"(\w+)"')
WORDS = re.compile(r'"(?:AlarmDescription|AlarmName|Description)": "[^"]*"')
CFN_LINT = """
import gc, sys
gc.set_threshold(200_000, 20, 100)  # by default a fifth of its CPU time is spent on looking for cycles
from cfnlint.runner import main
sys.exit(main())
"""


def test_a_finding_that_nobody_acknowledged_ends_a_synth() -> None:
    """So it does that of `aws` and of `prod`, which are audited."""
    app = App(context=STAGES | {"bytecode": "none"})
    Bucket(Stack(app, "Open"), "Bucket")
    nag.audit(app)

    with pytest.raises(RuntimeError, match="AwsSolutions-S1"):
        app.synth()


def test_cfn_lint_finds_nothing_in_dev_and_prod(aws: Synthesised, prod: Synthesised, tmp_path: Path) -> None:
    """It sees one of those that are made alike, and all that such refer to; the rest would say it again."""
    seen, names = set[str](), list[Path]()
    for stage, made in {"prod": prod, "dev": aws}.items():
        for name, template in unlike(made, seen):
            names.append(tmp_path / f"{stage} {name}")
            names[-1].write_text(json.dumps(template))

    done = subprocess.run(  # noqa: S603  our own templates
        [sys.executable, "-c", CFN_LINT, *map(str, names)],
        cwd=project().root,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(names) > len(prod.templates) > 2
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def unlike(made: Synthesised, seen: set[str]) -> Iterator[tuple[str, Properties]]:
    """Yield the templates without resources like one that was seen, and to which nothing that is left refers."""
    for name, template in made.templates.items():
        types = {one: part["Type"] for one, part in template["Resources"].items()}
        said = {one: json.dumps(part) for one, part in template["Resources"].items()}
        alike = []
        for one in sorted(said, key=lambda one: -len(said[one])):  # the longest words are the likeliest to be too long
            shape = shape_of(template["Resources"][one], types)
            alike += [one] if shape in seen else []
            seen.add(shape)
        said[""] = json.dumps(template.get("Outputs", {}))
        while leaves := [one for one in alike if one in said and not referring(said, one)]:
            said = {one: text for one, text in said.items() if one not in leaves}
        resources = {one: part for one, part in template["Resources"].items() if one in said}
        parameters = {one: what for one, what in template.get("Parameters", {}).items() if referring(said, one)}
        if resources:
            yield name, template | {"Resources": resources, "Parameters": parameters}


def shape_of(resource: Properties, types: Mapping[str, str]) -> str:
    """Return a resource as any package and stage has it: types for references, no words, digests or paths."""
    said = WORDS.sub("", json.dumps({**resource, "Metadata": {}}, sort_keys=True))
    said = NAME.sub(lambda found: types.get(found[1], found[1]), said)
    return DIGEST.sub("", said).replace("Andon-prod", "Andon").replace("Andonprod", "Andon")


def referring(said: Mapping[str, str], name: str) -> bool:
    return any(f'"{name}"' in text or f"${{{name}" in text for one, text in said.items() if one != name)
