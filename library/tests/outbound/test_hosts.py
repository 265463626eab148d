"""Addresses that a person may give: in their plainest form, at the hosts of a list."""

from typing import Final
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.outbound.addresses import Destination, HostRefused, Hosts

HOSTS: Final = Hosts(["events.pagerduty.com", "*.example.com", "hooks.plant.mx:8443"])


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://events.pagerduty.com", Destination("events.pagerduty.com", 443, "/", "")),
        (
            "https://events.pagerduty.com/v2/enqueue#R0ut1ng",
            Destination("events.pagerduty.com", 443, "/v2/enqueue", "R0ut1ng"),
        ),
        ("https://events.pagerduty.com:443/v2", Destination("events.pagerduty.com", 443, "/v2", "")),
        ("https://a.b.example.com?sig=%2F", Destination("a.b.example.com", 443, "/?sig=%2F", "")),
        ("https://hooks.plant.mx:8443/x", Destination("hooks.plant.mx", 8443, "/x", "")),
    ],
)
def test_an_address_at_a_host_of_the_list_is_taken(address: str, target: Destination) -> None:
    assert HOSTS.target_of(address) == target
    assert "#" not in target.url


@pytest.mark.parametrize(
    "address",
    [
        *("http://events.pagerduty.com/", "https://events.pagerduty.com:8443/", "https://hooks.plant.mx/"),
        *("https://example.com/", "https://example.com.evil.org/", "https://evilexample.com/", "https://.example.com/"),
        *(
            "https://events.pagerduty.com@evil.org/",
            "https://evil.org\\@events.pagerduty.com/",
            "https://a.example.com./",
        ),
        *(
            "https://evil.org#events.pagerduty.com",
            "https://events.pagerduty.com:0443/",
            "https://EVENTS.pagerduty.com/",
        ),
        *(
            "https://events.pagerduty.com/\r\nHost: evil.org",
            "https://events.pagerduty.com/ü",
            " https://a.example.com/",
        ),
        *(
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://localhost/",
            "https://a.example.com/\n",
            "//a.example.com",
            "",
        ),
        "https://a.example.com/" + "a" * 2_048,
    ],
)
def test_any_other_address_is_refused_without_being_named(address: str) -> None:
    with pytest.raises(HostRefused) as refused:
        HOSTS.target_of(address)

    assert "evil" not in str(refused.value)


def test_an_empty_list_lets_nothing_out() -> None:
    with pytest.raises(HostRefused):
        Hosts([]).target_of("https://events.pagerduty.com/")


AUTHORITY: Final = st.text("events.pagerduty.com:@/\\#?%[]443 ", max_size=40)


@given(AUTHORITY, st.text("/?#@:\\.ac%", max_size=10))
def test_what_is_taken_leads_to_a_host_of_the_list_however_it_is_read(authority: str, rest: str) -> None:
    address = f"https://{authority}events.pagerduty.com{rest}"
    try:
        target = HOSTS.target_of(address)
    except HostRefused:
        return
    assert urlsplit(address).hostname == target.host == "events.pagerduty.com"
