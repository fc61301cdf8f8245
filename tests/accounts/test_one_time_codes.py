"""Codes of authenticator apps, against the numbers of RFC 4226 and RFC 6238."""

import base64
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from palaver.accounts.one_time_codes import (
    code_of,
    enrolment_uri,
    matching_step,
    new_secret,
    plain_code,
)

SECRET = base64.b32encode(b"12345678901234567890").decode()
# RFC 6238, appendix B: the secrets of the longer hashes are the same digits, longer.
SEEDS = {
    "sha1": SECRET,
    "sha256": base64.b32encode((b"1234567890" * 4)[:32]).decode(),
    "sha512": base64.b32encode((b"1234567890" * 7)[:64]).decode(),
}
VECTORS = [
    (59, "94287082", "46119246", "90693936"),
    (1111111109, "07081804", "68084774", "25091201"),
    (1111111111, "14050471", "67062674", "99943326"),
    (1234567890, "89005924", "91819424", "93441116"),
    (2000000000, "69279037", "90698825", "38618901"),
    (20000000000, "65353130", "77737706", "47863826"),
]
# RFC 4226, appendix D: counters 0 to 9.
COUNTED = [
    *("755224", "287082", "359152", "969429", "338314"),
    *("254676", "287922", "162583", "399871", "520489"),
]


@pytest.mark.parametrize(("time", "sha1", "sha256", "sha512"), VECTORS)
def test_the_numbers_of_rfc_6238(time: int, sha1: str, sha256: str, sha512: str) -> None:
    for hashed, expected in (("sha1", sha1), ("sha256", sha256), ("sha512", sha512)):
        assert code_of(SEEDS[hashed], time // 30, digits=8, hashed=hashed) == expected


def test_the_numbers_of_rfc_4226() -> None:
    assert [code_of(SECRET, step) for step in range(10)] == COUNTED


@pytest.mark.parametrize(
    ("now", "step"), [(2969.0, None), (2970.0, 100), (3000.0, 100), (3059.0, 100), (3060.0, None)]
)
def test_a_clock_may_be_one_step_off_and_no_more(now: float, step: int | None) -> None:
    assert matching_step(SECRET, code_of(SECRET, 100), now=now) == step


def test_a_step_that_was_used_matches_no_more() -> None:
    code = code_of(SECRET, 100)
    assert matching_step(SECRET, code, now=3000.0, after=99) == 100
    assert matching_step(SECRET, code, now=3000.0, after=100) is None


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "٠١٢٣٤٥", "-12345", "1e5   "])
def test_what_is_not_six_digits_is_not_a_code(code: str) -> None:
    assert matching_step(SECRET, code, now=3000.0) is None


def test_a_code_may_be_typed_with_a_blank() -> None:
    code = code_of(SECRET, 100)
    assert matching_step(SECRET, f" {code[:3]} {code[3:]}", now=3000.0) == 100


def test_an_app_reads_the_secret_and_whose_it_is() -> None:
    secret = new_secret()
    parts = urlsplit(enrolment_uri(secret, account="mara@lab.org", issuer="Palaver lab"))
    assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
    assert unquote(parts.path) == "/Palaver lab:mara@lab.org"
    asked = parse_qs(parts.query)
    assert (asked["secret"], asked["issuer"]) == ([secret], ["Palaver lab"])
    assert len(base64.b32decode(secret)) == 20


def test_recovery_codes_are_compared_without_dashes_and_case() -> None:
    assert plain_code(" BCDF-2345 ghjk-6789 ") == "bcdf2345ghjk6789"
