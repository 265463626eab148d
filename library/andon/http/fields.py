"""Fields of pydantic bodies, as projects of 0.1 have them; others declare members by `andon.http.said`."""

from typing import Annotated, Final

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http import models
from andon.runtime import texts, times

MAX_TEXT_CHARACTERS: Final = 1000


def _line(text: str) -> str:
    return texts.line(text, longest=MAX_TEXT_CHARACTERS)


def _lines(text: str) -> str:
    return texts.lines(text, longest=MAX_TEXT_CHARACTERS)


Part = Annotated[str, AfterValidator(texts.part), WithJsonSchema(models.PART)]
Id = Annotated[str, AfterValidator(texts.identifier), WithJsonSchema(models.IDENTIFIER)]
Word = Annotated[str, AfterValidator(texts.word), WithJsonSchema(models.WORD)]
Line = Annotated[str, AfterValidator(_line), WithJsonSchema(models.line(MAX_TEXT_CHARACTERS))]
Lines = Annotated[
    str, AfterValidator(_lines), WithJsonSchema(models.lines(MAX_TEXT_CHARACTERS) | models.MAY_NAME_SOMEBODY)
]
Time = Annotated[str, AfterValidator(times.said), WithJsonSchema(models.TIME)]
Number = Annotated[int, Field(ge=1, le=999_999_999, examples=[1])]
