"""Digests that give a name away: whoever knows all but the names makes what the code digests with each, and compares.

First with the ids: so all digests are made that rows have. Then with the names in their place, in vain.
"""

import hashlib
import json
import unicodedata
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.events import drift, fault
from andon.events.latch import ORIGIN
from andon.packages.package import Package
from andon.rules.rule import BY
from andon.runtime import clock
from andon.testing.drift import look
from andon.testing.proving.prover import Record
from andon.versions.optimistic_lock import VersionedRow, digest_of, fingerprint_of
from contract.log_rows import log_of
from lab.people.company import Accepted, Company, Person
from lab.people.watch import NAMES, Watched, unpacked
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION

BOARD: Final = Package("views", "board")
HASHES: Final = "md5", "sha1", "sha256", "sha512", "blake2b", "blake2s"
SPACES: Final = uuid.NAMESPACE_DNS, uuid.NAMESPACE_OID, uuid.NAMESPACE_URL, uuid.NAMESPACE_X500
IDS: Final = "the id of a fault", "the id of a finding"
STORED: Final = "digest", "fingerprint"
NOT_CONTENT: Final = {*VersionedRow.__annotations__, "pk", "sk", "discriminator", "id", "ttl"}
"""No digest is of these; the more are left out, the fewer choices there are of the others, 2 to the power of them."""


class Guess(NamedTuple):
    """The digest of something with the ids in it, and with names in their place; empty: there are none in it."""

    kind: str
    with_ids: str
    with_names: str


def guess(company: Company, loop: Watched, record: Record) -> None:
    """Look for all digests that can be made of what is known, among those that handlers sent, were sent or logged."""
    drifts = _drifts(loop, company.people[0])
    rows = [(table, row) for table in loop.schemas for row in loop.rows(table) if "digest" in row]
    guesses = [*_of_commands(company.accepted), *_of_rows(rows, company.people), *_of_texts(company, drifts)]
    seen: dict[int, set[str]] = defaultdict(set)
    for one in loop.digests:
        digits = one.decode().replace("-", "")
        seen[len(digits)].add(digits)

    def is_seen(digits: str) -> bool:
        return any(digits[:length] in some for length, some in seen.items())

    secret = ((one.kind, one.with_names) for one in guesses if one.with_names)
    for kind, digits in (*secret, *_of_names(company.people)):
        record.expect(f"{kind} is not made with a name", not is_seen(digits), digits)
    for kind, with_ids, _ in (one for one in guesses if one.kind in IDS):
        record.expect(f"{kind} is the one that is guessed", is_seen(with_ids), with_ids)
    known = {with_ids for _, with_ids, _ in guesses}
    crossed = "fingerprint", True  # of an event's id alone
    made = Counter(row[name] in known for _, row in rows for name in STORED if (name, ORIGIN in row) != crossed)
    record.expect("digests of rows are those that are guessed", not made[False], made)
    record.note(f"{len(loop.digests):,} digests seen; {made[True]:,} of rows, all of which can be made with ids")


def _of_commands(commands: Iterable[Accepted]) -> Iterator[Guess]:
    """Yield the fingerprints of what was asked for; a request about a person has the name in any case."""
    for route, parts, if_match, person, about in commands:

        def made(parts: Any, actor: str) -> str:  # noqa: ANN401  any JSON
            path, body = parts["path"], parts.get("body", {})
            return fingerprint_of(route=route, path=path, if_match=if_match, body=body, actor=actor)  # noqa: B023

        by_id, by_name = _with_names(parts, ()), _with_names(parts, about)
        has_names = by_name != by_id or route.startswith("PUT /people")
        for actor in (person.name, person.id)[: 1 + has_names]:
            yield Guess(f"the fingerprint of {route}", made(by_id, person.id), made(by_name, actor))


def _of_rows(rows: Iterable[tuple[str, Item]], people: Iterable[Person]) -> Iterator[Guess]:
    """Yield the digests of what rows say, and both of decisions of rules."""
    by_id = {one.id.encode(): one for one in people}
    left_out: dict[str, set[frozenset[str]]] = defaultdict(set)
    for table, row in rows:
        kind = f"{table} {row.get('discriminator', '')}"
        content = _content_of(row, left_out[kind])
        about = [by_id[text] for text in unpacked(content) if text in by_id]
        has_names = bool(about) or table == NAMES
        yield Guess(
            f"the digest of {kind}", digest_of(content), digest_of(_with_names(content, about)) if has_names else ""
        )
        for decided in (ASSIGNMENT, ESCALATION):
            if row.get(BY) == "rule" and row["discriminator"] == decided.discriminator:
                log = log_of(row["equipmentId"], row["state"], row["logTimestamp"])
                person = by_id[row[decided.person].encode()]
                both = (
                    decided.decided_row(log, one, at_ms=row["timestamp"])["fingerprint"]
                    for one in (person.id, person.name)
                )
                yield Guess(f"the fingerprint of {kind}", *both)


def _content_of(row: Item, left_out: set[frozenset[str]]) -> Item:
    """Return the attributes whose digest a row has; they are found by trying, and kept by what they leave out."""
    for without in left_out:
        if digest_of(content := {name: row[name] for name in row.keys() - without}) == row["digest"]:
            return content
    names = sorted(row.keys() - NOT_CONTENT)
    for some in chain.from_iterable(combinations(names, count) for count in range(len(names), -1, -1)):
        if digest_of(content := {name: row[name] for name in some}) == row["digest"]:
            left_out.add(frozenset(row.keys() - {*some}))
            return content
    return row


def _of_texts(company: Company, drifts: Iterable[Any]) -> Iterator[Guess]:
    """Yield the ids of faults and of findings."""
    for consumer, message, person in company.poison:
        by_name = message.replace(person.id, person.name)
        yield Guess(IDS[0], fault.id_of(consumer, message), fault.id_of(consumer, by_name))
    for one in drifts:
        id_of = partial(drift.id_of, now_ms=clock.now_ms())
        yield Guess(IDS[1], id_of(one), id_of(_with_names(one, company.people)))


def _of_names(people: Iterable[Person]) -> Iterator[tuple[str, str]]:
    """Yield the digests of names, alone and with their ids."""
    for person in people:
        forms = {unicodedata.normalize(form, person.name) for form in ("NFC", "NFD")}
        for name in forms | {one.casefold() for one in forms}:
            for text in (name, json.dumps(name), *(f"{person.id}{sign}{name}" for sign in ("", " ", "#", ":", "\n"))):
                yield from ((f"{kind} of a name", hashlib.new(kind, text.encode()).hexdigest()) for kind in HASHES)
                yield from (
                    ("a UUID of a name", of(space, text).hex) for of in (uuid.uuid3, uuid.uuid5) for space in SPACES
                )
            contents: Sequence[Any] = (name, [name], {"name": name}, {"id": person.id, "name": name})
            yield from (("the digest of a name", digest_of(content)) for content in contents)


def _drifts(loop: Watched, person: Person) -> list[Any]:
    """Say something else in rows of the board, and let that be found."""
    rows = [row for row in loop.typed_rows("BOARD_TABLE") if "Operator" in row][:3]
    loop.restore("BOARD_TABLE", [{**row, "Operator": {"S": person.id}} for row in rows])
    return look(loop, BOARD)


def _with_names(said: Any, about: Iterable[Person]) -> Any:  # noqa: ANN401  any JSON
    """Return JSON with names in place of ids, in NFC, as handlers take it."""
    text = json.dumps(said, ensure_ascii=False)
    for person in about:
        text = text.replace(f'"{person.id}"', json.dumps(person.name, ensure_ascii=False))
    return json.loads(unicodedata.normalize("NFC", text))
