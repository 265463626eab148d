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
from aws_cdk.aws_sqs import Queue

from andon.cdk.checks import nag
from andon.project import project
from andon.testing.synthesised import Properties, Synthesised
from tests.support.infra.synthesised import STAGES

DIGEST = re.compile("[0-9A-Fa-f]{8,}")
CFN_LINT = """
import gc, sys
gc.set_threshold(200_000, 20, 100)  # by default a fifth of its CPU time is spent on looking for cycles
from cfnlint.runner import main
sys.exit(main())
"""


def test_a_finding_that_nobody_acknowledged_ends_a_synth() -> None:
    """So it does that of `aws`, `prod` and `varied`, which are audited: no bucket and no queue takes plain HTTP."""
    app = App(context=STAGES | {"bytecode": "none"})
    stack = Stack(app, "Open")
    Bucket(stack, "Bucket")
    Queue(stack, "Queue")
    nag.audit(app)

    with pytest.raises(RuntimeError) as refused:
        app.synth()
    found = {*re.findall(r"AwsSolutions-(\w+)", str(refused.value))}
    assert found >= {"S1", "S10", "SQS3", "SQS4"}


def test_cfn_lint_finds_nothing_in_dev_and_prod(aws: Synthesised, prod: Synthesised, tmp_path: Path) -> None:
    """Of dev it sees what prod does not have in the same words, and all that such refers to; the rest would say it."""
    for name, template in unlike(aws, prod):
        (tmp_path / name).write_text(json.dumps(template))
    names = [*(str(prod.folder / name) for name in prod.templates), *map(str, tmp_path.iterdir())]

    done = subprocess.run(  # noqa: S603  our own templates
        [sys.executable, "-c", CFN_LINT, *names], cwd=project().root, capture_output=True, text=True, check=False
    )

    assert len(names) > len(prod.templates) > 2
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def unlike(made: Synthesised, other: Synthesised) -> Iterator[tuple[str, Properties]]:
    """Yield the templates without resources that the other stage has, too, and to which nothing that is left refers."""
    known = {words(one) for template in other.templates.values() for one in template["Resources"].values()}
    for name, template in made.templates.items():
        said = {one: json.dumps(made) for one, made in template["Resources"].items()}
        said[""] = json.dumps(template.get("Outputs", {}))
        same = [one for one, made in template["Resources"].items() if words(made) in known]
        while leaves := [one for one in same if one in said and not referring(said, one)]:
            said = {one: text for one, text in said.items() if one not in leaves}
        resources = {one: made for one, made in template["Resources"].items() if one in said}
        parameters = {one: what for one, what in template.get("Parameters", {}).items() if referring(said, one)}
        if resources:
            yield name, template | {"Resources": resources, "Parameters": parameters}


def words(resource: Properties) -> str:
    """Return a resource as any stage has it: without digests, and with the names of the first stage."""
    return DIGEST.sub(
        "", json.dumps(resource, sort_keys=True).replace("Andon-prod", "Andon").replace("Andonprod", "Andon")
    )


def referring(said: Mapping[str, str], name: str) -> bool:
    return any(f'"{name}"' in text or f"${{{name}" in text for one, text in said.items() if one != name)
