"""Screen messages for a changed row: the item of the board's list, or the notice that it left the list. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypedDict, cast

from andon.dynamodb.attribute_values import Item
from andon.live.push import ScreenMessage
from contract.names import NORMAL
from views.board.row import BoardRow
from views.board.standing import to_response
from views.board.topics import path_of
from views.board.version import version_of

UNSEEN: Final = frozenset({"version"})
# Nobody acts upon a log of NORMAL, and most reports repeat it.
UNSEEN_WHILE_NORMAL: Final = UNSEEN | {"stateTimestamp"}


class GoneResponse(TypedDict):
    """That equipment left a place, or was deleted; it is no item of the list any more."""

    equipmentId: str
    version: int
    gone: Literal[True]


def messages_of(old: Item | None, new: Item | None) -> Iterator[ScreenMessage]:
    """Yield messages for the screens of the old place and of the new one, if a person would see a difference."""
    before, after = cast("BoardRow | None", old), cast("BoardRow | None", new)
    left, stands = _path_in(before), _path_in(after)
    if before and left and left != stands:
        yield ScreenMessage(left, _gone(before, after, moved=stands is not None))
    if after and stands and _seen(before) != _seen(after):
        yield ScreenMessage(stands, to_response(after))


def _path_in(row: BoardRow | None) -> tuple[str, ...] | None:
    """Return the path of a row in the list; None: it is in no list, because it is deleted or not registered."""
    place = row.get("Place") if row else None
    return None if place is None else path_of(place)


def _gone(before: BoardRow, after: BoardRow | None, *, moved: bool) -> GoneResponse:
    # A screen of both places may get it behind the item, and then the item stays: so it is older.
    version = version_of(after or before) - moved
    return {"equipmentId": before["EquipmentID"], "version": version, "gone": True}


def _seen(row: BoardRow | None) -> Mapping[str, object] | None:
    if row is None:
        return None
    response = to_response(row)
    unseen = UNSEEN_WHILE_NORMAL if response["state"] == NORMAL else UNSEEN
    return {name: value for name, value in response.items() if name not in unseen}
