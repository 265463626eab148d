"""Fields of HTTP bodies that several packages take. Listeners and triggers do not import this."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from contract import people, schemas

Person = Annotated[str, AfterValidator(people.person_id), WithJsonSchema(schemas.PERSON)]
