"""Declarations of replays: settings of the deployment, their bucket, which is the lake's, and their table.

| pk | sk | row |
|---|---|---|
| `Replay#<id>` | `Job` | `ReplayRow`: what was asked for, its state |
| `Replay#together` | `Rates` | the rates of those that run, and how often one was admitted |
| `Replay#<id>` | `Day#<day>` | how many objects the lake had of that day |
| `Replay#<id>` | `Done#<day>T<hour>:<ten minutes>` | an attribute for each object that is done: `_ObjectSent` |

An attribute that is written again is the same: a mark needs no condition. Not a row for each hour: with small objects
an hour could have more of them than a row's 400 KB hold.
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.topic import Topic
from andon.recorded import lake

BUCKET = lake.BUCKET
KEEPS_DAYS: int | None = None  # it is the lake's

SUBSCRIPTIONS: frozenset[Topic] = frozenset()

QUEUE: Final = "REPLAYS_QUEUE_URL"  # the own one, beside which those of the views are
VIEWS: Final = "VIEWS"  # the topics of each, see `andon.events.topic`
SETTLES: Final = "LAKE_SETTLES_SECONDS"  # so far the lake may be behind the bus

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLES: Final = {"REPLAYS_TABLE": TableSchema(KEYS)}
TABLE: Final = Table("REPLAYS_TABLE", KEYS)
JOBS_KEEP_DAYS: Final = 90
