from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.tools.stack.sign_in_paths import LONGEST, Body, body_after, routes

FORM = {"host": "127.0.0.1", "Content-Type": "application/x-www-form-urlencoded"}
# Whatever the emulator's parser could take for a member, and for what is between two of them.
PIECES = st.sampled_from(
    ["client_id", "logout_uri", "username", "Action", "action", "%41ction", "CreateStack", "X-Amz-Credential", "é", ""]
) | st.text(max_size=2)
TEXTS = st.lists(PIECES | st.sampled_from("=&;?#+%\r\n\0 \t"), max_size=9).map("".join)


def body(path: str, length: object, **more: str) -> Body | None:
    headers = FORM | {"content-length": f"{length}"} | {name.replace("_", "-"): value for name, value in more.items()}
    return body_after("POST", path, "", headers.items())


def test_a_pool_has_these_paths() -> None:
    names = ("/login", "/logout", "/oauth2/authorize", "/oauth2/token", "/pool_1/.well-known/openid-configuration")

    assert routes("pool_1") == {name: name for name in names}


@given(TEXTS)
@example("client_id=a&Action=b")
@example("client_id=a&action=b")
@example("client_id=a&client_id=b")
@example("client_id=a;Action=b")
def test_whatever_is_let_through_the_emulator_reads_known_names_in_it_once_each(text: str) -> None:
    form = body("/login", 9)
    assert form is not None
    sent = text.encode()
    let_through = [
        (body_after("GET", "/logout", text, {"host": "127.0.0.1"}.items()) is not None, {"client_id", "logout_uri"}),
        (form.is_form(sent), form.names),
    ]

    for is_let_through, names in let_through:
        if is_let_through:
            read = parse_qs(sent.decode("utf-8", errors="replace"), keep_blank_values=True)
            assert read.keys() <= names
            assert all(len(values) == 1 for values in read.values())


@given(st.dictionaries(st.sampled_from(["client_id", "logout_uri"]), st.text()))
def test_whatever_a_browser_writes_as_a_value_is_let_through(members: dict[str, str]) -> None:
    assert body_after("GET", "/logout", urlencode(members, errors="replace"), ()) == Body(0, frozenset())


@pytest.mark.parametrize("kind", ["Application/x-www-form-urlencoded", f"{FORM['Content-Type']};charset=UTF-8"])
def test_a_form_is_one_however_its_type_is_written(kind: str) -> None:
    headers = {"content-type": kind, "Content-Length": f"{LONGEST}"}

    assert body_after("POST", "/oauth2/token", "", headers.items()) is not None


@pytest.mark.parametrize("length", [LONGEST + 1, "", "-1", "+1", "1, 1", "0x1", "1e3", "٣"])
def test_a_form_says_how_long_it_is_and_is_not_long(length: object) -> None:
    assert body("/login", length) is None


@pytest.mark.parametrize("kind", ["", "text/plain", "application/json", "multipart/form-data", "{};charset=utf-16"])
def test_anything_but_a_form_is_refused(kind: str) -> None:
    headers = {"content-type": kind.format(FORM["Content-Type"]), "content-length": "0"}

    assert body_after("POST", "/login", "", headers.items()) is None


def test_what_the_emulator_would_join_is_refused() -> None:
    once = [*FORM.items(), ("content-length", "0")]

    assert body_after("POST", "/login", "", once) is not None
    for header in once[1:]:
        assert body_after("POST", "/login", "", [*once, header]) is None
