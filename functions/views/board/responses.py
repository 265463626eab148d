"""Responses of board's routes, for the OpenAPI document."""

from typing import Final, TypedDict

from andon.http.derived import PageOf, Shown
from views.board.row import KEPT
from views.board.standing import EquipmentStanding

STANDING: Final = Shown(EquipmentStanding, "StandingResponse", more=KEPT.optional)
BOARD: Final = PageOf(STANDING, "BoardResponse", "A page of the board, by location; a missing cursor is the end.")


class ChangesResponse(TypedDict):
    """How to subscribe to changes: connect to `url` by MQTT 3.1.1 as `clientId`, subscribe to exactly `topic`.

    A message is an item of the list, to replace one with a version that is not greater; or
    `{"equipmentId", "version", "gone": true}`, if it left the list. Repeated reports of `NORMAL` are not pushed. What
    was missed is not sent again: read the list after subscribing, and from time to time. `url` is for one connection.
    """

    url: str
    topic: str
    clientId: str
