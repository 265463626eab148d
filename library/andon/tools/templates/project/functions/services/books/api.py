"""The routes of books."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, described
from andon.http.resource_api import ResourceApi
from andon.project import project
from andon.runtime import texts
from services.books.resources import BOOKS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

ShelfId = Annotated[
    str,
    AfterValidator(texts.part),
    described(models.PART | models.IMPERSONAL, "shelf-1"),
    Path(alias="shelfId", description="Chosen by the client."),
]
BookId = Annotated[
    str,
    AfterValidator(texts.part),
    described(models.PART | models.IMPERSONAL, "book-1"),
    Path(alias="id", description="Chosen by the client."),
]

API: Final = ResourceApi(
    BOOKS,
    "/books/{shelfId}/{id}",
    {"shelf_id": ShelfId, "book_id": BookId},
    write=ANYBODY,
    read=ANYBODY,
    noun="one of the books",
)
