"""The routes of a factory's catalog: the PUT; a GET asks where a station stands, see `query`."""

from typing import Final

from andon.http.limits import OfPlace
from andon.http.resource_api import ResourceApi
from contract.groups import CALL_READERS, ROSTER_KEEPERS
from contract.parameters import FactoryId
from services.calls.catalog import CATALOGS

CATALOG: Final = ResourceApi(
    CATALOGS,
    "/factories/{factoryId}/catalog",
    {"factory_id": FactoryId},
    write=ROSTER_KEEPERS,
    read=CALL_READERS,
    noun="a factory's catalog",
    at=OfPlace("factory_id"),
    refuses=(),
    token=False,
    says={
        "put": "Set the categories of a factory's calls, and the causes; a change needs If-Match with the current "
        "version.",
        "response": "A factory's catalog; `changedAt` is fixed-width UTC.",
    },
)
