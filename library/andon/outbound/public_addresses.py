"""Addresses of the internet, told from those of our own network, of this machine and of AWS's metadata. Pure.

https://www.iana.org/assignments/iana-ipv4-special-registry/ and …/iana-ipv6-special-registry/
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

# Link-local is the metadata's 169.254.169.254, and a whole block is refused where only a part of it is special.
NOT_PUBLIC_4: Final = tuple(
    map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
        ),
    )
)

# All that was ever given out; what tunnels lead to (Teredo, 6to4) and documentation lie within it.
UNICAST_6: Final = IPv6Network("2000::/3")
NOT_PUBLIC_6: Final = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20"))
)

# The gateways of networks that have IPv6 only: the last 32 bits are an address of IPv4, which counts.
NAT64: Final = IPv6Network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Return True if an address, as a socket has it, is one of the internet."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return _is_public_6(address)


def _is_public_6(address: IPv6Address) -> bool:
    if address in NAT64:
        return is_public(str(IPv4Address(int(address) & 0xFFFFFFFF)))
    # One that maps an address of IPv4 is refused with all that is not unicast: nobody's name has such an address.
    return address.scope_id is None and address in UNICAST_6 and not any(address in one for one in NOT_PUBLIC_6)
