"""What SONA answers to a credit, in its own XML, and what nobody should be able to make of it."""

import pytest

from palaver.crowds.panels.sona_credit import read_credit
from support.sona import ALREADY, GIVEN, REFUSED


def test_a_credit_that_was_given() -> None:
    answer = read_credit(200, GIVEN.format(code="123").encode())
    assert (answer.taken, answer.reason) == (True, "")


def test_one_that_was_given_before_is_a_success() -> None:
    answer = read_credit(200, REFUSED.format(words=ALREADY).encode())
    assert answer.taken
    assert "already" in answer.reason


@pytest.mark.parametrize("words", ["Invalid survey_code. ## 42", "You are not eligible."])
def test_a_refusal_is_told_and_not_repeated(words: str) -> None:
    answer = read_credit(200, REFUSED.format(words=words).encode())
    assert (answer.taken, answer.may_pass) == (False, False)
    assert words in answer.reason


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_trouble_at_sona_may_pass(status: int) -> None:
    answer = read_credit(status, b"")
    assert (answer.taken, answer.may_pass) == (False, True)


BOMB = b"""<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>
<r><credit_status>G</credit_status>&b;</r>"""
OUTSIDE = b"""<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>"""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Welcome",
        b"G",
        BOMB,
        OUTSIDE,
        BOMB.decode().replace("1.0", "1.0").encode("utf-16"),
        b"<r>" + b"x" * 70_000 + b"</r>",
        b"<r><credit_status>N</credit_status></r>",
        b"<credit_status_not>G</credit_status_not>",
    ],
)
def test_what_is_no_such_answer_gives_no_credit(body: bytes) -> None:
    answer = read_credit(200, body)
    assert (answer.taken, answer.may_pass) == (False, False)


@pytest.mark.parametrize("status", [301, 302, 403, 404])
def test_another_status_gives_no_credit(status: int) -> None:
    assert not read_credit(status, GIVEN.format(code="1").encode()).taken
