"""Path parameters of the archive's routes: an actor of a kind."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, described
from andon.project import Actors
from andon.runtime import texts
from andon.stores.archive.store import SUBJECTS


def actor_of(kind: Actors) -> Any:  # noqa: ANN401  a type
    """Return the type of a kind's path parameter."""
    place = Path(alias=kind.parameter, description=kind.described)
    schema = models.TEXT | {"pattern": kind.pattern} if kind.pattern else models.IDENTIFIER | models.IMPERSONAL
    return Annotated[str, AfterValidator(_id_of(kind)), described(schema, kind.example or None), place]


def _id_of(kind: Actors) -> Callable[[str], str]:
    if not kind.pattern:
        return texts.identifier
    pattern = re.compile(kind.pattern, re.ASCII)

    def matching(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(f"must match {kind.pattern}")
        return text

    return matching


if TYPE_CHECKING:
    Subject = str
else:
    Subject = actor_of(SUBJECTS)
