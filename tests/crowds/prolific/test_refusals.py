"""Every shape of error becomes one sentence: what was not done, and what the service says of it."""

import json
from typing import Any

import pytest

from palaver.core import errors
from palaver.crowds.prolific.api.refusals import refusal, wait_of, words_of

DETAILED = {"status": 400, "title": "Bad request", "error_code": 140_102}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {**DETAILED, "detail": "Too few places"}}, "Bad request. Too few places."),
        ({"error": {**DETAILED, "detail": ["One.", "Two"]}}, "Bad request. One. Two."),
        (
            {
                "error": {
                    **DETAILED,
                    "detail": {"reward": ["Too low"]},
                    "additional_information": "x",
                }
            },
            "Bad request. reward: Too low. x.",
        ),
        ({"message": "No", "detail": "Not now"}, "No. Not now."),
        ({"message": "No", "detail": {"filters": [{"age": ["odd"]}]}}, "No. filters.age: odd."),
        ({"detail": "Throttled"}, "Throttled."),
        ([{"problem": ["unheard of"]}], "problem: unheard of."),
        ("just words", "just words."),
        ({"error": "flat"}, "error: flat."),
        ({}, ""),
        (None, ""),
    ],
)
def test_all_shapes_are_read(body: Any, said: str) -> None:
    assert words_of(json.dumps(body).encode()) == said


def test_pages_of_proxies_and_rubbish_say_nothing() -> None:
    assert words_of(b"<html>502 Bad gateway</html>") == ""
    assert words_of(b"") == ""
    assert words_of(b"[" * 50_000) != ""
    assert len(words_of(b"[" * 50_000)) <= 501


def test_words_are_bounded_plain_and_without_the_token() -> None:
    told = json.dumps({"message": "Token tok-123 \u202eevil\n\x1b[31m" + "x" * 5_000})

    said = words_of(told.encode(), "tok-123")

    assert len(said) <= 501
    assert "tok-123" not in said
    assert "Token …" in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("status", "changes", "kind"),
    [
        (401, True, errors.PanelTokenError),
        (403, False, errors.PanelTokenError),
        (404, True, errors.PanelMissingError),
        (400, True, errors.PanelRefusedError),
        (409, True, errors.PanelRefusedError),
        (302, True, errors.PanelRefusedError),
        (429, True, errors.PanelBusyError),
        (500, False, errors.PanelUnreachableError),
        (502, True, errors.PanelUnknownError),
    ],
)
def test_a_status_decides_what_kind_it_is(
    status: int, changes: bool, kind: type[errors.PanelError]
) -> None:
    error = refusal(status, b"{}", wanted="pay x", changes=changes, wait=3.0, token="t")

    assert type(error) is kind
    assert "pay x" in str(error)
    assert ("nothing was changed" in str(error)) == (kind is not errors.PanelUnknownError)


def test_a_wait_is_seconds_or_a_date() -> None:
    assert wait_of("7", 0.0) == 7.0
    assert wait_of("Thu, 01 Jan 1970 00:01:00 GMT", 20.0) == 40.0
    assert wait_of("Thu, 01 Jan 1970 00:01:00 GMT", 90.0) == 0.0
    assert [wait_of(odd, 0.0) for odd in (None, "", "soon", "-1", "٣")] == [None] * 5
