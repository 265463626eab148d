"""`python -m demo.legacy`: edits on both sides of a legacy system, in this process, and what each side says then."""

import sqlite3
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from andon.runtime import clock, log
from andon.testing.loop import Loop
from demo.legacy import assets
from demo.legacy.beside import Beside

PATH: Final = {"id": "press-7"}
REGISTERED: Final = (
    "INSERT INTO asset (asset_no, description, plant, line, company, country, city, inspector) "
    "VALUES ('press-7', 'Press 7', 'gdl-1', 'line-3', 'Acme', 'MX', 'Guadalajara', 'Olga')"
)
LEVELS: Final = [
    {"level": "company", "name": "Acme"},
    {"level": "country", "name": "MX"},
    {"level": "city", "name": "Guadalajara"},
    {"level": "hall", "name": "3"},
]


Edit = Callable[[Loop, sqlite3.Connection], object]


def main() -> None:
    """Entry point: live through the story, and print what both sides say after each step."""
    with Loop() as loop:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        assets.prepare(connection, clock.now_ms)
        beside = Beside(loop, connection)
        for name, edit in STORY.items():
            print(name)
            edit(loop, connection)
            taken = beside.settle()
            print(f"  legacy      {_asset(connection)}\n  equipment2  {_machine(loop)}")
            if taken:
                print(f"  the database took: {', '.join(f'{count} {what}' for what, count in taken.items())}")


def _sql(statement: str) -> Edit:
    return lambda _, connection: connection.execute(statement)


def _put(line: str, if_match: int) -> Edit:
    body = {"name": "Press 7", "factoryId": "gdl-1", "lineId": line, "levels": LEVELS}

    def edit(loop: Loop, _: sqlite3.Connection) -> None:
        headers = {"if-match": f'"{if_match}"'}
        answer = loop.request("PUT /v2/equipment/{id}", path=PATH, body=body, headers=headers)
        print(f'  PUT with If-Match "{if_match}": {answer.status}')

    return edit


def _both(loop: Loop, connection: sqlite3.Connection) -> None:
    _put("line-5", if_match=3)(loop, connection)
    connection.execute("UPDATE asset SET line = 'line-6'")


def _asset(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT description, line, city, inspector FROM asset").fetchone()
    return "no such asset" if row is None else ", ".join(map(str, row))


def _machine(loop: Loop) -> str:
    answer = loop.request("GET /v2/equipment/{id}", path=PATH)
    if answer.status != HTTPStatus.OK:
        return str(answer.body["title"])
    body: dict[str, Any] = answer.body
    places = "/".join(level["name"] for level in body["levels"])
    return f"{body['name']}, {body['lineId']}, {places}, ETag {answer.headers['etag']}, by {body['changedBy']}"


STORY: Final[dict[str, Edit]] = {
    "The legacy system registers a press.": _sql(REGISTERED),
    "Somebody moves it in equipment2, and says in which hall it stands.": _put("line-4", if_match=1),
    "The legacy system renames it: the hall stays, and so does the inspector.": _sql(
        "UPDATE asset SET description = 'Press seven'"
    ),
    "Both move it before they know of each other: the later edit counts.": _both,
    "Somebody edits a page that is older than the last edit.": _put("line-7", if_match=3),
    "The legacy system deletes it.": _sql("DELETE FROM asset"),
}


if __name__ == "__main__":
    log.write = lambda line: None  # noqa: ARG005  the handlers' own lines
    main()
