"""The table of replays: jobs, and their progress.

| pk | sk | row |
|---|---|---|
| `Replay#<id>` | `Job` | `ReplayRow`: what was asked for, its state |
| `Replay#together` | `Rates` | the rates of those that run, and how often one was admitted |
| `Replay#<id>` | `Day#<day>` | how many objects the lake had of that day |
| `Replay#<id>` | `Done#<day>T<hour>:<ten minutes>` | an attribute for each object that is done: `ObjectSent` |

An attribute that is written again is the same: a mark needs no condition. Not a row for each hour: with small objects
an hour could have more of them than a row's 400 KB hold.
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import BeginsWith, KeyQuery
from andon.dynamodb.schema import Keys, TableSchema

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLES: Final = {"REPLAYS_TABLE": TableSchema(KEYS)}
TABLE: Final = Table("REPLAYS_TABLE", KEYS)

KEEPS_DAYS: Final = 90

JOB: Final = "Job"
TOGETHER: Final = KEYS.of("Replay#together", "Rates")
DAY: Final = "Day#"
DONE: Final = "Done#"


def partition_of(job_id: str) -> str:
    """Return the partition of a job."""
    return f"Replay#{job_id}"


def all_of(job_id: str, prefix: str | None = None) -> KeyQuery:
    """Return the query of a job's rows, or of those whose sort key begins with `prefix`."""
    sort = None if prefix is None else BeginsWith(prefix)
    return KeyQuery(keys=KEYS, partition=partition_of(job_id), sort=sort, forward=True)
