"""Capacity that a stage is planned with, and the load and the quotas that the model knows."""

import pytest

from andon.cdk.capacity import PROVISIONED, Capacity
from andon.cdk.target import AWS
from andon.cdk.throttles import ACCOUNT_PER_SECOND
from lab.simulate import limits
from lab.simulate.counted import EVERY_S
from lab.simulate.model import PLANNED_OVER_USUAL

BURST_S = 300  # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html


@pytest.mark.parametrize("reports", [20, 400, 6_667])
def test_what_a_view_lends_is_a_row_of_each_machine_that_the_stage_is_planned_for(reports: int) -> None:
    made = Capacity.of(PROVISIONED, reports)
    machines = reports / PLANNED_OVER_USUAL * EVERY_S

    assert made
    assert made.shown * BURST_S >= 0.99 * machines


def test_a_burst_of_reports_fits_into_the_workers_of_the_account() -> None:
    assert AWS.reports.with_headroom(ACCOUNT_PER_SECOND).burst < limits.CONCURRENCY
