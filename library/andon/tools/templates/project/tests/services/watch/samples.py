"""The requests whose messages are the samples of watch: `make samples` writes them to `events/`."""

from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.testing.recorder import Recorder

# <rule>
ONE = {"id": "thing-1"}
FACT = "thing-moved"
# </rule>
# <overdue>
DATE = "2026-01-02T00:00:00.000Z"
# </overdue>
# <inspection>
RECORDED = {"id": "thing-1"}
# </inspection>


# <restless>
def record(world: Recorder) -> None:
    """Three facts within a minute, which a rule finds once all that counts has arrived."""
    # <beside>
    world.keep_only("thing-restless")
    # </beside>
    for _ in range(3):
        world.hear(FACT)
    world.wait(5 * MINUTE_MS)
    # <first>
    world.request("GET /watch/{id}", path=ONE)
    # </first>


# </restless>
# <overdue>
def record_overdue(world: Recorder) -> None:
    """A date is said, and comes."""
    # <beside>
    world.keep_only("thing-overdue")
    # </beside>
    world.hear(FACT, due=DATE)
    world.wait(2 * DAY_MS)
    # <first>
    world.request("GET /watch/{id}", path=ONE)
    # </first>


# </overdue>
# <inspection>
def record_inspection(world: Recorder) -> None:
    """The inspection of one is recorded."""
    world.keep_only("inspection-recorded")
    world.request("PUT /watch/{id}/inspection", path=RECORDED, body={"note": "note-1"})


# </inspection>
