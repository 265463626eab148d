"""Most milliseconds of each step of the way into the other region, as a stage promises."""

from typing import Final

from andon.cdk.replica_time import COPY_MINUTES, STREAM_SECONDS
from andon.cdk.target import AWS

STREAM_MS: Final = STREAM_SECONDS * 1000
LAKE_MS: Final = AWS.lake_settles_seconds * 1000
COPY_MS: Final = COPY_MINUTES * 60_000
RPO_MS: Final = AWS.rpo_seconds * 1000
