"""Link to the archive for logs that expired in state_log. Pure."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from andon.dynamodb.ttl import is_expired, ttl_at
from andon.runtime import times
from views.state_log.view import TTL_DAYS


def link_to_archive(equipment_id: str, first: str | None, last: str | None, *, now_ms: int) -> Mapping[str, str]:
    """Return the header that leads to the archive if logs from `first` on have expired; else none.

    Without it, an empty list would look as if nothing had happened. https://www.iana.org/assignments/link-relations/
    """
    if first is None or not is_expired(ttl_at(times.to_ms(first), TTL_DAYS), now_ms):
        return {}
    wanted = urlencode({"from": first, "to": last or times.to_utc(now_ms)})
    return {"Link": f'</archive/equipment/{quote(equipment_id, safe="")}?{wanted}>; rel="archives"'}
