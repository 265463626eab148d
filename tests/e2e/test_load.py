from collections import Counter

from andon.tools.stack.stack import Stack
from demo import loading
from demo.load import STATE_REPORTS


def test_what_clients_report_at_once_is_in_the_view_once(stack: Stack) -> None:
    figures = loading.run(stack, STATE_REPORTS, commands=100, clients=4)

    print(loading.report(figures))  # noqa: T201
    assert figures.good, loading.report(figures)
    assert figures.answers == Counter({"201": 100})
    assert figures.lake.published >= 100  # each report, and what dispatch decides upon it
