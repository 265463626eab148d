"""Rows that a release of the library wrote in a project of `andon new project`, and what became of them.

`python kept.py write FILE` keeps them, `python kept.py read FILE` goes on from them and says what differs.
"""

import json
import sys
from pathlib import Path
from typing import Any

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop

NOW_MS = 1_767_258_000_000
MINUTE_MS = 60_000
PUT, GET = "PUT /permits/{id}", "GET /inventory/{id}"
LAMP = {"id": "lamp"}


def lived(loop: Loop) -> dict[str, Any]:
    """Move a lamp three times within a minute; return all rows, while its rule is due."""
    for version, place in enumerate(("attic", "cellar", "garden")):
        headers = {"if-match": f'"{version}"'} if version else {}
        with frozen_clock(NOW_MS + version * 1000):
            loop.request(PUT, path=LAMP, body={"place": place}, headers=headers)
            loop.run()
    return {table: loop.typed_rows(table) for table in loop.schemas}


def went_on(loop: Loop) -> dict[str, Any]:
    """Ask, let the rule decide, and move the lamp once more."""
    with frozen_clock(NOW_MS + 5 * MINUTE_MS):
        shown = loop.request(GET, path=LAMP).body
        decided = [event for event in loop.sweep() if event["source"] == "watch"]
        moved = loop.request(PUT, path=LAMP, body={"place": "roof"}, headers={"if-match": '"3"'})
        loop.run()
        return {
            "shown": shown,
            "decided": [{name: event["detail"][name] for name in ("type", "restless")} for event in decided],
            "moved": [moved.status, moved.body],
            "then": loop.request(GET, path=LAMP).body,
            "listed": loop.request("GET /watch/{id}", path=LAMP).body,
        }


def main() -> None:
    """Write what the installed library keeps, or read what another one kept."""
    mode, file = sys.argv[1], Path(sys.argv[2])
    with Loop() as loop:
        if mode == "write":
            rows = lived(loop)
            file.write_text(json.dumps({"rows": rows, "went_on": went_on(loop)}, indent=1))
            return
        kept = json.loads(file.read_text())
        for table, rows in kept["rows"].items():
            loop.restore(table, rows)
        now = went_on(loop)
    print(json.dumps({name: now[name] for name in now if now[name] != kept["went_on"][name]}))  # noqa: T201  a test reads it


if __name__ == "__main__":
    main()
