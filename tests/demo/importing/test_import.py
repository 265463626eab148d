import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

import pytest

from andon.project import project
from andon.testing.loop import Loop
from andon.tools.stack.api import ApiClient, HttpResponse
from andon.tools.stack.errors import ToolFailed
from demo.importing import make_import
from demo.importing.make_import import Done, bring, read
from demo.importing.sheets import Unfit

EXAMPLES: Final = project().root / "demo" / "plant"
FACTORY: Final = "gdl-1"


class LoopApi:
    """The API of the factory in memory, as an admin sees it."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.written, self.busy = loop, list[str](), 0

    @contextmanager
    def connect(self) -> Iterator["LoopApi"]:
        """Open a connection."""
        yield self

    def request(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Send a request; so many as are `busy` are throttled."""
        if self.busy:
            self.busy -= 1
            return HttpResponse(429, {}, b"{}")
        _, kind, name, *rest = path.split("/")
        route, parameter = (
            ("/factories/{factoryId}/catalog", "factoryId") if rest == ["catalog"] else (f"/{kind}/{{id}}", "id")
        )
        if method == "PUT":
            self.written.append(path)
        said = {"path": {parameter: name}, "headers": dict(headers or {}), **({} if body is None else {"body": body})}
        answer = self.loop.request(f"{method} {route}", **said)
        return HttpResponse(answer.status, dict(answer.headers), json.dumps(answer.body).encode())


@pytest.fixture
def api() -> Iterator[LoopApi]:
    with Loop() as loop:
        yield LoopApi(loop)


def brought(api: LoopApi, folder: Path = EXAMPLES, *, is_dry: bool = False) -> list[Done]:
    rows = read(folder, FACTORY)
    return [*bring(rows, FACTORY, cast("ApiClient", api), is_dry=is_dry, clients=1)]


def outcomes(done: list[Done]) -> dict[str, str]:
    return {one.wanted.id: one.outcome for one in done}


def sheet(folder: Path, name: str, text: str) -> Path:
    (folder / f"{name}.csv").write_text(text)
    return folder


def test_an_import_writes_what_is_new_and_a_second_one_nothing(api: LoopApi) -> None:
    first = brought(api)
    written, api.written = api.written, []
    second = brought(api)

    assert set(outcomes(first).values()) == {"new"}
    assert len(written) == len(first) == 7
    assert set(outcomes(second).values()) == {"same"}
    assert api.written == []


def test_what_broke_off_goes_on_where_it_was(api: LoopApi, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = api.request

    def broken(method: str, path: str, *more: Any) -> HttpResponse:  # noqa: ANN401
        if method == "PUT" and len(api.written) == 3:
            raise ConnectionResetError
        return cut(method, path, *more)

    monkeypatch.setattr(api, "request", broken)
    with pytest.raises(ConnectionResetError):
        brought(api)
    monkeypatch.undo()
    again = outcomes(brought(api))

    assert sorted(again.values()) == ["new"] * 4 + ["same"] * 3
    assert len(api.written) == len(set(api.written)) == 7


def test_a_dry_run_says_the_difference_and_writes_nothing(api: LoopApi, tmp_path: Path) -> None:
    brought(api)
    api.written.clear()
    sheet(tmp_path, "people", "id,name\nop-17,Lizzy\nop-18,Sue\nop-99,Zoe\n")

    done = brought(api, tmp_path, is_dry=True)

    assert api.written == []
    assert outcomes(done) == {"op-17": "changed", "op-18": "same", "op-99": "new"}
    assert make_import.report_of(done, is_dry=True).splitlines() == [
        "  ~ people op-17: name",  # whoever reads it has the sheet: no names on a terminal
        "  + people op-99",
        "people     1 changed, 1 same, 1 new",
        "nothing was written (DRY_RUN)",
    ]


def test_the_catalog_keeps_what_is_in_no_sheet(api: LoopApi, tmp_path: Path) -> None:
    brought(api)
    sheet(tmp_path, "causes", "id,name,categories,lines\nbent-guide,Guide is bent,material,\nno-air,No air,safety,\n")

    assert outcomes(brought(api, tmp_path)) == {FACTORY: "changed"}
    there = api.request("GET", f"/factories/{FACTORY}/catalog").json
    assert [one["id"] for one in there["categories"]] == ["material", "safety"]
    assert [(one["id"], one["name"], one.get("lines")) for one in there["causes"]] == [
        ("out-of-coils", "Out of coils", None),
        ("bent-guide", "Guide is bent", None),
        ("no-air", "No air", None),
    ]


def test_a_cause_of_no_category_is_refused_and_nothing_is_written(api: LoopApi, tmp_path: Path) -> None:
    sheet(tmp_path, "causes", "id,name,categories,lines\nno-air,No air,pneumatics,\n")
    sheet(tmp_path, "people", "id,name\nop-17,Liz\n")

    with pytest.raises(Unfit):
        brought(api, tmp_path)
    assert api.written == []


def test_who_was_erased_does_not_come_back_and_others_are_written(api: LoopApi, tmp_path: Path) -> None:
    api.loop.request("DELETE /people/{id}", path={"id": "op-17"})
    sheet(tmp_path, "people", "id,name\nop-17,Liz\nop-18,Sue\n")

    for is_dry in (True, False):
        assert outcomes(brought(api, tmp_path, is_dry=is_dry)) == {"op-17": "refused", "op-18": "new"}
    assert api.written == ["/people/op-18"]


def test_a_throttled_request_is_sent_again(api: LoopApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    sheet(tmp_path, "people", "id,name\nop-17,Liz\n")
    api.busy = 4

    assert outcomes(brought(api, tmp_path)) == {"op-17": "new"}
    api.busy = 99
    with pytest.raises(ToolFailed):
        brought(api, tmp_path)


def test_a_folder_without_sheets_is_an_error(api: LoopApi, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed):
        brought(api, tmp_path)
