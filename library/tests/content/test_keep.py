"""Contents: each photo once, whoever uploads it; what refers to one finds it, and what nothing refers to goes."""

import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final

import pytest

from andon.content import links
from andon.content.changes import publish_and_release
from andon.content.contents import FOLDER, GRANTED_SECONDS, OBJECT, OUTLIVES_SECONDS, URL_SECONDS, Content, Contents
from andon.content.keep import AwaitedUpload, Kept, keep
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item, to_plain
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.fact import Facts
from andon.runtime.errors import CallFailed, Conflict
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, intruding
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.memory import aws
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.tables import Record
from toys.clock import NOW

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLE: Final = Table("PHOTOS_TABLE", KEYS)
CONTENTS: Final = Contents(TABLE, "PHOTOS_BUCKET")
OWNER: Final = "Acme"
FACTS: Final = Facts(source="photos", types=frozenset(), of={})
CALLED: Final = ("dynamodb", "s3")

HOUR: Final = 3600
DAY: Final = 24 * HOUR
BEGIN: Final = NOW // 1000


class Album(AwsInMemory):
    """A table and a bucket with photos in albums, at a time of its own (epoch seconds)."""

    def __init__(self) -> None:
        super().__init__({TABLE.variable: TableSchema(KEYS, stream=True)}, [CONTENTS.variable])
        self.now, self.late = BEGIN, list[Record]()

    @property
    def objects(self) -> dict[str, bytes]:
        """What is in the bucket."""
        return self.store[CONTENTS.variable].bodies

    def keep(
        self, photo: bytes, album: str, *, lives: int = 30 * DAY, size: int | None = None, owner: str = OWNER
    ) -> Kept | AwaitedUpload:
        """Have a photo in an album for so many seconds."""
        reference = {"pk": album, "sk": sha256(photo).hexdigest(), "ttl": self.now + lives, "discriminator": "photo"}
        content = content_of(photo, size=size)._replace(owner=owner)
        return keep(CONTENTS, content, reference, now_ms=self.now * 1000)

    def upload(self, photo: bytes, awaited: AwaitedUpload, *, body: bytes | None = None) -> int:
        """Upload a photo, or something else in its place; return the status."""
        with frozen_clock(self.now * 1000):
            told = links.to_upload(CONTENTS, awaited.name, content_of(photo), now_ms=self.now * 1000)
            sent = photo if body is None else body
            return aws.request(self, "PUT", told.url, headers=told.headers, body=sent)[0]

    def attach(self, photo: bytes, album: str, *, lives: int = 30 * DAY) -> Kept | AwaitedUpload:
        """Do all that a client does: ask, upload if it is told to, ask again."""
        answer = self.keep(photo, album, lives=lives)
        if isinstance(answer, AwaitedUpload):
            assert self.upload(photo, answer) == 200
            answer = self.keep(photo, album, lives=lives)
        return answer

    def expire(self) -> None:
        """Remove what has expired, and call the trigger, also with what it could not do before."""
        self.tables[TABLE.variable].reap(self.now * 1000)
        self.late += self.tables[TABLE.variable].new_records()
        if self.late:
            publish_and_release({"Records": self.late}, LocalContext("trigger"), facts=FACTS, contents=CONTENTS)
            self.late = []

    def references(self) -> list[Item]:
        """The references that readers see."""
        rows = [row for row in map(to_plain, self.tables[TABLE.variable].rows()) if row["discriminator"] == "photo"]
        return [row for row in rows if ttl.is_alive(row, self.now * 1000)]

    def lost(self) -> list[Item]:
        """The references whose object is not there, or is another one."""
        return [row for row in self.references() if digest_of(self.objects.get(row[OBJECT], b"")) != row["sha256"]]

    def unused(self) -> set[str]:
        """The objects that nothing refers to."""
        return self.objects.keys() - {row[OBJECT] for row in self.references()}


def digest_of(body: bytes) -> str:
    return sha256(body).hexdigest()


def content_of(photo: bytes, *, size: int | None = None) -> Content:
    return Content(digest_of(photo), "image/jpeg", len(photo) if size is None else size, OWNER)


@pytest.fixture
def album() -> Iterator[Album]:
    with Album() as album:
        yield album


@pytest.mark.parametrize("left", [None, b"", b"do"], ids=["missing", "empty", "something else"])
def test_a_photo_whose_object_is_lost_or_broken_is_uploaded_again(album: Album, left: bytes | None) -> None:
    kept = album.attach(b"cat", "mine")
    assert isinstance(kept, Kept)
    name = kept.row[OBJECT]
    del album.objects[name]
    if left is not None:
        album.objects[name] = left
        album.store[CONTENTS.variable].checksums.pop(name, None)

    again = album.attach(b"cat", "mine")

    assert again == Kept(kept.row, created=False)
    assert album.lost() == []


def test_a_photo_is_uploaded_once_however_many_albums_have_it(album: Album) -> None:
    first, second, again = album.attach(b"cat", "mine"), album.keep(b"cat", "yours"), album.keep(b"cat", "mine")

    assert [(type(one), getattr(one, "created", None)) for one in (first, second, again)] == [
        (Kept, True),
        (Kept, True),
        (Kept, False),
    ]
    assert [*album.objects.values()] == [b"cat"]
    assert len(album.references()) == 2
    assert album.lost() == []


def test_other_bytes_are_refused_and_not_kept(album: Album) -> None:
    awaited = album.keep(b"cat", "mine")
    assert isinstance(awaited, AwaitedUpload)

    assert album.upload(b"cat", awaited, body=b"dog") == 400
    assert album.upload(b"cat", awaited, body=b"cats") == 403, "its length is signed"
    assert album.objects == {}
    assert isinstance(album.keep(b"cat", "mine"), AwaitedUpload)
    assert album.references() == []


def test_an_upload_begins_in_time_and_to_its_own_name_only(album: Album) -> None:
    awaited = album.keep(b"cat", "mine")
    assert isinstance(awaited, AwaitedUpload)
    told = links.to_upload(CONTENTS, awaited.name, content_of(b"cat"), now_ms=album.now * 1000)

    for seconds, url, headers, status in (
        (URL_SECONDS + 1, told.url, told.headers, 403),
        (0, told.url.replace(FOLDER, "other"), told.headers, 403),
        (0, told.url, {**told.headers, "content-type": "text/html"}, 403),
        (0, told.url, {"content-type": "image/jpeg"}, 403),
        (0, told.url, {links.CHECKSUM: told.headers[links.CHECKSUM]}, 403),
        (URL_SECONDS, told.url, told.headers, 200),
    ):
        with frozen_clock((album.now + seconds) * 1000):
            assert aws.request(album, "PUT", url, headers=headers, body=b"cat")[0] == status


def test_another_size_or_type_than_it_has_is_refused(album: Album) -> None:
    album.attach(b"cat", "mine")

    for place in ("mine", "yours"):
        with pytest.raises(Conflict):
            album.keep(b"cat", place, size=4)
    assert album.lost() == []
    assert len(album.references()) == 1


def test_an_object_that_s3_has_no_digest_of_is_none(album: Album) -> None:
    """Somebody wrote it past our addresses; a client's upload takes its place."""
    awaited = album.keep(b"cat", "mine")
    assert isinstance(awaited, AwaitedUpload)
    album.objects[awaited.name] = b"dog"

    assert album.keep(b"cat", "mine") == awaited
    assert album.upload(b"cat", awaited) == 200
    assert isinstance(album.keep(b"cat", "mine"), Kept)
    assert album.lost() == []


def test_a_reference_that_came_back_without_its_object_finds_one_again(album: Album) -> None:
    """As when a region was lost: rows come back from facts, and the bucket does not."""
    album.attach(b"cat", "mine")
    TABLE.delete(CONTENTS.key_of(content_of(b"cat")))
    album.objects.clear()
    album.now += HOUR

    assert album.lost() != []
    assert isinstance(album.attach(b"cat", "mine"), Kept)
    assert album.lost() == []
    assert len(album.references()) == 1


def test_of_two_owners_each_has_its_own_and_learns_nothing_of_the_others(album: Album) -> None:
    album.attach(b"cat", "mine")

    probed, asked = (album.keep(b"cat", "theirs", owner="Beta", size=size) for size in (99, None))
    assert isinstance(asked, AwaitedUpload)
    assert probed == asked
    assert asked.name not in album.objects
    assert album.upload(b"cat", asked) == 200
    assert isinstance(album.keep(b"cat", "theirs", owner="Beta", lives=DAY), Kept)
    assert sorted(album.objects.values()) == [b"cat", b"cat"]
    album.now += 3 * DAY
    album.expire()
    assert (len(album.objects), album.lost()) == (1, [])


def test_what_was_kept_before_there_were_owners_is_read_as_ever_and_goes_with_what_refers_to_it(album: Album) -> None:
    digest = digest_of(b"cat")
    name = f"{FOLDER}/{digest}/{album.now}"
    stands = {"discriminator": "content", OBJECT: name, ttl.EXPIRE: True, "ttl": album.now + 2 * DAY}
    TABLE.put({"pk": f"Content#{digest}", "sk": "content", **stands}, condition=TABLE.absent)
    said = {"sha256": digest, "contentType": "image/jpeg", "bytes": 3, OBJECT: name}
    mine = {"pk": "mine", "sk": digest, "ttl": album.now + DAY, "discriminator": "photo"}
    TABLE.put(mine | said, condition=TABLE.absent)
    album.objects[name] = b"cat"

    assert (album.references(), album.lost()) == ([mine | said], [])
    assert isinstance(album.attach(b"cat", "mine", lives=9 * DAY), Kept)
    album.now += 3 * DAY
    album.expire()
    assert name not in album.objects
    assert (len(album.references()), album.lost()) == (1, [])


def test_a_record_that_nobody_can_read_is_a_fault_and_its_neighbours_are_done(album: Album) -> None:
    album.attach(b"cat", "mine", lives=1)
    album.now += 2 * DAY
    album.tables[TABLE.variable].reap(album.now * 1000)
    records = album.tables[TABLE.variable].new_records()
    unreadable = {**records[0], "dynamodb": {"NewImage": "?"}}

    publish_and_release({"Records": [unreadable, *records]}, LocalContext("trigger"), facts=FACTS, contents=CONTENTS)

    assert [entry["DetailType"] for entry in album.bus] == ["fault"]
    assert album.objects == {}


def test_a_reference_without_an_end_is_refused(album: Album) -> None:
    with pytest.raises(ValueError, match="ttl"):
        keep(CONTENTS, content_of(b"cat"), {"pk": "mine", "sk": "cat"}, now_ms=album.now * 1000)


def test_it_is_read_at_an_address_as_the_type_that_the_reference_says(album: Album) -> None:
    kept = album.attach(b"cat", "mine")
    assert isinstance(kept, Kept)
    url = links.to_read(CONTENTS, kept.row[OBJECT], "image/jpeg", now_ms=album.now * 1000)

    with frozen_clock(album.now * 1000):
        assert aws.request(album, "GET", url) == (200, b"cat")
        assert aws.request(album, "PUT", url, body=b"dog")[0] == 403
        assert aws.request(album, "GET", url.replace("jpeg", "html"))[0] == 403
    with frozen_clock((album.now + links.READ_SECONDS + 1) * 1000):
        assert aws.request(album, "GET", url)[0] == 403


def test_it_goes_when_the_last_that_refers_to_it_has_gone_and_what_is_never_referred_to_goes_within_a_day(
    album: Album,
) -> None:
    album.attach(b"cat", "mine", lives=10 * DAY)
    album.attach(b"cat", "yours", lives=20 * DAY)
    album.attach(b"cat", "theirs", lives=5 * DAY)
    awaited = album.keep(b"dog", "mine")
    assert isinstance(awaited, AwaitedUpload)
    album.upload(b"dog", awaited)

    kept = {}
    for day in range(23):
        album.expire()
        assert album.lost() == []
        kept[day] = sorted(album.objects.values())
        album.now += DAY

    assert kept[0] == [b"cat", b"dog"]
    assert kept[1] == kept[20] == [b"cat"]
    assert kept[22] == []
    assert [*album.tables[TABLE.variable].rows()] == []


def test_who_asks_again_has_as_long_again(album: Album) -> None:
    for hours in (0, 5):
        album.now = BEGIN + hours * HOUR
        awaited = album.keep(b"cat", "mine")
    assert isinstance(awaited, AwaitedUpload)
    album.upload(b"cat", awaited)
    album.now += 2 * HOUR
    album.expire()

    assert [*album.objects] == [awaited.name]
    assert isinstance(album.keep(b"cat", "mine"), Kept)


@pytest.mark.parametrize("asked", [False, True], ids=["", "and somebody asks for it anew"])
@pytest.mark.parametrize("gone", ["never referred to", "of one that expires now"])
def test_whoever_expires_it_while_it_is_referred_to_nothing_is_lost(album: Album, gone: str, *, asked: bool) -> None:
    """Between any two calls the row expires, and the object is deleted; the reference finds one, or asks for it."""
    answers = []
    for number in range(1, 9):
        album.clear()
        if gone == "never referred to":
            awaited = album.keep(b"cat", "mine")
            assert isinstance(awaited, AwaitedUpload)
            album.upload(b"cat", awaited)
        else:
            album.attach(b"cat", "mine", lives=1)
        album.now += GRANTED_SECONDS + OUTLIVES_SECONDS + 1
        with intruding(number, lambda: _expire_and_ask(album) if asked else album.expire()) as calls:
            answer = album.keep(b"cat", "yours")
        album.expire()

        assert album.lost() == []
        assert (isinstance(answer, Kept), len(album.references())) in {(True, 1), (False, 0)}
        answers.append((type(answer).__name__, len(calls)))
    assert {name for name, _ in answers} == {"Kept", "AwaitedUpload"}


def test_who_meet_at_any_call_have_one_object_and_a_reference_each(album: Album) -> None:
    for number in range(1, 9):
        album.clear()
        with intruding(number, lambda: album.attach(b"cat", "yours", lives=40 * DAY)):
            album.attach(b"cat", "mine")
            album.attach(b"cat", "mine")

        assert [*album.objects.values()] == [b"cat"]
        assert len(album.references()) == 2
        album.now += 31 * DAY
        album.expire()
        assert [row["pk"] for row in album.references()] == ["yours"]
        assert album.lost() == []
        album.now = BEGIN


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_killed_at_each_call_and_done_again_it_is_there_once(album: Album, interruption: Interruption) -> None:
    def run(breaking: Breaking) -> list[bytes]:
        album.clear()
        album.now = BEGIN
        breaking.insist(lambda: album.attach(b"cat", "mine"))
        assert (len(album.references()), album.lost()) == (1, [])
        kept = [*album.objects.values()]
        album.now += 40 * DAY
        breaking.insist(album.expire)
        assert (album.references(), album.objects) == ([], {})
        return kept

    broken = 0
    for breaking, kept in broken_at_every_call(interruption, run, services=CALLED):
        assert kept == [b"cat"], str(breaking)
        broken += 1
    assert broken >= 8


def test_of_a_thousand_uploads_with_doubles_wrong_ones_and_kills_all_that_is_referred_to_is_there(
    album: Album,
) -> None:
    """650 photos, 300 of them twice, and 50 others with a wrong digest; a day of each album that a client has."""
    by_chance = random.Random(28)  # noqa: S311  no secret
    photos = [f"photo {number}".encode() for number in range(650)]
    asked = [*photos, *by_chance.sample(photos, 300), *[b""] * 50]
    by_chance.shuffle(asked)
    answered, put_at = list[tuple[str, str]](), dict[str, int]()

    for number, photo in enumerate(asked):
        do = _wrong(album, number) if photo == b"" else _attaching(album, photo, f"album {number}")
        is_killed, comes_again = by_chance.random() < 0.4, by_chance.random() < 0.7
        breaking = Breaking(by_chance.choice(INTERRUPTIONS), is_killed * by_chance.randint(1, 9), services=CALLED)
        done = _or_none(lambda: breaking.interrupt(do))  # noqa: B023  called at once
        if done is None and comes_again:
            done = do()
        if isinstance(done, Kept) and photo:
            answered.append((done.row["pk"], done.row["sha256"]))
        album.now += by_chance.choice((1, 60, 20 * 60, 2 * HOUR))
        for name in album.objects:
            put_at.setdefault(name, album.now)
        if by_chance.random() < 0.1:
            cleaning = Breaking(by_chance.choice(INTERRUPTIONS), by_chance.randint(0, 3), services=CALLED)
            _or_none(lambda: cleaning.interrupt(album.expire))  # noqa: B023  called at once
        if number % 40 == 0:
            assert album.lost() == []

    album.expire()
    seen = {(row["pk"], row["sha256"]) for row in album.references()}
    assert album.lost() == []
    assert {one for one in answered if one in seen} == {*answered}, "what was answered is there"
    assert [name for name in album.unused() if put_at[name] < album.now - DAY] == []
    assert len({digest_of(body) for body in album.objects.values()}) == len(album.objects), "each photo is one object"
    assert all(digest_of(body) == name.split("/")[2] for name, body in album.objects.items())
    assert len(answered) > 800
    assert sum(1 for row in album.references() if row["sha256"] == digest_of(b"")) == 0
    album.now += DAY
    album.expire()
    assert album.unused() == set()


def _expire_and_ask(album: Album) -> None:
    album.expire()
    album.keep(b"cat", "theirs")


def _attaching(album: Album, photo: bytes, place: str) -> Callable[[], Kept | AwaitedUpload]:
    return lambda: album.attach(photo, place, lives=90 * DAY)


def _wrong(album: Album, number: int) -> Callable[[], Kept | AwaitedUpload]:
    """Upload something that has not the digest that is claimed."""
    claimed = f"claimed {number}".encode()

    def upload() -> Kept | AwaitedUpload:
        awaited = album.keep(claimed, "wrong")
        assert isinstance(awaited, AwaitedUpload)
        assert album.upload(claimed, awaited, body=b"#" * len(claimed)) == 400
        answer = album.keep(claimed, "wrong")
        assert answer == awaited
        return answer

    return upload


def _or_none(do: Callable[[], Any]) -> Any:  # noqa: ANN401  the result of `do`
    try:
        return do()
    except CallFailed:
        return None
