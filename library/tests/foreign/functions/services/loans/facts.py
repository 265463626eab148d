from andon.events.actor import author_in
from andon.events.fact import Change, Fact, Facts


def lent(change: Change) -> Fact:
    row = change.row
    loan = {"book": row["id"], "to": row["holder"], "before": (change.old or {}).get("holder")}
    return Fact("book-lent", int(row["timestamp"]), row["id"], "loan", loan, actor=author_in(row))


FACTS = Facts("loans", frozenset({"book-lent"}), {"loan": lent})
