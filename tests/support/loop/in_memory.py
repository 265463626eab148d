"""The whole loop over AWS in memory."""

from andon.tools.in_process.loop import Loop
from tests.support.aws_in_memory import AwsInMemory


class LoopInMemory(AwsInMemory, Loop):
    """All packages of `functions/`, connected by AWS in memory."""

    def reap(self, now_ms: int) -> None:
        """Remove the rows that have expired, as the TTL service does, which the stream tells of."""
        for table in self.tables.values():
            table.reap(now_ms)
