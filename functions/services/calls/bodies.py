"""Bodies and parameters of calls' requests and responses."""

from functools import cache
from typing import Annotated, Final, Literal, NotRequired, TypedDict

from pydantic import AfterValidator

from andon.http import models
from andon.http.derived import NONE, PageOf, Shown, make_model, model_of
from andon.http.parameters import Path, Query, described
from andon.http.response import Problem
from andon.http.said import Line, Lines
from andon.runtime import texts, times
from andon.runtime.marks import Says
from contract.entities.calls import CauseName
from services.calls.call import CallVersion, OpenCallVersion

StartedAt = Annotated[
    str,
    AfterValidator(times.normalised),
    described(models.TIME, "2026-11-21T09:35:00Z"),
    Path(alias="startedAt", description="When the episode began: the `startedAt` of `/episodes`."),
]
LineFilter = Annotated[
    str | None,
    AfterValidator(texts.identifier),
    described(models.IDENTIFIER | models.IMPERSONAL, "line-3"),
    Query(alias="line", description="The `lineId` of the equipment."),
]
OpenFilter = Annotated[
    Literal["true"],
    Query(alias="open", description="By place, only open calls are listed; those that ended stand at the equipment."),
]


class ClosureBody(TypedDict):
    """The cause, by the factory's catalog."""

    cause: NotRequired[CauseName]
    note: NotRequired[Lines]


class RejectionBody(TypedDict):
    """Why nothing is done about it."""

    reason: Annotated[Line, Says("It was a drill.", "possible")]


CALL: Final = Shown(
    CallVersion,
    "CallResponse",
    lacks=frozenset(name for name in CallVersion.__annotations__ if name not in OpenCallVersion.__annotations__),
)
CALLS: Final = PageOf(CALL, "CallsResponse", "A page of calls; a missing cursor is the end.")


@cache
def open_call_problem() -> type[Problem]:
    """Return the model of the refusal that comes with the call that is open."""
    says = "Why it was not raised; `call` is the one of this category that is open, if that is why."
    problem: type[Problem] = make_model(
        "OpenCallProblem", __base__=Problem, __doc__=says, call=(model_of(CALL) | NONE, None)
    )
    return problem
