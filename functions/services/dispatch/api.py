"""The routes of a factory's roster and of its chains."""

from typing import Final

from andon.http.http_api import HttpApi
from andon.http.limits import OfPlace
from andon.http.resource_api import ResourceApi
from andon.runtime.json_types import JsonMapping
from contract import directory
from contract.chains import NO_PERSONS, chains_in
from contract.duty import Roster
from contract.groups import READERS, ROSTER_KEEPERS
from contract.parameters import FactoryId
from services.dispatch.chains import CHAINS
from services.dispatch.roster import ROSTERS
from services.dispatch.tables import TABLE


def _admit_roster(app: HttpApi, said: JsonMapping) -> None:
    directory.require_within(TABLE, app.caller, app.stay, Roster.of(said).people)


def _admit_chains(app: HttpApi, said: JsonMapping) -> None:
    told = {step.tell for chain in chains_in(said) for step in chain.steps}
    directory.require_within(TABLE, app.caller, app.stay, told - NO_PERSONS)


OF_ROSTER: Final = ResourceApi(
    ROSTERS,
    "/factories/{factoryId}/roster",
    {"factory_id": FactoryId},
    write=ROSTER_KEEPERS,
    read=READERS,
    noun="a factory's roster",
    at=OfPlace("factory_id"),
    refuses=(),
    token=False,
    admit=_admit_roster,
    says={
        "put": "Set who works in a factory, and when; a change needs If-Match with the current version.",
        "get": "Return who works in a factory, and when.",
        "response": "A factory's roster; a member that was not set is missing.",
    },
)

OF_CHAINS: Final = ResourceApi(
    CHAINS,
    "/factories/{factoryId}/chains",
    {"factory_id": FactoryId},
    write=ROSTER_KEEPERS,
    read=READERS,
    noun="a factory's chains",
    at=OfPlace("factory_id"),
    refuses=(),
    token=False,
    admit=_admit_chains,
    says={
        "put": "Set whom to ask for help, and when, for what begins from now on; a change needs If-Match.",
        "get": "Return whom to ask for help in a factory, and when.",
        "response": "A factory's chains.",
    },
)
