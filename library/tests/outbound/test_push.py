"""Web push, beside the libraries that others use: what we encrypt they read, what we sign they verify."""

import base64
import json
import os
from collections.abc import Iterator
from typing import Any, Final

import http_ece  # type: ignore[import-untyped]
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from outbound.ended import assert_ended
from outbound.messages import MESSAGE
from py_vapid import Vapid02  # type: ignore[import-untyped]

from andon.outbound.addresses import Hosts, decoded, encoded
from andon.outbound.delivery import Message, NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.push import (
    ADDRESS,
    GONE,
    MOST_BYTES,
    RECORD_BYTES,
    Ephemeral,
    Push,
    Signer,
    content_of,
    encrypt,
    ephemeral,
)
from andon.outbound.variables import SINK
from andon.testing.environment import frozen_clock
from andon.testing.scripted_server import ScriptedServer, in_turn, whole

NOW_MS: Final = 1_795_000_000_000
ORIGIN: Final = "https://fcm.googleapis.com"
AUTH: Final = bytes(range(16))
BROWSER: Final = ec.generate_private_key(ec.SECP256R1())
SECRET: Final = "a secret of letters and digits, as Secrets Manager makes one"
CONTACT: Final = "mailto:andon@example.com"
HOSTS: Final = Hosts(["fcm.googleapis.com", "*.push.apple.com"])
PUSH: Final = Push(HOSTS, signer=lambda: Signer(SECRET), contact=CONTACT)


def point_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def subscription(**changed: object) -> dict[str, Any]:
    keys = {"p256dh": encoded(point_of(BROWSER)), "auth": encoded(AUTH)}
    return {"endpoint": f"{ORIGIN}/fcm/send/abc:1", "expirationTime": None, "keys": keys, **changed}


TO_ANA: Final = MESSAGE._replace(address=json.dumps(subscription()))


def read(body: bytes) -> bytes:
    """Return what the browser reads."""
    content: bytes = http_ece.decrypt(body, private_key=BROWSER, auth_secret=AUTH, version="aes128gcm")
    return content


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(in_turn(whole(b"", 201))) as sink, frozen_clock(NOW_MS):
        monkeypatch.setenv(SINK, sink.url)
        yield sink


@given(st.binary(max_size=MOST_BYTES))
def test_the_browser_reads_what_was_encrypted_for_it(content: bytes) -> None:
    body = encrypt(content, browser=point_of(BROWSER), auth=AUTH, once=ephemeral(os.urandom(16)))

    assert read(body) == content
    assert len(body) <= RECORD_BYTES


def test_the_example_of_the_standard_comes_out_byte_by_byte() -> None:
    # https://www.rfc-editor.org/rfc/rfc8291#section-5
    private = int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    once = Ephemeral(ec.derive_private_key(private, ec.SECP256R1()), decoded("DGv6ra1nlYgDCS1FRnbzlw"))
    browser = decoded("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")

    body = encrypt(
        b"When I grow up, I want to be a watermelon", browser=browser, auth=decoded("BTBZMqHH6r4Tts7J_aSIgg"), once=once
    )

    assert encoded(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A"
        "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_no_two_messages_are_encrypted_alike(sink: ScriptedServer) -> None:
    PUSH.send(TO_ANA)
    PUSH.send(TO_ANA)

    first, second = (asked.body for asked in sink.requests)
    assert first[:16] != second[:16]
    assert first[21:86] != second[21:86]
    assert read(first) == read(second) == content_of(TO_ANA)


def test_a_push_service_can_verify_who_we_are(sink: ScriptedServer) -> None:
    assert_ended(PUSH.send(TO_ANA), Sent(""))

    (asked,) = sink.requests
    authorization = asked.headers["authorization"]
    assert Vapid02.verify(authorization)
    token = authorization.removeprefix("vapid t=").partition(",")[0]
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims == {"aud": ORIGIN, "exp": NOW_MS // 1000 + 12 * 3600, "sub": CONTACT}
    assert authorization.endswith(f",k={Signer(SECRET).public_key}")


def test_what_is_about_the_same_takes_the_place_of_what_nobody_has_read(sink: ScriptedServer) -> None:
    for message in (TO_ANA, TO_ANA._replace(id="m-2", urgency="low"), TO_ANA._replace(about="thing/8" * 99)):
        PUSH.send(message)

    headers = [asked.headers for asked in sink.requests]
    first, second, other = (one["topic"] for one in headers)
    assert first == second != other
    assert {len(first), len(other)} == {32}
    assert [one["urgency"] for one in headers] == ["high", "normal", "high"]
    assert {(one["ttl"], one["content-encoding"]) for one in headers} == {("14400", "aes128gcm")}
    assert sink.requests[0].start == "POST /fcm.googleapis.com/fcm/send/abc:1 HTTP/1.1"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *(
            (404, RefusedForGood(GONE)),
            (410, RefusedForGood(GONE)),
            (401, NotTaken("unsigned")),
            (403, RefusedForGood("HTTP 403")),
            (413, RefusedForGood("HTTP 413")),
        ),
        *((429, NotTaken("HTTP 429")), (503, Unknown("HTTP 503"))),
    ],
)
def test_what_the_service_answers_decides(status: int, expected: Outcome, sink: ScriptedServer) -> None:
    sink.script = in_turn(whole(b"", status))

    assert_ended(PUSH.send(TO_ANA), expected)


KEYS: Final = subscription()["keys"]


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "no JSON",
            "[]",
            "{}",
            json.dumps(subscription(endpoint="https://evil.org/")),
            json.dumps(subscription(keys={})),
        ),
        *(json.dumps(subscription(endpoint=one)) for one in (None, "http://fcm.googleapis.com/x", "https://10.0.0.1/")),
        json.dumps(subscription(keys={**KEYS, "auth": encoded(AUTH[:15])})),
        json.dumps(subscription(keys={**KEYS, "p256dh": encoded(b"\x04" + b"\x01" * 64)})),  # no point of the curve
        json.dumps(subscription(keys={**KEYS, "p256dh": KEYS["p256dh"] + "=="})),
    ],
)
def test_what_is_no_subscription_at_a_host_of_the_list_gets_nothing(address: str, sink: ScriptedServer) -> None:
    assert_ended(PUSH.send(MESSAGE._replace(address=address)), RefusedForGood(ADDRESS))
    assert sink.connections == 0


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50), st.sampled_from([1, 10, 5_000]))
def test_a_text_that_is_too_long_is_cut_and_the_rest_stays(text: str, times: int) -> None:
    message: Message = MESSAGE._replace(text=text * times)
    content = content_of(message)

    said = json.loads(content)
    assert len(content) <= MOST_BYTES
    assert message.text.startswith(said["text"])
    assert said["text"] == message.text or len(message.text) > 100
    assert (said["subject"], said["link"], said["id"]) == (MESSAGE.subject, MESSAGE.link, "m-1")
