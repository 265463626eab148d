"""Path parameters of the archive's routes: an actor of a kind."""

from typing import TYPE_CHECKING, Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Path
from pydantic import AfterValidator

from andon.http import schemas
from andon.http.parameters import described
from andon.project import Actors
from andon.runtime import texts
from andon.stores.archive.store import SUBJECTS


def actor_of(kind: Actors) -> Any:  # noqa: ANN401  a type
    """Return the type of a kind's path parameter."""
    place = Path(alias=kind.parameter, description=kind.described)
    return Annotated[str, AfterValidator(texts.identifier), described(schemas.IDENTIFIER, kind.example or None), place]


if TYPE_CHECKING:
    Subject = str
else:
    Subject = actor_of(SUBJECTS)
