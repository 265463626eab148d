"""Things that may be provisioned by a claim: a registered machine, the gateway of a factory that has one."""

from collections.abc import Mapping
from typing import Final

from andon.ingress.provisioning import Applicant, Provisioning
from services.equipment.reporting import Reporter, is_registered
from services.equipment.reports import registrations_of
from services.equipment.tables import TABLE
from services.equipment.things import GATEWAY

NAME: Final = "Provisioning"  # sorts behind the times of reports, see `state.py`


def has_registration(applicant: Applicant) -> bool:
    """Return True if a machine is registered, or one at the factory of a gateway, which has to name it."""
    is_gateway = applicant.kind == GATEWAY.name
    machine = applicant.member if is_gateway else applicant.name
    registration = registrations_of([machine])[machine] if machine else None
    if not is_gateway:
        return is_registered(registration)
    reporter = Reporter("", is_for_any=False, equipment_id=None, factory_id=applicant.name)
    return reporter.may_report(machine, registration)


def key_of(applicant: Applicant) -> Mapping[str, str]:
    """Return the key of the row that says for whom a thing is reserved; kinds are told apart."""
    return {"pk": f"Thing#{applicant.kind}#{applicant.name}", "sk": NAME}


PROVISIONING: Final = Provisioning(has_registration, TABLE, key_of)
