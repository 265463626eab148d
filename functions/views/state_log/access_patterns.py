"""The questions that state_log answers, each as one query of its table or of an index."""

from andon.dynamodb.keys import prefix, sort_key
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.http.periods import period
from andon.runtime.errors import Invalid
from views.state_log.view import BY_DATE, BY_OPERATOR, BY_SUPERVISOR, KEYS

EARLIEST, LATEST = "0", ":"  # no time sorts before the first or behind the second


def logs_of_equipment(
    equipment_id: str, state: str | None, first: str | None = None, last: str | None = None
) -> KeyQuery:
    """Return the query for the logs of equipment: all, newest first, or those of a state, or of some (`WARNING*`).

    first, last: only those between these times.

    Raises:
        Invalid: `first` lies behind `last`, or times with `WARNING*`, which the key cannot answer.

    """
    limited = first is not None or last is not None
    between = period(first or EARLIEST, last or LATEST)
    if state is None:
        return KeyQuery(keys=BY_DATE, index_name="GSI3", partition=equipment_id, sort=between if limited else None)
    if not limited:
        return KeyQuery(keys=KEYS, partition=equipment_id, sort=BeginsWith(_state_prefix(state)))
    if state.endswith("*"):
        raise Invalid.field("query.from" if first else "query.to", "needs an exact `state`, or none")
    sort = period(sort_key(state, str(between.first)), sort_key(state, str(between.last)))
    return KeyQuery(keys=KEYS, partition=equipment_id, sort=sort)


def logs_of_operator(operator: str, first: str | None, last: str | None) -> KeyQuery:
    """Return the query for an operator's logs between two times, newest first.

    Raises:
        Invalid: `first` lies behind `last`.

    """
    return KeyQuery(
        keys=BY_OPERATOR, index_name="GSI1", partition=operator, sort=period(first or EARLIEST, last or LATEST)
    )


def escalations_to(supervisor: str, state: str | None, date: str | None) -> KeyQuery:
    """Return the query for escalations to a supervisor: all, of a state, or of a state on one day.

    Raises:
        Invalid: a date without an exact state, which the key cannot answer.

    """
    if date is not None and (state is None or state.endswith("*")):
        raise Invalid.field("query.date", "needs an exact `state`")
    sort = None if state is None else BeginsWith(_state_prefix(state) if date is None else sort_key(state, date))
    return KeyQuery(keys=BY_SUPERVISOR, index_name="GSI2", partition=supervisor, sort=sort)


def _state_prefix(state: str) -> str:
    return state.removesuffix("*") if state.endswith("*") else prefix(state)
