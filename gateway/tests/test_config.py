import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from andon_gateway.brokers import Broker, Tls
from andon_gateway.claim import Claim
from andon_gateway.config import parse, read
from andon_gateway.kinds import MqttSource, OpcuaSource, Password, Security, SparkplugSource
from andon_gateway.north import ByMqtt
from andon_gateway.states import NoSignal
from andon_gateway.tables import BadConfiguration

README: Final = Path(__file__).parents[1] / "README.md"
EXAMPLE, OPCUA, MQTT, SPARKPLUG, NORTH, CLAIM = re.findall(
    r"^```toml\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL
)
ALL: Final = EXAMPLE + OPCUA + MQTT + SPARKPLUG


def test_the_example_of_the_readme_is_a_configuration(tmp_path: Path) -> None:
    found = parse(EXAMPLE, tmp_path)

    press = found.machines["gdl-press-1"]
    assert [rule.state for rule in press.machine.rules] == ["ERROR", "WARNING1", "NORMAL"]
    assert press.machine.rules[1].for_ms == 2000
    assert press.machine.no_signal == NoSignal(60_000, "NOSIGNAL")
    assert [source.name for source in found.sources] == ["line-3"]


def test_the_example_of_opc_ua_is_a_source_with_files_of_the_folder(tmp_path: Path) -> None:
    assert parse(ALL, tmp_path).sources[1] == OpcuaSource(
        "line-4",
        "opc.tcp://10.0.3.11:4840",
        Security("Basic256Sha256", (tmp_path / "line-4.der",), tmp_path / "gateway.der", tmp_path / "gateway.key"),
        Password("andon", tmp_path / "line-4.password"),
        250,
        has_times=True,
    )


def test_the_examples_of_mqtt_are_sources_with_files_of_the_folder(tmp_path: Path) -> None:
    tls = Tls(ca=tmp_path / "plant-ca.pem")
    password = tmp_path / "cell-7.password"

    assert parse(ALL, tmp_path).sources[2:] == (
        MqttSource("cell-7", Broker("broker.plant", 8883, tls, "andon", password), ("timestamp",), 60_000),
        SparkplugSource("line-5", Broker("broker.plant", 8883, Tls()), has_times=True),
    )


def by_mqtt(north: str = NORTH) -> str:
    """The example, with another way to the API."""
    return f"{north}{EXAMPLE[EXAMPLE.index('[[source]]') :]}"


def test_the_example_of_reports_over_mqtt_is_a_topic_of_the_factory(tmp_path: Path) -> None:
    topic = "$aws/rules/Andon_factory/Andon/factory/Andon:gdl-1/states"
    key = Path("/run/credentials/andon-gateway.service/key")
    place = Broker("abc123-ats.iot.eu-central-1.amazonaws.com", 8883, client_id="Andon:gdl-1")

    found = parse(by_mqtt(), tmp_path).north
    by_443 = parse(by_mqtt(NORTH.replace("# port", "port")), tmp_path).north

    assert found == ByMqtt(replace(place, tls=Tls(certificate=tmp_path / "gateway.crt", key=key)), topic)
    assert isinstance(by_443, ByMqtt)
    assert by_443.broker.tls == Tls(certificate=tmp_path / "gateway.crt", key=key, alpn=("x-amzn-mqtt-ca",))


def by_claim(claim: str = CLAIM) -> str:
    """The same, with a certificate that is asked for."""
    others = [line for line in NORTH.splitlines(keepends=True) if not line.startswith(("certificate", "key"))]
    return by_mqtt(f"{''.join(others)}{claim}")


def test_the_example_of_a_claim_asks_for_the_factory_by_its_first_machine(tmp_path: Path) -> None:
    found, files = parse(by_claim(), tmp_path).north, tmp_path / "claim"

    assert isinstance(found, ByMqtt)
    assert found.claim == Claim(
        files / "certificate.pem", files / "key.pem", "Andon_factory", "Andon_claim:", "gdl-1", "gdl-press-1"
    )


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("gateway.key", "gateway.crt", "andon.claim: andon.certificate and andon.key should be two files"),
        ('key = "claim/', '# "', "andon.claim: key is missing"),
        ("# template", "colour = 1\n# template", "andon.claim: nobody knows colour"),
    ],
)
def test_what_is_wrong_with_a_claim_is_said(tmp_path: Path, before: str, after: str, reason: str) -> None:
    assert before in CLAIM

    with pytest.raises(BadConfiguration, match=reason):
        parse(by_claim(CLAIM.replace(before, after, 1)), tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ('via = "mqtt"', 'via = "pigeon"', "andon.via: should be https or mqtt, not pigeon"),
        ("clock_is_right = true", "", "andon.clock_is_right: should be true"),
        ("Andon:gdl-1", "gdl-1", "andon.thing: should be the deployment and the factory"),
        ("Andon:gdl-1", "Andon:Línea", "andon.thing: "),
        ('# rule = "Andon_factory"', 'rule = "a/b"', "andon.rule: should be the name of a topic rule"),
        ("certificate = ", "# ", "andon: certificate is missing"),
        ("endpoint = ", 'token_file = "t"\nendpoint = ', "andon: nobody knows token_file"),
    ],
)
def test_what_is_wrong_with_reports_over_mqtt_is_said(tmp_path: Path, before: str, after: str, reason: str) -> None:
    assert before in NORTH

    with pytest.raises(BadConfiguration, match=reason):
        parse(by_mqtt(NORTH.replace(before, after, 1)), tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("[andon]", "[andon", "no TOML"),
        ("[andon]", "[andonn]", "andon is missing"),
        ("url =", "uri =", "andon: url is missing"),
        ("url =", "colour = 1\nurl =", "andon: nobody knows colour"),
        ("token_file =", "token_command = ['x']\ntoken_file =", "not both"),
        ('kind = "lines"', 'kind = "carrier-pigeon"', r"source\[0\].kind: nobody knows carrier-pigeon"),
        ('quiet = "60s"', 'quiet = "a while"', r"source\[0\].quiet: should be a duration"),
        ('source = "line-3"', 'source = "line-9"', r"machine\[0\].source: there is no source line-9"),
        ('"oil > 80"', '"oill > 80"', r"machine\[0\].states\[1\]: oill is no value"),
        ('"WARNING1"', '"warning"', r"states\[1\].is: should be capital letters"),
        ('{ is = "NORMAL" }', '{ is = "NORMAL", when = "oil > 1" }', "is without `when`"),
        ('repeat = "10m"', 'repeat = "7m"', "longer than 7.5 minutes"),
        ('for = "2s"', "for = 2", r"states\[1\].for: should be str"),
        ('after = "60s", ', "", "no_signal: after is missing"),
        ("security = ", "# ", r"source\[1\]: security is missing"),
        ("Basic256Sha256, SignAndEncrypt", "Basic256, SignAndEncrypt", r"source\[1\].security: should be one of"),
        ('"Basic256Sha256, SignAndEncrypt"', '"None"', "'None' has no use for trust"),
        ("trust = ", "# ", "needs trust, a certificate and its key"),
        ("password_file = ", "# ", "a user has a password_file"),
        ('publish = "250ms"', 'publish = "5ms"', r"source\[1\].publish: should be 10ms to 60s"),
        ('time = "source"', 'time = "utc"', r"source\[1\].time: should be one of source, received"),
        ("opc.tcp://", "opc.tcp://a:b@", r"source\[1\].url: should be such as"),
        ("nsu=urn:plc;s=Press2.Mode", "ns=2;s=Press2.Mode", r"machine\[1\].values.mode: .* write nsu="),
        ("mqtts://broker.plant:8883", "mqtt://broker.plant", r"source\[2\].url: mqtts://, for ca"),
        ("mqtts://broker.plant:8883", "tcp://broker.plant", r"source\[2\].url: should be such as mqtts://"),
        ("mqtts://broker.plant:8883", "mqtts://a:b@broker.plant", r"source\[2\].url: should be such as mqtts://"),
        ("mqtts://broker.plant:8883", "mqtts://broker.plant:port", r"source\[2\].url: "),
        ('password_file = "cell-7.password"', "", r"source\[2\]: a certificate has a key, and a user has"),
        ('time = "/timestamp"', 'time = "timestamp"', r"source\[2\].time: .* should be a JSON Pointer"),
        ("plant/press-3/mode", "plant/+/mode", r"machine\[2\].values.mode: .* without \+"),
        ("Guadalajara/line-5#EStop", "line-5#EStop", r"machine\[3\].values.estop: .* GROUP/NODE#METRIC"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, before: str, after: str, reason: str) -> None:
    assert before in ALL

    with pytest.raises(BadConfiguration, match=reason):
        parse(ALL.replace(before, after, 1), tmp_path)


def test_a_password_is_not_sent_where_anybody_can_read_it(tmp_path: Path) -> None:
    secure = re.search("^security.*?^user", OPCUA, re.MULTILINE | re.DOTALL)
    assert secure

    with pytest.raises(BadConfiguration, match="not with security = 'None'"):
        parse(EXAMPLE + OPCUA.replace(secure[0], 'security = "None"\nuser'), tmp_path)


def test_a_file_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="cannot be read"):
        read(tmp_path / "none.toml")
