"""Pages of objects by day. Apart from the objects: a listener writes them, and starts without the imports of a page."""

from collections.abc import Callable
from typing import Final

from andon.http.page import NextPage, PageResponse, Scope, count_that_fit, decode_texts, encode_cursor, wrong_cursor
from andon.recorded.dated_objects import DatedObjects, Kept
from andon.runtime.json_types import JsonMapping

_KEY: Final = "key"


def read_objects(
    objects: DatedObjects[Kept],
    *,
    to_response: Callable[[Kept], JsonMapping],
    scope: Scope,
    limit: int,
    cursor: str | None,
) -> PageResponse:
    """Return one page, newest first; it ends before `limit` if a response cannot hold more.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    found, last_key = objects.find(limit=limit, after=_key_in(cursor, objects.folder, scope))
    items = [to_response(one) for one in found]
    count = count_that_fit(items)
    if count < len(items):
        last_key = objects.key_of(found[count - 1])
    more: NextPage = {"cursor": encode_cursor({_KEY: last_key}, partition="", scope=scope)} if last_key else {}
    return {"items": items[:count], **more}


def _key_in(cursor: str | None, folder: str, scope: Scope) -> str:
    if cursor is None:
        return ""
    key = decode_texts(cursor, names=frozenset({_KEY}), scope=scope)[_KEY]
    if not key.startswith(f"{folder}/"):
        raise wrong_cursor()
    return key
