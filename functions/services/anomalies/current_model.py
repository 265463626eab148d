"""The model that decisions are made by: one object for each version, and a pointer to the current one."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from andon.runtime.log import logger, with_metrics
from andon.runtime.tried import Failed, tried
from andon.wire.aws import name_of
from andon.wire.bucket import Bucket
from andon.wire.deadline import begun_by
from services.anomalies.model import Model, UnreadableModel

FOLDER: Final = "models"
CURRENT: Final = f"{FOLDER}/current.json"

# A process looks for another model so often.
EVERY_MS: Final = 60_000

# No attempt to read begins later than this after the first: what is due must not wait for a model.
PATIENCE_MS: Final = 5_000


def key_of(version: str) -> str:
    """Return the key of a version's object."""
    return f"{FOLDER}/{version}.json"


class CurrentModel:
    """The current model, kept by the process: a version never changes, so only another one is read.

    model: None if there is none, or none could be read yet; then nothing is known, and nothing is decided.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self.model: Model | None = None
        self.asked_ms: int | None = None

    def refresh_each_minute(self, *, now_ms: int) -> None:
        """Refresh, unless this process did within the last minute; `asked_ms` says when."""
        if self.asked_ms is None or not 0 <= now_ms - self.asked_ms < EVERY_MS:
            self.asked_ms = now_ms
            self.refresh(now_ms=now_ms)

    def refresh(self, *, now_ms: int) -> None:
        """Read the pointer, and the model if it names another one.

        If that fails, the model stays the last that could be read; it is counted, logged, and tried again next time.
        """
        with begun_by(now_ms + PATIENCE_MS):
            read = tried(self._read)  # a file of others': it may be anything
        if not isinstance(read, Failed):
            self.model = read
            return
        counts = {"model_unreadable": 1}
        said = {**counts, "errors": [name_of(read.error)], "version": self.model and self.model.version}
        extra = with_metrics(said, counts, dimension="service", now_ms=now_ms)
        logger().warning("model unreadable", extra=extra)

    def _read(self) -> Model | None:
        found = self._bucket.find(CURRENT)
        if found is None:
            return None  # nothing was trained yet
        pointer = json.loads(found.body)
        if not isinstance(pointer, dict) or not isinstance(version := pointer.get("version"), str):
            raise UnreadableModel("the pointer names no version")
        if self.model is not None and self.model.version == version:
            return self.model
        with _uncollected():
            model = Model.of(self._bucket.require(key_of(version)))
        if model.version != version:
            raise UnreadableModel("the object has another version than its key")
        return model


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage meanwhile: to look for it among a million new values takes as long as to read them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
