"""Names of stacks, constructs, outputs and folders, for the constructs and for the tools."""

from typing import Final

from andon.project import project

FIRST_STAGE: Final = "dev"  # what is deployed if nobody chooses

# Endings of outputs, which begin with the service: its trigger, and the bucket with the batches that it gave up on.
TRIGGER: Final = "Trigger"
FAILURES_BUCKET: Final = "FailuresBucket"

DEAD_LETTERS: Final = "DeadLetterQueueUrl"

# Outputs for who erases a person: the role to assume, and the buckets to sweep, with commas.
ERASER_ROLE: Final = "EraserRoleArn"
SWEPT_BUCKETS: Final = "SweptBuckets"

# The flag that names what takes the messages to hosts of others on one machine, the address of mail from there, and the
# host of browsers that the tools play there.
SINK: Final = "sink"
SENDER_HERE: Final = "andon@example.com"
PUSH_HOST_HERE: Final = "push.example.com"

# The folder of that bucket in which Lambda puts batches.
# https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
FAILURES: Final = "aws/lambda"


def stack_of(stage: str) -> str:
    """Return the name of a stage's stack: the first stage's is that of the project, others add theirs."""
    return project().name if stage == FIRST_STAGE else f"{project().name}-{stage}"


def pascal(name: str) -> str:
    """Write `state_log` as `StateLog`, `STATE_LOG_TABLE` as `StateLogTable`."""
    return "".join(word.capitalize() for word in name.split("_"))
