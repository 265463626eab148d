"""The requests whose messages are the samples of inventory: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

# <row>
ONE = {"id": "thing-1"}
# </row>


# <row>
def record(world: Recorder) -> None:
    """Somebody asks for one of which something was said."""
    world.hear_all()
    world.request("GET /inventory/{id}", path=ONE)


# </row>
# <counted>
def record_by_place(world: Recorder) -> None:
    """Somebody asks how many there are."""
    world.request("GET /inventory", query={"place": "place-1"})


# </counted>
