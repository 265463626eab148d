"""The requests whose messages are the samples of maintenance: `make samples` writes them to `events/`."""

from hashlib import sha256

from andon.testing.memory import aws
from andon.testing.recorder import Recorder

ORDER = {"id": "press-7", "date": "2026-01-09", "kind": "lubrication"}
PATH = "/equipment/{id}/maintenance/{date}/{kind}"
INSTRUCTIONS = "/equipment/{id}/instructions/{kind}"


PHOTO = b"a photo"
DIGEST = sha256(PHOTO).hexdigest()


def attach(world: Recorder, order: dict[str, str]) -> None:
    """Attach a photo to an order, which is uploaded on the way."""
    path, body = {**order, "sha256": DIGEST}, {"contentType": "image/jpeg", "bytes": len(PHOTO)}
    answer = world.request(f"PUT {PATH}/attachments/{{sha256}}", path=path, body=body)
    told = answer.body["upload"]
    assert aws.request(world, "PUT", told["url"], headers=told["headers"], body=PHOTO) == (200, b"")
    world.request(f"PUT {PATH}/attachments/{{sha256}}", path=path, body=body)


def record(world: Recorder) -> None:
    """A machine is registered; its lubrication is planned, moved, started, measured and finished, and gets a photo."""
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
    attach(world, ORDER)
    world.request(f"GET {PATH}/attachments", path=ORDER)


def record_instructions(world: Recorder) -> None:
    """Say what is to be done, and change it."""
    path = {"id": ORDER["id"], "kind": ORDER["kind"]}
    world.request(f"PUT {INSTRUCTIONS}", path=path, body={"steps": ["Lock the drive.", "Grease both bearings."]})
    changed = {"steps": ["Lock the drive.", "Grease both bearings.", "Wipe off what is too much."]}
    world.request(f"PUT {INSTRUCTIONS}", path=path, body=changed, headers={"if-match": '"1"'})
    world.request(f"GET {INSTRUCTIONS}", path=path)
    world.request(f"GET {INSTRUCTIONS}/versions", path=path)
    world.request(f"GET {INSTRUCTIONS}/versions/{{n}}", path={**path, "n": "1"})
