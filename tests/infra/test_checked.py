"""cdk-nag and cfn-lint find nothing in the stages: `make nag`, of the templates that all tests look at."""

import subprocess
import sys

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_s3 import Bucket

from andon.cdk.checks import nag
from andon.project import project
from andon.testing.synthesised import Synthesised
from tests.support.infra.synthesised import STAGES

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


def test_cfn_lint_finds_nothing_in_dev_and_prod(aws: Synthesised, prod: Synthesised) -> None:
    templates = [str(made.folder / name) for made in (aws, prod) for name in made.templates]

    done = subprocess.run(  # noqa: S603  our own templates
        [sys.executable, "-c", CFN_LINT, *templates], cwd=project().root, capture_output=True, text=True, check=False
    )

    assert len(templates) > 2
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
