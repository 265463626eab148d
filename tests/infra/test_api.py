import json
from typing import Any

import pytest

from contract import groups
from tests.support.infra.synthesised import FILES, PACKAGES, Synthesised, text

ROUTE = "AWS::ApiGatewayV2::Route"


def only(aws: Synthesised, resource_type: str) -> dict[str, Any]:
    [made] = aws.of_type(resource_type).values()
    return made


def handler_of(aws: Synthesised, route: dict[str, Any]) -> str:
    integration = aws.of_type("AWS::ApiGatewayV2::Integration")[route["Target"]["Fn::Join"][1][1]["Ref"]]
    function = aws.of_type("AWS::Lambda::Function")[integration["IntegrationUri"]["Fn::GetAtt"][0]]
    assert integration["PayloadFormatVersion"] == "2.0"
    handler: str = function["Handler"]
    return handler


def test_each_route_leads_to_its_own_package_reads_to_the_query_and_all_else_to_the_command(aws: Synthesised) -> None:
    declared = {
        route: package.handler_name("query" if route.startswith("GET ") else "command")
        for package in PACKAGES
        for route in package.routes
    }

    assert {made["RouteKey"]: handler_of(aws, made) for made in aws.of_type(ROUTE).values()} == declared


def test_nobody_calls_a_route_without_a_token_of_our_users(aws: Synthesised) -> None:
    [(authorizer, made)] = aws.of_type("AWS::ApiGatewayV2::Authorizer").items()

    for route in aws.of_type(ROUTE).values():
        assert route["AuthorizationType"] == "JWT"
        assert route["AuthorizerId"] == {"Ref": authorizer}
        assert route["AuthorizationScopes"] == ["aws.cognito.signin.user.admin"], "an ID token has no scope"
    assert made["JwtConfiguration"]["Audience"] == [{"Ref": aws.output("UserPoolClientId")}]
    assert text(made["JwtConfiguration"]["Issuer"]).endswith(f"/{aws.output('UserPoolId')}")


def test_only_the_api_calls_the_functions_behind_it_and_only_its_schedule_a_sweep(aws: Synthesised) -> None:
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")
    sweeps = {aws.id_of_function(file) for file in FILES if file.endswith("/sweep.py")}

    for made in aws.of_type("AWS::Lambda::Permission").values():
        function, source = made["FunctionName"]["Fn::GetAtt"][0], text(made["SourceArn"])
        if function in sweeps:
            assert made["Principal"] == "events.amazonaws.com"
            rule = aws.of_type("AWS::Events::Rule")[source.removesuffix(".Arn")]
            assert text(rule["Targets"][0]["Arn"]) == f"{function}.Arn"
        else:
            assert made["Principal"] == "apigateway.amazonaws.com"
            assert f":{api}/" in source


def test_every_group_that_a_route_can_ask_for_exists(aws: Synthesised) -> None:
    made = {group["GroupName"] for group in aws.of_type("AWS::Cognito::UserPoolGroup").values()}

    assert made == set(groups.ALL)


def test_nobody_signs_up_alone_or_with_a_weak_password(aws: Synthesised) -> None:
    pool = only(aws, "AWS::Cognito::UserPool")

    assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    policy = pool["Policies"]["PasswordPolicy"]
    assert policy.pop("MinimumLength") >= 12
    assert all(value is True for key, value in policy.items() if key.startswith("Require"))


def test_users_survive_the_stack(aws: Synthesised) -> None:
    pool = aws.resources[aws.output("UserPoolId")]

    assert pool["DeletionPolicy"] == "Retain"
    assert pool["Properties"]["DeletionProtection"] == "ACTIVE"


def test_a_password_is_sent_only_to_the_emulator_or_by_an_administrator(aws: Synthesised, local: Synthesised) -> None:
    on_aws = only(aws, "AWS::Cognito::UserPoolClient")
    on_the_emulator = only(local, "AWS::Cognito::UserPoolClient")

    assert set(on_aws["ExplicitAuthFlows"]) == {
        "ALLOW_ADMIN_USER_PASSWORD_AUTH",
        "ALLOW_REFRESH_TOKEN_AUTH",
        "ALLOW_USER_SRP_AUTH",
    }
    assert set(on_the_emulator["ExplicitAuthFlows"]) - set(on_aws["ExplicitAuthFlows"]) == {"ALLOW_USER_PASSWORD_AUTH"}


def test_a_client_offers_no_oauth_and_tells_nobody_who_exists(aws: Synthesised) -> None:
    client = only(aws, "AWS::Cognito::UserPoolClient")

    assert client["AllowedOAuthFlowsUserPoolClient"] is False
    assert client["PreventUserExistenceErrors"] == "ENABLED"


def test_access_is_logged_with_ids_and_outcomes_and_without_paths(aws: Synthesised) -> None:
    stage = only(aws, "AWS::ApiGatewayV2::Stage")

    log = stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]
    assert aws.of_type("AWS::Logs::LogGroup")[log]["RetentionInDays"] == 30
    to_response = json.loads(stage["AccessLogSettings"]["Format"]).values()
    assert {"$context.requestId", "$context.routeKey", "$context.status"} <= set(to_response)
    assert "$context.path" not in to_response


def test_calls_are_throttled(aws: Synthesised) -> None:
    settings = only(aws, "AWS::ApiGatewayV2::Stage")["DefaultRouteSettings"]

    assert 0 < settings["ThrottlingRateLimit"] <= settings["ThrottlingBurstLimit"]


@pytest.mark.parametrize(
    "name", ["ApiUrl", "BusName", "UserPoolId", "UserPoolClientId", "FaultQueueUrl", "FaultsBucket"]
)
def test_what_scripts_need_is_an_output(aws: Synthesised, local: Synthesised, name: str) -> None:
    assert name in aws.outputs
    assert name in local.outputs
