"""Credentials, region, endpoint and wire: from the environment, elsewhere from what botocore finds."""

import datetime as dt
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import boto3
import pytest

from andon.runtime.errors import CallFailed
from andon.testing.scripted_server import ReceivedRequest, ScriptedAnswer, ScriptedServer, whole
from andon.wire import aws, aws_json, credentials

VARIABLES: Final = (
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"),
    *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
    *("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_EVENTBRIDGE", "AWS_ENDPOINT_URL_SQS"),
)


@pytest.fixture(autouse=True)
def _nothing_is_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_WIRE", aws.LIBCURL)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_PROXY", "*")
    aws.forget()
    yield
    monkeypatch.undo()
    aws.forget()


def _configure(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # it remembers what it found
    aws.forget()


def test_lambdas_environment_says_who_signs_and_botocore_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    _configure(monkeypatch, AWS_ACCESS_KEY_ID="k", AWS_SECRET_ACCESS_KEY="s", AWS_SESSION_TOKEN="t", AWS_REGION="r")
    monkeypatch.setitem(sys.modules, "botocore.session", None)

    assert tuple(credentials.credentials()) == ("k", "s", "t")
    assert credentials.region() == "r"


def test_elsewhere_a_profile_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile dev]\nregion = eu-central-1\n")
    (tmp_path / "credentials").write_text("[dev]\naws_access_key_id = k\naws_secret_access_key = s\n")
    _configure(monkeypatch, AWS_PROFILE="dev")

    assert tuple(credentials.credentials()) == ("k", "s", "")
    assert credentials.region() == "eu-central-1"


def test_a_region_of_botocores_goes_before_another(monkeypatch: pytest.MonkeyPatch) -> None:
    _configure(monkeypatch, AWS_DEFAULT_REGION="eu-west-1", AWS_REGION="eu-west-2")

    assert credentials.region() == "eu-west-1"


def test_what_expires_is_refreshed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.write_text("0")
    # An assumed role's: each run makes other ones, which expire within the time in which botocore refreshes them.
    (tmp_path / "process.py").write_text(f"""
import json, pathlib
made = pathlib.Path({str(made)!r})
number = int(made.read_text()) + 1
made.write_text(str(number))
print(json.dumps({{"Version": 1, "AccessKeyId": f"k{{number}}", "SecretAccessKey": "s", "SessionToken": f"t{{number}}",
                   "Expiration": {(dt.datetime.now(dt.UTC) + dt.timedelta(minutes=1)).isoformat()!r}}}))
""")
    process = f"{sys.executable} {tmp_path / 'process.py'}"
    (tmp_path / "config").write_text(f"[default]\nregion = eu-central-1\ncredential_process = {process}\n")
    aws.forget()

    signed = []

    def note(asked: ReceivedRequest) -> ScriptedAnswer:
        signed.append((asked.headers["authorization"].split("/")[0], asked.headers["x-amz-security-token"]))
        return ScriptedAnswer(whole())

    with ScriptedServer(note) as server:
        _configure(monkeypatch, AWS_ENDPOINT_URL=server.url)
        for _ in range(2):
            aws.call("dynamodb", "get_item", TableName="things", Key={})

    (first, token), (second, another) = signed
    assert (first, second) != (first, first)
    assert token != another
    assert int(second[-1]) > int(first[-1])


def test_without_credentials_or_a_region_a_call_fails_as_botocores_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for wire in (aws.LIBCURL, aws.BOTOCORE):
        _configure(monkeypatch, AWS_WIRE=wire)
        with pytest.raises(CallFailed, match="NoRegionError"):
            aws.call("dynamodb", "get_item", TableName="things", Key={})
    for wire in (aws.LIBCURL, aws.BOTOCORE):
        _configure(monkeypatch, AWS_WIRE=wire, AWS_DEFAULT_REGION="eu-west-1")
        with pytest.raises(CallFailed, match="NoCredentialsError"):
            aws.call("dynamodb", "get_item", TableName="things", Key={})


def test_credentials_that_cannot_be_got_fail_the_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[default]\nregion = eu-central-1\ncredential_process = false\n")
    aws.forget()
    for wire in (aws.LIBCURL, aws.BOTOCORE):
        _configure(monkeypatch, AWS_WIRE=wire)
        with pytest.raises(CallFailed, match="CredentialRetrievalError"):
            aws.call("dynamodb", "get_item", TableName="things", Key={})


@pytest.mark.parametrize(
    ("variables", "urls"),
    [
        ({}, ("https://dynamodb.eu-west-1.amazonaws.com", "https://events.eu-west-1.amazonaws.com")),
        ({"AWS_ENDPOINT_URL": "http://a"}, ("http://a", "http://a")),
        ({"AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_DYNAMODB": "http://b"}, ("http://b", "http://a")),
        ({"AWS_ENDPOINT_URL_EVENTBRIDGE": "http://c"}, ("https://dynamodb.eu-west-1.amazonaws.com", "http://c")),
        (
            {"AWS_ENDPOINT_URL": "http://a", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"},
            ("https://dynamodb.eu-west-1.amazonaws.com", "https://events.eu-west-1.amazonaws.com"),
        ),
        ({"AWS_ENDPOINT_URL": "http://a", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false"}, ("http://a", "http://a")),
        (
            {"AWS_DEFAULT_REGION": "cn-north-1"},
            ("https://dynamodb.cn-north-1.amazonaws.com.cn", "https://events.cn-north-1.amazonaws.com.cn"),
        ),
    ],
)
def test_endpoints_are_botocores(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], urls: tuple[str, str]
) -> None:
    defaults = {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
    _configure(monkeypatch, **{**defaults, **variables})

    assert (aws_json.endpoint("dynamodb"), aws_json.endpoint("events")) == urls
    assert tuple(aws.client(service).meta.endpoint_url for service in ("dynamodb", "events")) == urls


def test_a_wire_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_WIRE", "curl")
    aws.wire.cache_clear()

    with pytest.raises(ValueError, match="AWS_WIRE must be libcurl or botocore, not curl"):
        aws.wire()


def test_without_pycurl_botocore_is_used_with_one_warning_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name in {"andon.wire.aws_json", "andon.wire.in_turns"}]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "andon.wire.curl")
    for name in ("aws_json", "in_turns", "curl"):
        monkeypatch.delattr(f"andon.wire.{name}")
    monkeypatch.setitem(sys.modules, "pycurl", None)
    aws.wire.cache_clear()

    with (
        ScriptedServer(lambda _: ScriptedAnswer(whole({"Item": {}}))) as server,
        warnings.catch_warnings(record=True) as seen,
    ):
        warnings.simplefilter("always")
        for name, value in {
            "AWS_ENDPOINT_URL": server.url,
            "AWS_DEFAULT_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "k",
            "AWS_SECRET_ACCESS_KEY": "s",
            "POWERTOOLS_METRICS_NAMESPACE": "Andon",
            "STAGE": "dev",
        }.items():
            monkeypatch.setenv(name, value)
        for _ in range(3):
            assert aws.call("dynamodb", "get_item", TableName="things", Key={})["Item"] == {}
        assert aws.wire() == aws.BOTOCORE

    assert [str(one.message) for one in seen] == ["pycurl cannot be imported: botocore is used, at ten times the CPU"]
    assert json.loads(server.requests[0].body)["TableName"] == "things"
    [line] = map(json.loads, capsys.readouterr().out.splitlines())
    [counted] = line["_aws"]["CloudWatchMetrics"]
    assert (line[aws.FELL_BACK], line[aws.WIRE], counted["Dimensions"]) == (1, aws.BOTOCORE, [[aws.WIRE, "stage"]])
