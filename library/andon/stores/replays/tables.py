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
from andon.dynamodb.schema import Keys, TableSchema

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLES: Final = {"REPLAYS_TABLE": TableSchema(KEYS)}
TABLE: Final = Table("REPLAYS_TABLE", KEYS)

KEEPS_DAYS: Final = 90
