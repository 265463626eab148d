"""Facts that ring: an alarm for each, over the metric that the trigger writes."""

import pytest

from andon.cdk.operations.signals import of_facts
from andon.events.fact import FactAlarm
from andon.packages.discovery import services
from andon.testing.synthesised import Synthesised


def test_a_fact_that_rings_has_an_alarm_over_what_its_trigger_counts(aws: Synthesised) -> None:
    made = aws.of_type("AWS::CloudWatch::Alarm").values()
    ringing = {
        (service.name, event_type, alarm.name)
        for service in services()
        if service.plays("trigger")
        for event_type, alarm in service.facts.alarms.items()
    }

    assert ("dispatch", "nobody-found", "Nobody") in ringing
    for service, event_type, name in ringing:
        [alarm] = [one for one in made if one.get("AlarmName") == f"Andon/{service}/{name}"]
        assert alarm["MetricName"] == event_type
        assert alarm["Dimensions"] == [{"Name": "service", "Value": service}, {"Name": "stage", "Value": "dev"}]
        assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (0, 1)


def test_an_alarm_on_what_is_not_published_is_refused() -> None:
    [dispatch] = [service for service in services() if service.name == "dispatch"]
    mistyped = dispatch.facts._replace(alarms={"nobody-there": FactAlarm("Nobody", "Nobody.", "nobody-on-duty")})

    with pytest.raises(ValueError, match=r"facts.py of dispatch: an alarm is on nobody-there"):
        [*of_facts(mistyped)]
