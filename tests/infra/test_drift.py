"""The comparison of the views with their events, and the store of its findings, in the template."""

import pytest

from andon.packages.discovery import recomputed
from andon.packages.package import Package
from andon.testing.synthesised import Synthesised

of_each_view = pytest.mark.parametrize("view", recomputed(), ids=lambda view: view.name)


@of_each_view
def test_a_view_is_looked_at_each_hour_and_no_run_is_retried(aws: Synthesised, view: Package) -> None:
    function = aws.id_of_function(f"views/{view.name}/recompute")
    target = {"Fn::GetAtt": [function, "Arn"]}

    [rule] = [one for one in aws.of_type("AWS::Events::Rule").values() if one["Targets"][0]["Arn"] == target]
    [invoke] = [
        made
        for made in aws.of_type("AWS::Lambda::EventInvokeConfig").values()
        if made["FunctionName"] == {"Ref": function}
    ]
    assert rule["ScheduleExpression"] == "rate(1 hour)"
    assert invoke["MaximumRetryAttempts"] == 0


def test_a_queue_hands_over_one_message_for_each_is_long(aws: Synthesised) -> None:
    for view in recomputed():
        function = {"Ref": aws.id_of_function(f"views/{view.name}/recompute")}
        [mapping] = [
            made for made in aws.of_type("AWS::Lambda::EventSourceMapping").values() if made["FunctionName"] == function
        ]
        assert mapping["BatchSize"] == 1
