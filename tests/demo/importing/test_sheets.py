import csv
import io
import unicodedata
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.project import project
from demo.importing.sheets import CATEGORIES, CAUSES, EQUIPMENT, PEOPLE, Sheet, Unfit, rows_of

EXAMPLES: Final = project().root / "demo" / "plant"
HEAD: Final = ",".join(EQUIPMENT.columns)
PLACE: Final = "line-3,Acme,MX,West,JAL,Guadalajara,Guadalajara,Centro"

names = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters="\u2800"), min_size=1, max_size=20)

encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
endings = st.sampled_from(["\n", "\r\n", "\r"])
headings = st.sampled_from([["name", "id"], ["NAME", "Id"], ["Name", "ID", "", ""]])


def said(sheet: Sheet, text: str | bytes) -> list[str]:
    """What is wrong with a sheet."""
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(Unfit) as unfit:
        rows_of(sheet, content, "gdl-1")
    return str(unfit.value).splitlines()


@pytest.mark.parametrize("sheet", [EQUIPMENT, PEOPLE, CATEGORIES, CAUSES], ids=lambda sheet: sheet.name)
def test_the_examples_can_be_taken(sheet: Sheet) -> None:
    rows = rows_of(sheet, Path(EXAMPLES / f"{sheet.name}.csv").read_bytes(), "gdl-1")

    assert len(rows) >= 2
    assert all(row.body["factoryId"] == "gdl-1" for row in rows if sheet in (EQUIPMENT, PEOPLE))


@settings(max_examples=60)
@given(st.lists(names, min_size=1, max_size=5), st.sampled_from(",;\t"), encodings, endings, headings, st.booleans())
def test_whatever_a_spreadsheet_saves_is_read_as_it_was(
    people: list[str],
    delimiter: str,
    encoding: str,
    ending: str,
    heading: list[str],
    has_sep: bool,  # noqa: FBT001
) -> None:
    file = io.StringIO(newline="")
    file.write(f"sep={delimiter}{ending}" if has_sep else "")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=ending)
    behind = [""] * (len(heading) - 2)
    rows_there = ([name, f"op-{number + 10}", *behind] for number, name in enumerate(people))
    writer.writerows([heading, *rows_there, ["", "", *behind]])

    rows = rows_of(PEOPLE, file.getvalue().encode(encoding), "gdl-1")

    assert [row.body["name"] for row in rows] == [unicodedata.normalize("NFC", name) for name in people]
    assert [row.id for row in rows] == [f"op-{number + 10}" for number in range(len(people))]
    assert [row.number for row in rows] == [number + 2 + has_sep for number in range(len(people))]


def test_an_error_names_the_line_and_the_column_and_all_of_them_are_told() -> None:
    text = f"{HEAD}\npress-7,Press,{PLACE}\n\npress 8,Press,{PLACE}\npress-7,,{PLACE}\n"

    assert said(EQUIPMENT, text) == [
        "equipment.csv, line 4: id: must not have a space in it",
        "equipment.csv, line 5: name: must not be blank",
    ]
    assert said(CATEGORIES, "id,name,icon,priority,needsCause\nmaterial,M,box,9,maybe\n") == [
        "categories.csv, line 2: priority: Input should be less than or equal to 3",
        "categories.csv, line 2: needsCause: Input should be a valid boolean",
    ]
    assert said(PEOPLE, "id,name\nAna,Ana\n") == [
        "people.csv, line 2: id: must be the id of a person: a UUID, or a badge such as op-17, and no name"
    ]


@settings(max_examples=300)
@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(["id", "name", ",", ";", '"', "\n", "\r", "\0", "sep=", "op-17", "Ana", "é"]), max_size=20
    )
    .map("".join)
    .flatmap(lambda text: encodings.map(text.encode))
    | st.binary(max_size=60).map(b"id,name\n".__add__)
)
def test_any_bytes_are_taken_or_refused_by_the_name_of_the_sheet(content: bytes) -> None:
    wrong = list[str]()
    try:
        rows_of(PEOPLE, content, "gdl-1")
    except Unfit as unfit:
        wrong = unfit.lines

    assert all(line.startswith("people.csv") for line in wrong)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"", "people.csv has the columns ; it needs id, name"),
        (b"id,nombre\n", "people.csv has the columns id, nombre; it needs id, name"),
        (b"id,name\nop-17,Ana,Eva\n", "people.csv, line 2: 3 cells, not 2"),
        ("id,name\nop-17,Ñu\n".encode("latin-1"), "people.csv is not UTF-8; save it as CSV UTF-8"),
        (
            b'id,name\nop-17,Ana\nop-18,"Eva\nop-19,Mia\n',
            "people.csv, line 3: unexpected end of data; is a quotation mark open?",
        ),
        (
            b'id,name\n"op-17"x,Ana\n',
            "people.csv, line 2: ',' expected after '\"'; is a quotation mark open?",
        ),
        (
            b'sep=;\r\nid;name\r\nop-17;"' + b"x\n" * 70_000 + b'"\r\n',
            "people.csv, line 3: field larger than field limit (131072); is a quotation mark open?",
        ),
        (b"id,name,\nop-17,Ana,,\nop-18,Eva,x\n", "people.csv, line 3: 3 cells, not 2"),
        (b"ID,Id,name\n", "people.csv has the columns id, id, name; it needs id, name"),
        (b"\xff\xfei\0d\0", "people.csv has the columns id; it needs id, name"),
        (b"i\0d\0,", "people.csv is not UTF-8; save it as CSV UTF-8"),
        (b"sep=|\nid|name\n", "people.csv has the columns sep=|; it needs id, name"),
        (b"id,name\nop-17,Ana\nop-17,Eva\n", "people.csv, line 3: id: op-17 stands in line 2, too"),
    ],
)
def test_another_form_is_refused(text: bytes, what: str) -> None:
    assert said(PEOPLE, text) == [what]
