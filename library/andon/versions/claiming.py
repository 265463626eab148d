"""The writes by which a version has its claims in place of those before. Apart: `optimistic_lock` names `claims`."""

from collections.abc import Mapping

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes
from andon.versions.claims import Claim, ClaimsOf
from andon.versions.optimistic_lock import Draft, always


def claiming(draft: Draft, claims_of: ClaimsOf, before: Attributes | None) -> Draft:
    """Return a draft with the writes that put its claims in place of those of the version before, if there is one.

    Raises:
        ValueError: it cannot keep its claims; the text says why.

    """
    old = {} if before is None or before.get("deleted") else claims_of(before)
    new = {} if draft.deleted else claims_of({**draft.content, **draft.attributes})
    _require_kept(draft, new or old)
    kept = {claim.row_key for claim in new.values()}
    writes = {f"{name} before": claim.released() for name, claim in old.items() if claim.row_key not in kept}
    writes |= {name: claim.taken(name) for name, claim in new.items()}
    if clash := sorted(writes.keys() & draft.also.keys()):
        raise ValueError(f"also: {', '.join(clash)} is the name of a claim, too")
    return draft._replace(also={**draft.also, **writes})


def _require_kept(draft: Draft, claims: Mapping[str, Claim]) -> None:
    names = ", ".join(claims)
    if names and draft.needs_if_match is not always:
        raise ValueError(
            f"claims: {names}: who may replace a living row without If-Match names no version whose claims are let go. "
            "Leave out needs_if_match, or what is claimed"
        )
    if names and not draft.deleted and ttl.ATTRIBUTE in draft.attributes:
        raise ValueError(f"claims: {names}: the row expires, and its claims would stay; delete it by a command")
