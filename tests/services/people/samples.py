"""The requests whose messages are the samples of people: `make samples` writes them to `events/`."""

from typing import Final

from andon.testing.recorder import Recorder
from demo.people import LIZ, PEOPLE

PERSON: Final = {"id": LIZ}


def record(world: Recorder) -> None:
    """A person is written down, and works in a factory from then on."""
    person = PEOPLE[LIZ]
    world.request("PUT /people/{id}", path=PERSON, body={"name": person.name, "factoryId": person.factory_id})
