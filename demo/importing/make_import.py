"""`make import`: brings a factory's machines, people and catalog from sheets into its system, by the API.

| variable | meaning |
|---|---|
| `FACTORY` | the factory's id |
| `CSV` | a folder with `equipment.csv`, `people.csv`, `categories.csv`, `causes.csv`, or some of them; see `sheets` |
| `DRY_RUN` | say what would change, and change nothing |
| `URL`, `TOKEN` | the API of a system on AWS, and a token of an administrator; without, the system on this machine |

All sheets are read before anything is written. What is the same is not written again, so that an import that broke off
is just made again; what is there and in no sheet stays.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError

from andon.http.derived import validated
from andon.tools.stack import outputs
from andon.tools.stack.api import ApiClient, ApiConnection, HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.stack import Stack
from contract import groups
from demo.importing.difference import differing, joined
from demo.importing.sheets import CATEGORIES, CAUSES, EQUIPMENT, PEOPLE, SHEETS, Row, Unfit, rows_of
from services.calls.api import CATALOG

CLIENTS: Final = 8
TRIES: Final = 6
THROTTLED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
MOST_SHOWN: Final = 40

SAME: Final = "same"
CHANGED: Final = "changed"
REFUSED: Final = "refused"


class Wanted(NamedTuple):
    """Something that is to be there, by its path; what: `equipment`, `people` or `catalog`."""

    what: str
    id: str
    path: str
    body: Mapping[str, Any]


class Done(NamedTuple):
    """Result of a thing: `new`, `changed`, `same` or `refused`, and why or in what."""

    wanted: Wanted
    outcome: str
    why: str = ""


def read(folder: Path, factory: str) -> dict[str, list[Row]]:
    """Return the rows of the sheets that are in a folder, by the sheet's name.

    Raises:
        Unfit: of one of them the API would not take a row.
        ToolFailed: there is none.

    """
    found, wrong = dict[str, list[Row]](), list[str]()
    for sheet in SHEETS:
        file = folder / f"{sheet.name}.csv"
        if file.is_file():
            try:
                found[sheet.name] = rows_of(sheet, file.read_bytes(), factory)
            except Unfit as unfit:
                wrong.append(str(unfit))
    if wrong:
        raise Unfit(wrong)
    if not found:
        raise ToolFailed(f"{folder} has none of {', '.join(f'{sheet.name}.csv' for sheet in SHEETS)}")
    return found


def bring(
    rows: Mapping[str, Sequence[Row]], factory: str, api: ApiClient, *, is_dry: bool, clients: int = CLIENTS
) -> Iterator[Done]:
    """Write what is missing or differs, and yield what became of each; dry: write nothing.

    Raises:
        Unfit: the catalog's sheets, with what is there, make none.
        ToolFailed: the system did not answer as it should.

    """
    wanted = [
        *(Wanted("equipment", row.id, path_of("equipment", row.id), row.body) for row in rows.get(EQUIPMENT.name, ())),
        *(Wanted("people", row.id, path_of("people", row.id), row.body) for row in rows.get(PEOPLE.name, ())),
    ]
    catalog = Wanted("catalog", factory, path_of("factories", factory, "catalog"), {})
    if rows.keys() & {CATEGORIES.name, CAUSES.name}:
        with api.connect() as connection:
            there = _there(connection, catalog) or {}
            yield _brought(connection, catalog._replace(body=_catalog(rows, there)), is_dry=is_dry)
    shares = [wanted[number::clients] for number in range(clients)]

    def bring_share(share: Iterable[Wanted]) -> list[Done]:
        with api.connect() as connection:
            return [_brought(connection, one, is_dry=is_dry) for one in share]

    with ThreadPoolExecutor(clients) as pool:
        for done in pool.map(bring_share, shares):
            yield from done


def _catalog(rows: Mapping[str, Sequence[Row]], there: Mapping[str, Any]) -> Mapping[str, Any]:
    made = {sheet.name: joined(there.get(sheet.name, ()), rows.get(sheet.name, ())) for sheet in (CATEGORIES, CAUSES)}
    try:
        validated(CATALOG.body, made)
    except ValidationError as refused:
        raise Unfit(
            [f"the catalog: {error['msg'].removeprefix('Value error, ')}" for error in refused.errors()]
        ) from None
    return made


def _brought(connection: ApiConnection, wanted: Wanted, *, is_dry: bool) -> Done:
    answer = _asked(lambda: connection.request("GET", wanted.path))
    current = _found(answer, wanted)
    if current is not None and current.get("erased"):
        return Done(wanted, REFUSED, "erased; the id is given to nobody again")
    differs = differing(current, wanted.body)
    if not differs:
        return Done(wanted, SAME)
    outcome = "new" if current is None else CHANGED
    if not is_dry:
        headers = {"if-match": answer.headers["etag"]} if current is not None else {}
        written = _asked(lambda: connection.request("PUT", wanted.path, wanted.body, headers))
        if written.status not in {HTTPStatus.OK, HTTPStatus.CREATED}:
            return Done(wanted, REFUSED, f"{written.status} {_detail(written)}")
    return Done(wanted, outcome, "" if current is None else ", ".join(differs))


def _there(connection: ApiConnection, wanted: Wanted) -> Mapping[str, Any] | None:
    return _found(_asked(lambda: connection.request("GET", wanted.path)), wanted)


def _found(answer: HttpResponse, wanted: Wanted) -> Mapping[str, Any] | None:
    if answer.status == HTTPStatus.NOT_FOUND:
        return None
    if answer.status != HTTPStatus.OK:
        raise ToolFailed(f"GET {wanted.path} was answered {answer.status}: {_detail(answer)}")
    found: Mapping[str, Any] = answer.json
    return found


def _asked(request: Callable[[], HttpResponse]) -> HttpResponse:
    """Send a request, again a little later while the system throttles."""
    for attempt in range(TRIES):
        answer = request()
        if answer.status not in THROTTLED:
            break
        time.sleep(0.2 * 2**attempt)
    return answer


def _detail(answer: HttpResponse) -> str:
    try:
        return str(answer.json.get("detail") or answer.json.get("title"))
    except (ValueError, AttributeError):
        return answer.body[:200].decode(errors="replace")


def report_of(done: Sequence[Done], *, is_dry: bool) -> str:
    """Return the results in lines: each thing that is not as it was, then a line of counts for each kind."""
    signs = {"new": "+", CHANGED: "~", REFUSED: "!"}
    told = [one for one in done if one.outcome != SAME]
    lines = [f"  {signs[one.outcome]} {one.wanted.what} {one.wanted.id}{_because(one)}" for one in told]
    shown = lines if len(lines) <= MOST_SHOWN else [*lines[:MOST_SHOWN], f"  … and {len(lines) - MOST_SHOWN} more"]
    kinds = dict.fromkeys(one.wanted.what for one in done)
    counts = {what: Counter(one.outcome for one in done if one.wanted.what == what) for what in kinds}
    sums = [f"{what:<10} {', '.join(f'{number} {name}' for name, number in of.items())}" for what, of in counts.items()]
    return "\n".join([*shown, *sums, *(["nothing was written (DRY_RUN)"] if is_dry else [])])


def _because(one: Done) -> str:
    return f": {one.why}" if one.why else ""


def main(given: Mapping[str, str]) -> int:
    """Import, and print what came of it; return 1 if something was refused."""
    is_dry = bool(given.get("DRY_RUN"))
    try:
        factory, folder = _required(given, "FACTORY"), Path(_required(given, "CSV"))
        rows = read(folder, factory)
        done = [*bring(rows, factory, _api(given), is_dry=is_dry)]
    except Unfit as unfit:
        print(f"make import: nothing was written\n{unfit}", file=sys.stderr)
        return 1
    except (ToolFailed, OSError, BotoCoreError, ClientError) as reason:
        print(f"make import: {reason}", file=sys.stderr)
        return 1
    print(report_of(done, is_dry=is_dry))
    return int(any(one.outcome == REFUSED for one in done))


def _required(given: Mapping[str, str], name: str) -> str:
    if not given.get(name):
        raise ToolFailed("it needs both, as FACTORY=gdl-1 CSV=demo/plant")
    return given[name]


def _api(given: Mapping[str, str]) -> ApiClient:
    if given.get("URL"):
        return ApiClient(given["URL"].rstrip("/"), given.get("TOKEN"))
    return Stack(outputs.of_running_stack()).api(groups.ADMIN)


if __name__ == "__main__":
    sys.exit(main(os.environ))
