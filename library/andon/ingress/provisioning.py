"""An applicant with a claim -> allowed to become a thing or not: AWS IoT's pre-provisioning hook.

It is called before AWS makes a thing of a certificate that it has signed, and has five seconds. Whatever it raises
refuses, too, and who asks tries again: https://docs.aws.amazon.com/iot/latest/developerguide/pre-provisioning-hook.html

A thing that has a certificate gets no other one by a claim, be that one active or not: else a stolen claim could take
its place, and a stolen thing whose certificate was ended could come back. A person replaces it. And a certificate is
for one thing: whoever has one of many machines' claim would be several of them by one key.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.expressions import Condition
from andon.ingress.fleet import MEMBER, NAME
from andon.ingress.names import ROOT, Kind, rule_of, thing_of
from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger, with_metrics
from andon.runtime.texts import identifier
from andon.wire import aws
from andon.wire.deadline import in_time

ROLE: Final = "provision"

CERTIFICATE: Final = ""
"""In place of a kind: what is reserved is a certificate, by its id, for one thing."""

_TOKEN_DAYS: Final = 1
"""So long a certificate is kept with its thing; AWS forgets after an hour that somebody may use it by the claim."""

RESERVED_MS: Final = 60_000
"""So long a thing is reserved for who may become it; AWS makes it within seconds, and then its certificate says so."""

_NO_SUCH_THING: Final = "ResourceNotFoundException"
PROVISIONED, REFUSED = "provisioned", "refused"


class Applicant(NamedTuple):
    """A client that asks to become a thing.

    name: the thing's, within the deployment. member: see `fleet.MEMBER`. certificate, claim: the ids of the
    certificate that would be the thing's, and of the one by which it is asked.
    """

    kind: str
    name: str
    thing: str
    member: str
    certificate: str
    claim: str


class Provisioning(NamedTuple):
    """The things of a service that are provisioned by a claim.

    is_registered: reads what the service knows of the thing. key_of: the key of a row in `table`, by kind and name,
    which says for whom a thing is reserved, or of the kind `CERTIFICATE` for which thing a certificate is.
    """

    is_registered: Callable[[Applicant], bool]
    table: Table
    key_of: Callable[[Applicant], Mapping[str, str]]


class Refusal(StrEnum):
    """The reason why somebody may not become a thing."""

    NO_THING = "no thing"  # there is no such kind, or AWS IoT takes no such name
    UNREGISTERED = "unregistered"
    TAKEN = "taken"  # it has another certificate
    RESERVED = "reserved"  # somebody else is about to become it
    USED = "used"  # the certificate is another thing's


@in_time
def provision(
    event: JsonMapping, context: LambdaContext, *, service: str, kinds: Iterable[Kind], provisioning: Provisioning
) -> JsonObject:
    """Return AWS's answer to an applicant: `allowProvisioning`."""
    now_ms = clock.now_ms()
    applicant = _applicant_of(event, kinds=kinds, root=os.environ[ROOT])
    refusal = _refusal_of(applicant, provisioning, now_ms=now_ms) if applicant else Refusal.NO_THING
    line = {
        "function_request_id": context.aws_request_id,
        **(applicant._asdict() if applicant else {}),
        "claim": event.get("claimCertificateId"),
        "why": refusal,
        PROVISIONED: int(refusal is None),
        REFUSED: int(refusal is not None),
        "pipeline": f"{service}.{ROLE}",
    }
    metrics = with_metrics(line, [REFUSED], dimension="service", now_ms=now_ms)
    logger().info(REFUSED if refusal else PROVISIONED, extra=metrics)
    return {"allowProvisioning": refusal is None}


def _applicant_of(event: JsonMapping, *, kinds: Iterable[Kind], root: str) -> Applicant | None:
    """Read AWS's event; None: the template is of no kind, or no thing has that name."""
    template = event["templateArn"].rpartition("/")[2]
    parameters = event["parameters"]
    name, member = parameters.get(NAME), parameters.get(MEMBER, "")
    kind = next((kind.name for kind in kinds if rule_of(root, kind) == template), None)
    if kind is None or not isinstance(name, str) or not isinstance(member, str):
        return None
    try:
        thing, member = thing_of(root, name), identifier(member) if member else ""
    except ValueError:
        return None
    return Applicant(kind, name, thing, member, event["certificateId"], event.get("claimCertificateId", ""))


def _refusal_of(applicant: Applicant, provisioning: Provisioning, *, now_ms: int) -> Refusal | None:
    """Return why somebody may not become a thing; None: they may, it is reserved for them, and nothing else is."""
    if not provisioning.is_registered(applicant):
        return Refusal.UNREGISTERED
    if _has_another_certificate(applicant):
        return Refusal.TAKEN
    if not _reserve_certificate(applicant, provisioning, now_ms):
        return Refusal.USED
    return None if _reserve(applicant, provisioning, now_ms) else Refusal.RESERVED


def _has_another_certificate(applicant: Applicant) -> bool:
    """Return True if a certificate is attached to the thing that is not the applicant's."""
    try:
        found = aws.call("iot", "list_thing_principals", thingName=applicant.thing)
    except CallFailed as error:
        if error.code == _NO_SUCH_THING:
            return False
        raise
    others = [one for one in found["principals"] if one.rpartition("/")[2] != applicant.certificate]
    return bool(others or found.get("nextToken"))


def _reserve_certificate(applicant: Applicant, provisioning: Provisioning, now_ms: int) -> bool:
    """Write down which thing a certificate is for; return False if it is for another one."""
    own = Condition("attribute_not_exists(#thing) OR #thing = :thing", {"thing": "thing"}, {"thing": applicant.thing})
    key = provisioning.key_of(applicant._replace(kind=CERTIFICATE, name=applicant.certificate))
    return _is_put(provisioning, {**key, "thing": applicant.thing, ttl.ATTRIBUTE: ttl.ttl_at(now_ms, _TOKEN_DAYS)}, own)


def _reserve(applicant: Applicant, provisioning: Provisioning, now_ms: int) -> bool:
    """Write down the applicant that is about to become a thing; return False if another one is.

    Of two who ask at the same time neither has a certificate at the thing yet.
    """
    whose = {"certificate": applicant.certificate, "claim": applicant.claim}
    is_free = Condition(
        "attribute_not_exists(#at) OR #at < :before OR #certificate = :own",
        {"at": "at", "certificate": "certificate"},
        {"before": now_ms - RESERVED_MS, "own": applicant.certificate},
    )
    return _is_put(provisioning, {**provisioning.key_of(applicant), **whose, "at": now_ms}, is_free)


def _is_put(provisioning: Provisioning, row: Attributes, condition: Condition) -> bool:
    try:
        provisioning.table.put(row, condition=condition)
    except ConditionFailed:
        return False
    return True
