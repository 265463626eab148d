"""One page of episodes: one Query over the micro event store."""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.dynamodb.ttl import is_expired
from andon.http.page import Scope, count_that_fit, next_page, read_rows
from andon.rules.stored_event import PREFIX, readable
from services.dispatch import story
from services.dispatch.reports import is_readable
from services.dispatch.tables import KEYS, partition_of

# Of 600 bytes each, near to the megabyte that a Query reads: three and a half days of a report every five minutes.
EVENTS_READ = 1_000


def read_episodes(
    table: Table, equipment_id: str, *, scope: Scope, limit: int, cursor: str | None, now_ms: int, since: str = ""
) -> story.Episodes:
    """Read a page of episodes.

    since: nothing is shown of reports older than that (fixed-width UTC), nor of what was done about them.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    query = KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=BeginsWith(PREFIX))
    rows = read_rows(table, query, scope=scope, limit=EVENTS_READ, cursor=cursor)
    stored = [one for one in readable(rows.items, KEYS) if not is_expired(one.ttl, now_ms) and is_readable(one.event)]
    if (count := len(stored)) > len(stored := [one for one in stored if story.log_time(one.event) >= since]):
        rows = rows._replace(last_key=None)  # they are newest first: nothing follows
    events = [one.event for one in stored]
    count = count_that_fit(event.entities for event in events)  # nearly all that a story says of an event
    is_end = rows.last_key is None and count == len(events)
    found = story.page_of(events[:count], limit=limit, is_end=is_end, goes_on=cursor is not None)
    others: story.Others = {"others": found.others} if found.others else {}
    last_key = rows.last_key
    if found.upto < len(stored):
        last = stored[found.upto - 1]
        last_key = KEYS.of(last.key, last.sort)
    return {"items": found.episodes, **others, **next_page(last_key, query, scope=scope)}
