"""Memory and time of functions, by their role."""

from typing import Final

from andon.project import Size
from andon.rules.sweep import EVERY_SECONDS

SIZES: Final = {
    "command": Size(1024, 10),  # a caller waits for these two
    "query": Size(1024, 10),
    "ingest": Size(512, 30),
    "provision": Size(512, 5),  # AWS IoT waits no longer
    "trigger": Size(512, 60),
    "listener": Size(512, 30),
    "push": Size(512, 30),
    "sweep": Size(1769, EVERY_SECONDS),  # then the next one begins; what memory is chosen by: docs/rules.md
    "sender": Size(512, 20),  # a claim's lease is longer, and its queue's visibility longer than that
    "restore": Size(512, 30),
    "recompute": Size(1024, 900),  # reads all days of a shard
}

# The archive's sweep reads a day of the lake, and holds as much of it as `andon.stores.archive.pages` says. The
# listener of replays sends up to 2,000 messages for each of the ten that it gets, see `andon.stores.replays.job`.
OF_STORES: Final = {
    "stores/archive/sweep": Size(1024, 900),
    "stores/archive/listener": Size(512, 60),
    "stores/replays/listener": Size(512, 120),
}
