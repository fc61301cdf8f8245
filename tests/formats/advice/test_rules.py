"""Each rule on the smallest example that it decides, on both sides of its border."""

from typing import Any

import pytest

from palaver.formats.advice.links import has_link
from palaver.formats.advice.posts import DumpComment, DumpPost, bare_id, number_in, whole_number_in
from palaver.formats.advice.rules import (
    DAY,
    HOUR,
    TEST_SUBREDDITS,
    TRAINING_SUBREDDITS,
    age_rule,
    best_advice_rules,
    first_broken,
    has_fitting_length,
    is_gilded,
    rules_for_test_set,
    rules_for_training,
)

TRAINING = rules_for_training(TRAINING_SUBREDDITS, legacy=False)
LEGACY = rules_for_training(TRAINING_SUBREDDITS, legacy=True)
TEST = rules_for_test_set(TEST_SUBREDDITS)


def a_post(**given: Any) -> DumpPost:
    return DumpPost(**({"id": "a", "title": "What now?", "selftext": "x" * 65} | given))


def a_comment(**given: Any) -> DumpComment:
    usual = {"id": "b", "link_id": "t3_a", "parent_id": "t3_a", "body": "y" * 33, "author": "me"}
    return DumpComment(**(usual | given))


def test_the_subreddits_are_twelve_and_eleven() -> None:
    assert len(TRAINING.subreddits) == 12
    assert TRAINING.subreddits - TEST.subreddits == {"NoStupidQuestions"}
    assert (TRAINING.least_post_score, TRAINING.least_comment_score) == (11, 11)
    assert (TEST.least_post_score, TEST.least_comment_score) == (20, 20)


@pytest.mark.parametrize(
    ("given", "broken"),
    [
        ({}, None),
        ({"selftext": "x" * 64}, "length"),
        ({"selftext": None}, "length"),
        ({"stickied": True}, "stickied"),
        ({"title": "A META post"}, "meta"),
        ({"title": "Meta thoughts"}, None),
        ({"selftext": "x" * 65 + " see http://a.b"}, "links"),
    ],
)
def test_posts_for_training(given: dict[str, Any], broken: str | None) -> None:
    assert first_broken(TRAINING.posts, a_post(**given)) == broken


@pytest.mark.parametrize(
    ("given", "broken"),
    [
        ({}, None),
        ({"body": "y" * 32}, "length"),
        ({"body": None}, "length"),
        ({"parent_id": "t1_c"}, "top_level"),
        ({"parent_id": None}, "top_level"),
    ],
)
def test_comments_for_training(given: dict[str, Any], broken: str | None) -> None:
    assert first_broken(TRAINING.comments, a_comment(**given)) == broken


@pytest.mark.parametrize(
    ("text", "now", "first"),
    [
        ("plain [brackets] (and more)", False, False),
        ("https://a.org", True, True),
        ("[here](https://a.org)", True, True),
        ("[here](/r/love)", True, False),
        ("[here][1]\n\n[1]: /r/love", True, False),
        ("www.example.org", True, False),
        ("5 < 6 > 4", False, False),
        ("written `<a>`", False, False),
        ("bare <a> tag", False, True),
    ],
)
def test_links_as_they_are_shown(text: str, now: bool, first: bool) -> None:
    assert has_link(text) is now
    assert has_link(text, legacy=True) is first


def test_legacy_takes_posts_with_links_that_are_not_written_out() -> None:
    linking = a_post(selftext="x" * 65 + " [my last post](/r/love/1)")
    assert first_broken(TRAINING.posts, linking) == "links"
    assert first_broken(LEGACY.posts, linking) is None


@pytest.mark.parametrize(
    ("count", "now", "first"),
    [
        (0, False, False),
        (1, True, True),
        (2, True, False),
        (None, False, False),
        (True, True, True),
    ],
)
def test_gilded_more_than_once_is_gilded(count: Any, now: bool, first: bool) -> None:
    assert is_gilded(count) is now
    assert is_gilded(count, legacy=True) is first


@pytest.mark.parametrize(
    ("given", "broken"),
    [
        ({}, None),
        ({"upvote_ratio": 0.5}, None),
        ({"upvote_ratio": 0.49}, "upvotes"),
        ({"title": "My update?"}, "update"),
        ({"title": "UPDATED: what now?"}, "update"),
        ({"title": "Updates?"}, "update"),
        ({"title": "I updated it, and now?"}, None),
        ({"title": "META?"}, "update"),
        ({"pinned": True}, "stickied"),
        ({"stickied": True}, "stickied"),
        ({"selftext": "https://a.org"}, "links"),
        ({"subreddit": "love", "title": "I am sad"}, "question"),
        ({"subreddit": "legaladvice", "title": "I was sued"}, None),
        ({"selftext": "He was Assaulted."}, "distressing"),
        ({"title": "self-harm?"}, "distressing"),
        ({"selftext": "harm to self"}, None),
        ({"selftext": "an abusive boss"}, None),
    ],
)
def test_posts_for_a_test_set(given: dict[str, Any], broken: str | None) -> None:
    assert first_broken(TEST.posts, a_post(**given)) == broken


@pytest.mark.parametrize(
    ("age", "broken"),
    [
        (36 * HOUR, None),
        (36 * HOUR - 1, "age"),
        (14 * DAY, None),
        (14 * DAY + 1, "age"),
    ],
)
def test_the_age_of_a_post(age: float, broken: str | None) -> None:
    at = 1_600_000_000
    assert first_broken([age_rule(at)], a_post(created_utc=at - age)) == broken


def test_a_post_without_a_date_has_no_age() -> None:
    assert first_broken([age_rule(0)], a_post(created_utc="soon")) == "age"


@pytest.mark.parametrize(
    ("count", "fits"), [(127, False), (128, True), (1280, True), (1281, False)]
)
def test_the_tokens_of_title_and_text(count: int, fits: bool) -> None:
    assert has_fitting_length("why", " ".join(["word"] * (count - 1))) is fits


@pytest.mark.parametrize(
    ("given", "broken"),
    [
        ({}, None),
        ({"score_hidden": True}, "hidden"),
        ({"author": None}, "author"),
        ({"author": "[deleted]"}, "author"),
        ({"author": "asker"}, "author"),
        ({"author": "AutoModerator"}, "author"),
        ({"stickied": True}, "stickied"),
        ({"edited": 1_600_000_000.0}, "edited"),
        ({"body": " ".join(["word"] * 31)}, "tokens"),
        ({"body": " ".join(["word"] * 31) + " The Other Comments are right"}, "others"),
        ({"body": " ".join(["word"] * 31) + " the top comment"}, "others"),
        ({"body": " ".join(["word"] * 31) + " https://a.org"}, "links"),
    ],
)
def test_best_advice(given: dict[str, Any], broken: str | None) -> None:
    comment = a_comment(**({"body": " ".join(["word"] * 32)} | given))
    rules = best_advice_rules("asker", legacy=False)
    assert first_broken(rules, (comment, comment.text)) == broken


def test_legacy_takes_advice_with_links() -> None:
    comment = a_comment(body=" ".join(["word"] * 31) + " https://a.org")
    assert first_broken(best_advice_rules("a", legacy=True), (comment, comment.text)) is None


def test_ids_and_numbers_are_read_as_dumps_write_them() -> None:
    assert [bare_id(each) for each in ("t3_x1", "t1_x1", "x1", "t3x", None)] == [
        "x1",
        "x1",
        "x1",
        "t3x",
        "",
    ]
    assert [number_in(each) for each in (3, "3", True, "", [], float("nan"))] == [
        *(3.0, 3.0, 1.0),
        *(None, None, None),
    ]
    assert whole_number_in("1430438400") == 1_430_438_400
