import json
from typing import Any

import pytest

from andon.cdk.api import ACCESS_SCOPE
from andon.packages.discovery import pages
from andon.testing.synthesised import Synthesised, text
from contract import groups
from pages.board import settings
from tests.support.infra.synthesised import FILES, KEPT, PACKAGES

ROUTE = "AWS::ApiGatewayV2::Route"
READ_SCOPE = "andon/read"


def only(aws: Synthesised, resource_type: str) -> dict[str, Any]:
    [made] = aws.of_type(resource_type).values()
    return made


def client_of_scripts(stack: Synthesised) -> dict[str, Any]:
    return stack.of_type("AWS::Cognito::UserPoolClient")[stack.output("UserPoolClientId")]


def handler_of(aws: Synthesised, route: dict[str, Any]) -> str:
    integration = aws.of_type("AWS::ApiGatewayV2::Integration")[route["Target"]["Fn::Join"][1][1]["Ref"]]
    function = aws.of_type("AWS::Lambda::Function")[aws.behind(integration["IntegrationUri"])]
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


def public(made: dict[str, Any]) -> bool:
    return any(made["RouteKey"] in package.public for package in PACKAGES)


def test_nobody_calls_a_route_of_the_api_without_a_token_of_our_users(aws: Synthesised) -> None:
    [(authorizer, made)] = aws.of_type("AWS::ApiGatewayV2::Authorizer").items()

    for route in aws.of_type(ROUTE).values():
        if not public(route):
            assert route["AuthorizationType"] == "JWT"
            assert route["AuthorizerId"] == {"Ref": authorizer}
            assert route["AuthorizationScopes"], "an ID token has no scope"
    assert [audience["Ref"] for audience in made["JwtConfiguration"]["Audience"]] == [
        aws.output("UserPoolClientId"),
        *clients_of_the_page(aws),
    ]
    assert text(made["JwtConfiguration"]["Issuer"]).endswith(f"/{aws.output('UserPoolId')}")


def test_only_the_files_of_a_page_and_the_links_of_messages_are_there_for_everybody(aws: Synthesised) -> None:
    without = {made["RouteKey"] for made in aws.of_type(ROUTE).values() if made["AuthorizationType"] == "NONE"}

    assert {"GET /", "GET /page/{file}"} == {route for page in pages() for route in page.routes}
    assert without == {"GET /", "GET /page/{file}", "POST /links/seen"}


def test_a_screen_on_the_wall_reads_and_does_nothing_else(aws: Synthesised) -> None:
    people, walls = clients_of_the_page(aws).values()
    [scope] = [scope for scope in walls["AllowedOAuthScopes"] if scope not in people["AllowedOAuthScopes"]]

    assert scope_of(aws, scope) == READ_SCOPE
    for made in aws.of_type(ROUTE).values():
        if not public(made):
            assert (READ_SCOPE in made["AuthorizationScopes"]) == made["RouteKey"].startswith("GET ")
            assert ACCESS_SCOPE in made["AuthorizationScopes"]
    assert ACCESS_SCOPE not in walls["AllowedOAuthScopes"]


def test_the_page_asks_for_the_scopes_that_its_clients_may_have(aws: Synthesised) -> None:
    for client, asked in zip(clients_of_the_page(aws).values(), (settings.SCOPES, settings.WALL_SCOPES), strict=True):
        assert [scope_of(aws, scope) for scope in client["AllowedOAuthScopes"]] == asked.split()


@pytest.mark.parametrize(("index", "hours"), [(0, 12), (1, 90 * 24)])
def test_people_sign_in_by_code_and_are_sent_back_to_the_page_only(aws: Synthesised, index: int, hours: int) -> None:
    client = [*clients_of_the_page(aws).values()][index]

    assert client["AllowedOAuthFlows"] == ["code"]
    assert client["GenerateSecret"] is False, "a page cannot keep one: PKCE takes its place"
    assert client["CallbackURLs"] == client["LogoutURLs"] == [aws.outputs["BoardUrl"]["Value"]]
    assert text(client["CallbackURLs"][0]) == "ApiHttp17514DA7.ApiEndpoint/"
    assert client["RefreshTokenValidity"] == hours * 60
    assert client["RefreshTokenRotation"] == {"Feature": "ENABLED", "RetryGracePeriodSeconds": 60}
    assert client["AccessTokenValidity"] == 60
    assert client["EnableTokenRevocation"] is True
    assert client["PreventUserExistenceErrors"] == "ENABLED"
    # No refresh by the API, or it would not rotate; no SRP, for its tokens have the scope of people on a wall, too.
    assert client["ExplicitAuthFlows"] == ["ALLOW_ADMIN_USER_PASSWORD_AUTH"]


def test_the_page_knows_its_users_and_where_they_sign_in(aws: Synthesised, local: Synthesised) -> None:
    people, walls = clients_of_the_page(aws)
    on_aws, on_the_emulator = (one.functions()["pages/board/query"]["Environment"] for one in (aws, local))

    assert on_aws["Variables"]["CLIENT_ID"] == {"Ref": people}
    assert on_aws["Variables"]["WALL_CLIENT_ID"] == {"Ref": walls}
    assert text(on_aws["Variables"]["ISSUER"]) == f"{aws.output('UserPoolId')}.ProviderURL"
    assert text(on_aws["Variables"]["SIGN_IN_ORIGIN"]).endswith(".amazoncognito.com")
    assert on_the_emulator["Variables"]["SIGN_IN_ORIGIN"] == "http://127.0.0.1:4566"
    assert text(on_the_emulator["Variables"]["ISSUER"]) == f"http://127.0.0.1:4566/{local.output('UserPoolId')}"


def test_the_page_may_be_at_a_domain_of_its_own(varied: Synthesised) -> None:
    assert varied.outputs["BoardUrl"]["Value"] == "https://andon.example.com/"
    for client in clients_of_the_page(varied).values():
        assert client["CallbackURLs"] == ["https://andon.example.com/"]


def clients_of_the_page(stack: Synthesised) -> dict[str, Any]:
    """Return the clients of people and of walls, by logical id."""
    clients = stack.of_type("AWS::Cognito::UserPoolClient")
    return {name: clients[name] for name in sorted(clients) if name != stack.output("UserPoolClientId")}


def scope_of(stack: Synthesised, scope: Any) -> str:  # noqa: ANN401  CloudFormation's
    if isinstance(scope, str):
        return scope
    server, name = scope["Fn::Join"][1]
    return f"{stack.of_type('AWS::Cognito::UserPoolResourceServer')[server['Ref']]['Identifier']}{name}"


def test_only_the_api_calls_the_functions_behind_it_and_only_its_schedule_a_sweep(aws: Synthesised) -> None:
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")
    sweeps = {aws.id_of_function(file) for file in FILES if file.endswith(("/sweep", "/recompute"))}
    hooks = {aws.id_of_function(file) for file in FILES if file.endswith("/provision")}

    for made in aws.of_type("AWS::Lambda::Permission").values():
        function, source = aws.behind(made["FunctionName"]), text(made["SourceArn"])
        if function in sweeps:
            assert made["Principal"] == "events.amazonaws.com"
            rule = aws.of_type("AWS::Events::Rule")[source.removesuffix(".Arn")]
            assert text(rule["Targets"][0]["Arn"]) == f"{function}.Arn"
        elif function in hooks:
            assert made["Principal"] == "iot.amazonaws.com"
        else:
            assert made["Principal"] == "apigateway.amazonaws.com"
            assert f":{api}/" in source


def test_every_group_that_a_route_can_ask_for_exists(aws: Synthesised) -> None:
    made = {group["GroupName"] for group in aws.of_type("AWS::Cognito::UserPoolGroup").values()}

    assert made == set(groups.ALL)


def test_in_prod_whoever_has_a_second_factor_is_asked_for_it_and_a_device_has_none(
    aws: Synthesised, prod: Synthesised
) -> None:
    [here], [there] = (stack.of_type("AWS::Cognito::UserPool").values() for stack in (aws, prod))

    assert (there["MfaConfiguration"], there["EnabledMfas"]) == ("OPTIONAL", ["SOFTWARE_TOKEN_MFA"])
    assert "MfaConfiguration" not in here


def test_nobody_signs_up_alone_or_with_a_weak_password(aws: Synthesised) -> None:
    pool = only(aws, "AWS::Cognito::UserPool")

    assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    policy = pool["Policies"]["PasswordPolicy"]
    assert policy.pop("MinimumLength") >= 12
    assert all(value is True for key, value in policy.items() if key.startswith("Require"))


def test_users_survive_the_stack(aws: Synthesised) -> None:
    pool = aws.resources[aws.output("UserPoolId")]

    assert pool["DeletionPolicy"] == KEPT
    assert pool["Properties"]["DeletionProtection"] == "ACTIVE"


def test_a_password_is_sent_only_to_the_emulator_or_by_an_administrator(aws: Synthesised, local: Synthesised) -> None:
    on_aws, on_the_emulator = (client_of_scripts(one) for one in (aws, local))

    # No SRP: its tokens may write, and the password of a screen on the wall would be enough.
    assert set(on_aws["ExplicitAuthFlows"]) == {"ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"}
    assert set(on_the_emulator["ExplicitAuthFlows"]) - set(on_aws["ExplicitAuthFlows"]) == {"ALLOW_USER_PASSWORD_AUTH"}


def test_what_the_client_of_scripts_gives_lasts_no_longer_than_a_token_and_can_be_withdrawn(aws: Synthesised) -> None:
    client = client_of_scripts(aws)

    assert client["RefreshTokenValidity"] == client["AccessTokenValidity"] == 60
    assert client["TokenValidityUnits"] == {"AccessToken": "minutes", "RefreshToken": "minutes"}
    assert client["EnableTokenRevocation"] is True


def test_the_client_of_scripts_offers_no_oauth_and_tells_nobody_who_exists(aws: Synthesised) -> None:
    client = client_of_scripts(aws)

    assert client["AllowedOAuthFlowsUserPoolClient"] is False
    assert client["PreventUserExistenceErrors"] == "ENABLED"


def test_access_is_logged_with_ids_and_outcomes_and_without_paths(aws: Synthesised) -> None:
    stage = only(aws, "AWS::ApiGatewayV2::Stage")

    log = stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]
    assert aws.of_type("AWS::Logs::LogGroup")[log]["RetentionInDays"] == 30
    to_response = json.loads(stage["AccessLogSettings"]["Format"]).values()
    assert {"$context.requestId", "$context.routeKey", "$context.status"} <= set(to_response)
    assert "$context.path" not in to_response


@pytest.mark.parametrize(
    "name", ["ApiUrl", "BoardUrl", "BusName", "UserPoolId", "UserPoolClientId", "FaultQueueUrl", "FaultsBucket"]
)
def test_what_scripts_need_is_an_output(aws: Synthesised, local: Synthesised, name: str) -> None:
    assert name in aws.outputs
    assert name in local.outputs
