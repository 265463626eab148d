"""The deployed HTTP API on the public port, and nothing else there."""

import http.client
import json
import re
import time
from contextlib import closing
from urllib.parse import urlencode, urlsplit

import pytest

from andon.runtime import times
from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from andon.tools.stack.stack import Stack
from contract import groups

# Of one request, and so never the same twice.
OF_ONE_REQUEST = {"date", "apigw-requestid", "x-request-id", "x-amzn-requestid", "x-amz-request-id", "x-after"}
LOGS = path_of("equipment", "press-7#a", "logs")
FOREIGN = [
    {"origin": "https://example.com", "sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"host": "rebound.example"},
]
# Each of them makes something of AWS at any path that the emulator does not look at first.
QUEUE = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}
CREATE_STACK = urlencode({"Action": "CreateStack", "StackName": "hostile", "TemplateBody": json.dumps(QUEUE)})
CREATE_TABLE = json.dumps(
    {
        "TableName": "hostile",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
)
FORM = {"content-type": "application/x-www-form-urlencoded"}
TARGET = {"x-amz-target": "DynamoDB_20120810.CreateTable", "content-type": "application/x-amz-json-1.0"}
SIGNED = {"authorization": "AWS4-HMAC-SHA256 Credential=test/20261122/us-east-1/dynamodb/aws4_request, Signature=0"}


@pytest.fixture(scope="module")
def behind(stack: Stack) -> str:
    """Return the API's address on the emulator itself."""
    apis = stack.client("apigatewayv2").get_apis()["Items"]
    (api_id,) = [api["ApiId"] for api in apis]
    return f"{stack.outputs['Endpoint']}/_aws/execute-api/{api_id}"


def _comparable(answer: HttpResponse) -> tuple[int, dict[str, str], bytes]:
    headers = {name: value for name, value in answer.headers.items() if name not in OF_ONE_REQUEST}
    return answer.status, headers, re.sub(rb'"changedAt":"[^"]*"', b"", answer.body)


@pytest.mark.parametrize(
    "path", [LOGS, f"{LOGS}?state=WARNING*&limit=2", f"{LOGS}?limit=nothing", "/faults", "/", "/no/route"]
)
def test_reads_are_answered_as_by_the_emulator_itself(stack: Stack, behind: str, path: str) -> None:
    token = stack.token(groups.OPERATOR)

    through, direct = (ApiClient(url, token).get(path) for url in (stack.outputs["ApiUrl"], behind))

    assert _comparable(through) == _comparable(direct)


def test_without_a_token_the_answer_is_api_gateways(stack: Stack, behind: str) -> None:
    through, direct = (ApiClient(url).get(LOGS) for url in (stack.outputs["ApiUrl"], behind))

    assert through.status == 401
    assert _comparable(through) == _comparable(direct)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_what_a_page_of_another_site_sends_changes_nothing(stack: Stack, headers: dict[str, str]) -> None:
    device, equipment = stack.api(groups.DEVICE, "press-x"), "press-x"
    report = path_of("equipment", equipment, "states", times.to_utc(int(time.time() * 1000)))

    put = device.request("PUT", report, {"state": "ERROR"}, headers)

    assert put.status == 403
    assert "access-control-allow-origin" not in put.headers
    assert stack.api(groups.OPERATOR).get(path_of("equipment", equipment, "states", "latest")).status == 404


def test_a_page_that_the_api_serves_itself_is_no_foreigner(stack: Stack) -> None:
    same = {"origin": stack.outputs["ApiUrl"], "sec-fetch-site": "same-origin"}

    assert stack.api(groups.OPERATOR).request("GET", LOGS, headers=same).status == 200


@pytest.mark.parametrize(
    "path",
    ["/2015-03-31/functions", "/_ministack/reset", "/restapis", "/_aws/execute-api", "/oauth2/idpresponse"],
)
def test_nothing_else_of_the_emulator_is_reached(stack: Stack, path: str) -> None:
    before = len(stack.client("lambda").list_functions()["Functions"])

    answer = ApiClient(stack.outputs["ApiUrl"]).request(
        "POST", path, {"FunctionName": "any"}, {"content-type": "text/plain"}
    )

    assert (answer.status, answer.json) == (404, {"message": "Not Found"})
    assert len(stack.client("lambda").list_functions()["Functions"]) == before


def made(stack: Stack) -> list[set[str]]:
    """Return the AWS resources in the emulator that a hostile request here would add to."""
    stacks = stack.client("cloudformation").describe_stacks()["Stacks"]
    return [{one["StackName"] for one in stacks}, set(stack.client("dynamodb").list_tables()["TableNames"])]


@pytest.mark.parametrize(
    ("method", "query", "body", "headers"),
    [
        ("GET", f"?{CREATE_STACK}", None, {}),
        ("POST", f"?{CREATE_STACK}", None, {}),
        ("POST", "", CREATE_STACK, FORM),
        ("PUT", "", CREATE_STACK, FORM),
        ("POST", "", CREATE_TABLE, TARGET),
        ("PUT", "", CREATE_TABLE, TARGET),
        ("PUT", "", CREATE_TABLE, TARGET | SIGNED),
    ],
)
@pytest.mark.parametrize("path", ["/login", "/logout", "/oauth2/authorize", "/oauth2/token", "{pool}", "/", "/x", LOGS])
def test_no_path_takes_what_is_for_another_service(
    stack: Stack, path: str, method: str, query: str, body: str | None, headers: dict[str, str]
) -> None:
    before = made(stack)
    pool = f"/{stack.outputs['UserPoolId']}/.well-known/openid-configuration"

    with closing(http.client.HTTPConnection(urlsplit(stack.outputs["ApiUrl"]).netloc, timeout=60)) as connection:
        connection.request(method, path.format(pool=pool) + query, body, headers)
        answer = connection.getresponse()
        said = answer.read()

    assert made(stack) == before
    if path in {"/", LOGS}:  # routes of the API, which has no such methods, and asks for a token
        assert (answer.status, method) in {(200, "GET"), (401, "GET"), (404, "POST"), (404, "PUT")}
    else:
        assert answer.status == 404
    assert b"amazonaws.com/doc" not in said
