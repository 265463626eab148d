"""The project, as the library has to know it."""

from typing import Final

from andon.project import Actors, Groups, People, Project

THINGS: Final = Actors(
    name="things",
    one="thing",
    keeps_days=400,
    cold_after_days=30,
    lists="Return all that happened to one of the things between two times, oldest first.",
    # <partition>
    field="thingId",
    # </partition>
    example="thing-1",
)

PROJECT: Final = Project(
    name="Acorn",
    title="Acorn",
    file=__file__,
    groups=Groups(all=("user", "admin"), admin="admin", reviewers=frozenset({"admin"})),
    subjects=THINGS,
    # <persons>
    people=People(table="GUESTS_TABLE", path="/guests", columns=frozenset({"guest"})),
    # </persons>
    # <view>
    example_view="inventory",
    # </view>
    grouped=True,
)
