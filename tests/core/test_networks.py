"""Addresses are shortened to networks before they are stored."""

import pytest

from palaver.core.networks import network_of


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
        ("testclient", None),
        ("", None),
        (None, None),
    ],
)
def test_only_the_network_is_kept(given: str | None, kept: str | None) -> None:
    assert network_of(given) == kept
