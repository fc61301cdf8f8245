"""The network that an address belongs to: enough to see where somebody acts from, and no machine."""

from ipaddress import IPv6Address, ip_address, ip_network


def network_of(address: str | None) -> str | None:
    """The network of an address, /24 or /48 for IPv6; None where it is not an address.

    >>> network_of("198.51.100.7"), network_of("2001:db8:1:2::3"), network_of("::ffff:198.51.100.7")
    ('198.51.100.0/24', '2001:db8:1::/48', '198.51.100.0/24')
    """
    try:
        found = ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return str(ip_network((found, 24 if found.version == 4 else 48), strict=False))
