"""Names of stacks, constructs and outputs."""

from typing import Final

PROJECT: Final = "Andon"
FIRST_STAGE: Final = "dev"  # what is deployed if nobody chooses


def stack_of(stage: str) -> str:
    """Return the name of a stage's stack: the first stage's is that of the project, others add theirs."""
    return PROJECT if stage == FIRST_STAGE else f"{PROJECT}-{stage}"


def pascal(name: str) -> str:
    """Write `state_log` as `StateLog`, `STATE_LOG_TABLE` as `StateLogTable`."""
    return "".join(word.capitalize() for word in name.split("_"))
