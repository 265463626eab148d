"""`make what-if`: decides the lake's past once more, by the rules of two trees, and says what differs.

| variable | meaning |
|---|---|
| `RULE` | the id of a rule, as `late` or `shop.late`; `all` |
| `SINCE`, `UNTIL` | a day or a time in UTC: the anchors that count; else all of the lake |
| `BASE` | the commit before the change; else `HEAD`. After it is the working tree as it lies |
| `SET` | `"NAME=expression"`: after it is a copy of the working tree with that constant; see `setting` |
| `LAKE` | a folder with the lake's objects, in place of the running system's lake |
| `ROSTERS` | a file with rows that rules know beside events, see `known_rows`; else those of the running system |
| `JSON`, `PLOT` | files for the whole report, see `report`, and for a picture of the decisions by day |
| `STACK` | the name of a stack on AWS, in place of the one on this machine |
| `HOLD_BACK_SECONDS` | that of the stage; else the default |

The status is 0: it was replayed, whatever differs; 1: it cannot, with the reason; 2: the code before the change decides
less than 99 % of what the lake says was decided, so that differences say little.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.asked import WhatIfAsked, asked_in
from andon.tools.what_if.replaying import LakePlace, what_if
from andon.tools.what_if.report import WhatIf, to_json
from andon.tools.what_if.text import lines_of
from andon.tools.what_if.trees import room

NOT_CALIBRATED = 2


def main(given: Mapping[str, str]) -> int:
    """Print what differs, or why that cannot be said."""
    try:
        asked = asked_in(given)
        with room() as folder:
            report = what_if(asked, _place(asked, given.get("STACK")), project().root, folder)
        _write(report, asked)
    except ToolFailed as reason:
        print(f"{as_called('what-if')}: {reason}", file=sys.stderr)
        return 1
    return 0 if report.is_calibrated else NOT_CALIBRATED


def _place(asked: WhatIfAsked, stack: str | None) -> LakePlace:
    if asked.lake is not None:
        return LakePlace(asked.lake, None)
    from andon.tools.lake import lake_copy  # noqa: PLC0415  a folder needs no boto3
    from andon.tools.views.deployed import deployed  # noqa: PLC0415  as above

    found = deployed(stack)
    return LakePlace(Path(lake_copy.copy(found.lake)), None if asked.rosters else found.rows)


def _write(report: WhatIf, asked: WhatIfAsked) -> None:
    print(*lines_of(report), sep="\n")
    if asked.json is not None:
        asked.json.write_text(json.dumps(to_json(report), indent=2) + "\n")
    if asked.plot is not None:
        from andon.tools.what_if.picture import draw  # noqa: PLC0415  matplotlib is for who wants a picture

        draw(report, asked.plot)


if __name__ == "__main__":
    sys.exit(main(os.environ))
