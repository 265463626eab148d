"""Names of stacks, constructs, outputs and folders, for those who deploy and for those who look at what is deployed."""

from typing import Final

from andon.project import project

FIRST_STAGE: Final = "dev"  # what is deployed if nobody chooses

# How the outputs of a trigger, and of the bucket with what it gave up on, end; they begin with its service.
TRIGGER: Final = "Trigger"
FAILURES_BUCKET: Final = "FailuresBucket"

# The folder of that bucket in which Lambda puts batches.
# https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
FAILURES: Final = "aws/lambda"


def stack_of(stage: str) -> str:
    """Return the name of a stage's stack: the first stage's is that of the project, others add theirs."""
    return project().name if stage == FIRST_STAGE else f"{project().name}-{stage}"


def pascal(name: str) -> str:
    """Write `state_log` as `StateLog`, `STATE_LOG_TABLE` as `StateLogTable`."""
    return "".join(word.capitalize() for word in name.split("_"))
