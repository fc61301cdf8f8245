"""Which record answers which question."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.systems.answers import match
from palaver.systems.attempt import AttemptError


def questions(*uids: str) -> list[dict[str, Any]]:
    return [{"uid": uid} for uid in uids]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(min_size=1), unique=True, min_size=1),
    st.integers(),
    st.sampled_from(["id", "uid"]),
)
def test_ids_decide_whatever_the_order(uids: list[str], seed: int, key: str) -> None:
    records = [{key: uid, "n": n} for n, uid in enumerate(uids)]
    shuffled = random.Random(seed).sample(records, len(records))

    assert match(shuffled, questions(*uids)) == records


def test_without_ids_order_decides_and_ids_are_added() -> None:
    assert match([{"label": "a"}, {"label": "b"}], questions("1", "2")) == [
        {"label": "a", "id": "1"},
        {"label": "b", "id": "2"},
    ]


def test_numbers_are_ids_too() -> None:
    assert match([{"id": 2}, {"id": 1}], questions("1", "2")) == [{"id": 1}, {"id": 2}]


def test_what_is_no_object_is_left_to_the_task() -> None:
    assert match(["text", None], questions("1", "2")) == ["text", None]


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["1", "1", "3"], r"answered twice: '1'; not answered: '2'"),
        (["1", "2", "9"], r"answered but not asked: '9'; not answered: '3'"),
        (["1", "2"], r"not answered: '3'"),
        (["1", "2", "3", "4"], r"answered but not asked: '4'"),
        (["1", None, "3"], r"some do not"),
        ([None, None], r"3 questions were asked, but 2 answers came"),
    ],
)
def test_ids_that_do_not_fit_are_named(ids: list[str | None], words: str) -> None:
    records = [{"label": "a"} if given is None else {"id": given} for given in ids]

    with pytest.raises(AttemptError, match=words) as caught:
        match(records, questions("1", "2", "3"))

    assert not caught.value.may_pass


def test_a_long_list_of_ids_is_cut() -> None:
    asked = questions(*(str(n) for n in range(20)))

    with pytest.raises(AttemptError, match="and 14 more"):
        match([{"id": "0"}], asked)
