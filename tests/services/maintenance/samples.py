"""The requests whose messages are the samples of maintenance: `make samples` writes them to `events/`."""

from andon.testing.recorder import Recorder

ORDER = {"id": "press-7", "date": "2026-01-09", "kind": "lubrication"}
PATH = "/equipment/{id}/maintenance/{date}/{kind}"


def record(world: Recorder) -> None:
    """A machine is registered; its lubrication is planned, moved by two days, started, measured and finished."""
    world.hear("equipment-created")
    world.request(f"PUT {PATH}", path=ORDER, body={"minutes": 45})
    world.request(f"PUT {PATH}", path=ORDER, body={"plannedFor": "2026-01-11"}, headers={"if-match": '"1"'})
    world.request(f"POST {PATH}/start", path=ORDER)
    world.request(f"POST {PATH}/readings", path=ORDER, body={"readings": {"oil-pressure": 3.9}})
    world.request(f"POST {PATH}/finish", path=ORDER, body={"result": "done", "readings": {"oil-pressure": 4.2}})
    world.request("GET /equipment/{id}/maintenance", path={"id": ORDER["id"]})
    world.request(f"GET {PATH}", path=ORDER)
    world.request(f"GET {PATH}/versions", path=ORDER)
    world.request(f"GET {PATH}/readings", path=ORDER)
