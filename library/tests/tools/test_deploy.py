import pytest

from andon.tools.stack import deploy
from andon.tools.stack.errors import ToolFailed


@pytest.mark.parametrize(
    "on_aws", ["https://abc123.execute-api.eu-west-1.amazonaws.com/", "http://abc123.execute-api.localhost:4566"]
)
def test_the_api_is_served_under_its_id(on_aws: str) -> None:
    assert deploy.api_path(on_aws) == "/_aws/execute-api/abc123/"


def test_an_address_that_is_not_api_gateways_is_refused() -> None:
    with pytest.raises(ToolFailed):
        deploy.api_path("https://example.com")


def test_ttl_is_found_in_any_kind_of_table_and_nowhere_else() -> None:
    ttl = {"AttributeName": "ttl", "Enabled": True}
    template = {
        "Resources": {
            "Rows": {"Type": "AWS::DynamoDB::Table", "Properties": {"TimeToLiveSpecification": ttl}},
            "Global": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {"TimeToLiveSpecification": ttl}},
            "Forever": {"Type": "AWS::DynamoDB::Table", "Properties": {}},
            "Bus": {"Type": "AWS::Events::EventBus"},
        }
    }

    assert deploy.ttl_specifications(template) == {"Rows": ttl, "Global": ttl}
    assert deploy.ttl_specifications({}) == {}
