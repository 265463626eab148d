import re
from pathlib import PurePosixPath

import pytest

from andon.tools.new import template
from andon.tools.new.words import Name, NotNew, Words, clashes

PERMITS = Name.of("parking_permits")
WORDS = Words([(template.THINGS, PERMITS), (template.ACORN, Name.only("City"))])


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("services.things.thing import ThingRow", "services.parking_permits.parking_permit import ParkingPermitRow"),
        ('Table("THINGS_TABLE")', 'Table("PARKING_PERMITS_TABLE")'),
        ('"PUT /things/{id}"', '"PUT /parking-permits/{id}"'),
        ("thing-moved, put-thing.again", "parking-permit-moved, put-parking-permit.again"),
        ("def on_thing_moved(thing_id)", "def on_parking_permit_moved(parking_permit_id)"),
        ("Thing#lamp", "ParkingPermit#lamp"),
        ("class Acorn(Stack)", "class City(Stack)"),
        ("something, nothings, Anything", "something, nothings, Anything"),
        ("functions/services/things/thing.py", "functions/services/parking_permits/parking_permit.py"),
    ],
)
def test_a_name_is_replaced_in_the_spelling_that_it_has(written: str, becomes: str) -> None:
    assert WORDS(written) == becomes


@pytest.mark.parametrize(
    ("many", "one"),
    [("permits", "permit"), ("cities", "city"), ("boxes", "box"), ("churches", "church"), ("luggage", "luggage")],
)
def test_a_singular_follows_from_its_plural(many: str, one: str) -> None:
    assert Name.of(many) == (one, many)


def test_an_irregular_singular_is_given() -> None:
    assert Name.of("people", one="person") == ("person", "people")


@pytest.mark.parametrize("text", ["", "my permits", "7up", "per-mits", "a/b", "..", "_", "größe", "Permits\n"])
def test_what_is_no_name_is_refused_with_a_name_that_is_one(text: str) -> None:
    with pytest.raises(NotNew, match=r"is no name: .*parking_permits"):
        Name.of(text)


@pytest.mark.parametrize("text", ["class", "import", "views", "project", "Andon"])
def test_a_word_of_python_and_of_each_project_is_taken(text: str) -> None:
    with pytest.raises(NotNew, match="is taken"):
        Name.only(text)


def test_two_names_of_one_word_clash() -> None:
    assert [*clashes([Name.of("things"), Name.only("thing"), Name.only("watch")])] == ["thing"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("services", one) for one in (template.THINGS, template.BOOKS, template.READINGS, template.PARCELS)),
        ("services", template.WATCH),
        *(("views", one) for one in (template.INVENTORY, template.CATALOGUE, template.DIARY)),
    ],
)
def test_each_slice_is_some_of_the_template_and_says_its_own_name(kind: str, name: Name) -> None:
    found = template.slice_of(kind, name)

    assert {"tests", "functions"} == {file.parts[0] for file in found}
    assert [file for file in found if name.many not in {*file.parts, file.stem}] == []


@pytest.mark.parametrize(
    ("parts", "left"),
    [(set(), "of(\n  a\n)\n"), ({"x"}, "of(\n  a,\n  b\n)\n"), ({"x", "y"}, "of(\n  a,\n  b,\n  c,\n)\n")],
)
def test_a_file_has_the_parts_that_are_asked_for_and_ends_as_if_there_were_no_others(
    parts: set[str], left: str
) -> None:
    text = "of(\n  a,\n  # <x>\n  b,\n  # <y>\n  c,\n  # </y>\n  # </x>\n)\n"

    assert template.with_parts(text, parts) == left


def texts() -> dict[PurePosixPath, str]:
    """Return all that words are replaced in."""
    return {one: (template.PROJECT / one).read_text() for one in template.files() if one.parts[0] != "requirements"}


def test_no_word_of_the_template_is_left_in_a_copy_that_has_other_words() -> None:
    old = (template.ACORN, template.THINGS, template.INVENTORY, template.WATCH, template.RESTLESS)
    new = (Name.only("City"), PERMITS, Name.only("register"), Name.only("patrol"), Name.only("busy"))
    copied = template.copied(Words(zip(old, new, strict=True)), texts())

    assert len(copied) == len(texts())
    left = re.compile(r"acorn|\bthings?\b|inventory|\bwatch\b|restless", re.IGNORECASE)
    assert {
        str(file): left.findall(f"{file} {text}") for file, text in copied.items() if left.search(str(file) + text)
    } == {}


def test_no_article_stands_before_a_name_of_the_template() -> None:
    """Another name may begin with a vowel."""
    found = re.compile(r"\ban? (acorn|things?|inventory|watch|restless)\b", re.IGNORECASE)

    assert [str(file) for file, text in texts().items() if found.search(text)] == []
