"""Where an address that came from outside may lead: to the public network, and nowhere else.

A name is resolved once, every address it leads to is looked at, and the connection goes to one of
those that were looked at: a name that leads elsewhere a moment later finds nobody who asks again. See
`docs/design/one-way-out.md`.
"""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from palaver.core.errors import InputError

# Whether addresses inside this network may be reached: all of them, none, or those of these hosts.
Inside = bool | Sequence[str]

# Relays of 6to4, which Python calls global.
_RELAYS = IPv4Network("192.88.99.0/24")
# All that is handed out to single machines; everything else of IPv6 is for networks themselves.
_UNICAST = IPv6Network("2000::/3")
# Parts of it that carry an IPv4 address or an identity, and lead wherever a gateway takes them.
_CARRIERS = tuple(
    IPv6Network(each)
    for each in (
        "2001::/32",  # Teredo
        "2001:10::/28",  # ORCHID
        "2001:20::/28",  # ORCHIDv2
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
    )
)


class InsideError(InputError):
    """An address that came from outside leads inside."""


@dataclass(frozen=True, slots=True)
class Destination:
    """One address of a host, as a socket takes it."""

    family: socket.AddressFamily
    address: str
    port: int


def is_public(address: str) -> bool:
    """Whether an address belongs to the public network.

    >>> [is_public(each) for each in ("9.9.9.9", "10.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    try:
        found: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return _is_public_6(found)
        found = found.ipv4_mapped
    return found.is_global and not found.is_multicast and found not in _RELAYS


def may_lie_inside(host: str, inside: Inside) -> bool:
    """Whether this host may be reached wherever it is."""
    if isinstance(inside, bool):
        return inside
    return host.strip(".").lower() in {each.strip(".").lower() for each in inside}


def resolve(host: str, port: int, *, inside: Inside = False) -> list[Destination]:
    """The addresses of a host; InsideError if even one of them may not be reached."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise InputError(f"The host '{host[:80]}' cannot be found ({error}).") from error
    addresses = [Destination(each[0], str(each[4][0]), port) for each in found]
    if not may_lie_inside(host, inside) and not all(is_public(each.address) for each in addresses):
        raise _inside(host)
    return list(dict.fromkeys(addresses))


async def resolve_beside(host: str, port: int, *, inside: Inside = False) -> list[Destination]:
    """The same without holding up the event loop."""
    return await asyncio.to_thread(resolve, host, port, inside=inside)


def check_peer(host: str, peer: object, *, inside: Inside) -> None:
    """Raise InsideError unless the other end of a connection is where it was meant to go."""
    address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
    if not may_lie_inside(host, inside) and not is_public(address):
        raise _inside(host)


def _inside(host: str) -> InsideError:
    return InsideError(
        f"'{host[:80]}' is not on a public address. Whoever runs the server can allow it: "
        "'private_endpoints' in palaver.yaml takes true or the names of hosts."
    )


def _is_public_6(found: IPv6Address) -> bool:
    carried = any(found in network for network in _CARRIERS)
    return found in _UNICAST and found.is_global and found.scope_id is None and not carried
