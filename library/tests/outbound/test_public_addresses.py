"""Addresses of the internet, and all the others, in each of their forms."""

from ipaddress import IPv4Address, IPv6Address
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.outbound.provider import is_public

OURS_4: Final = (
    *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "169.254.170.2"),  # noqa: S104
    *("172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"),
)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "2600:1f18::1", "2606:4700::1111"]
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", OURS_4)
@pytest.mark.parametrize(
    "form", ["{}", "::ffff:{}", "64:ff9b::{}", "::{}"], ids=["plain", "mapped", "NAT64", "compatible"]
)
def test_an_address_of_ours_is_not_public_in_any_form(address: str, form: str) -> None:
    assert not is_public(form.format(address))


@pytest.mark.parametrize(
    "address",
    [
        *("::", "::1", "fe80::1", "fe80::1%eth0", "2600::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1"),
        *("2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::", "100::1", "64:ff9b:1::a00:1", "::ffff:8.8.8.8"),
        *("", "localhost", "127.1", "0177.0.0.1", "2130706433", "0x7f.0.0.1", "8.8.8.8:443"),
    ],
)
def test_nothing_else_is_public(address: str) -> None:
    assert not is_public(address)


def test_behind_a_gateway_of_ipv6_the_address_of_ipv4_counts() -> None:
    assert is_public("64:ff9b::8.8.8.8")


@given(st.one_of(st.integers(0, 2**32 - 1).map(IPv4Address), st.integers(2**125, 2**126 - 1).map(IPv6Address)))
def test_what_is_public_is_global_to_the_standard_library_too(address: IPv4Address | IPv6Address) -> None:
    assert address.is_global or not is_public(str(address))
