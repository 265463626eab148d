"""The deployed HTTP API on the public port, and nothing else there; `lab/attack/front.py` tries the sign-in paths."""

import re
import time

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
