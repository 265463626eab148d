"""The version of a row of the board: a number that grows with every event that changes the row. Pure."""

from andon.dynamodb.attribute_values import Attributes
from andon.views.oplocked_fields import OPLOCK
from andon.views.view_update import milliseconds_of
from views.board.view import CALLS, NOBODY_TOLD, REPORTS, TELLINGS


def version_of(row: Attributes) -> int:
    """Return the sum of the milliseconds of the row's oplocks.

    Each oplock only grows, in whatever order events arrive, and so does the sum: of two images of a row the one with
    the greater version is newer. A stored counter would count late events, too. Two images may tie: what is said again
    about the same log counts with the log's time.

    Members of a family, of reports or of calls, that are about to be removed do not count, or the sum would fall when
    they are: the sum of the newest of a family only grows, too. JSON's numbers hold it: 90 oplocks of 10^13 are below
    2^53.
    """
    surplus = {f"{OPLOCK}{name}" for family in (REPORTS, CALLS, NOBODY_TOLD, TELLINGS) for name in family.surplus(row)}
    orders = [order for name, order in row.items() if name.startswith(OPLOCK) and name not in surplus]
    return sum(map(milliseconds_of, orders))
