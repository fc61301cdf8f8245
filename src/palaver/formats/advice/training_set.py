"""A set of situations with good advice in the shape of RedditAdvice2019, made from dumps.

Three passes, none of which holds more than a part: lines into buckets by post, buckets into
situations sorted by date, situations into splits and from there into a shuffled file.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from palaver.formats.advice.buckets import LARGEST, PostBuckets
from palaver.formats.advice.cleaning import cleaned, cleaned_title
from palaver.formats.advice.funnel import Funnel, LineCount
from palaver.formats.advice.intake import DumpIntake, PostWithComments, met
from palaver.formats.advice.posts import (
    DumpComment,
    DumpPost,
    bare_id,
    number_in,
    whole_number_in,
)
from palaver.formats.advice.rules import TRAINING_SUBREDDITS, is_gilded, rules_for_training
from palaver.formats.advice.situations import json_text
from palaver.formats.advice.sorting import SortedRecords

SITUATIONS_FILE, FUNNEL_FILE = "situations.jsonl", "funnel.json"
SEED = 123456
# Examples of a held-out split, comments of a post in training, and the shortest text.
SPLIT_SIZE, MOST_COMMENTS, SHORTEST = 8192, 10, 64
LEAST_BEST = 20

_TOLD_OF_POSTS = {
    "twice": "not in the dump before",
    "advice": "at least one comment that may be advice",
    "best": f"a best comment with a score of at least {LEAST_BEST}",
    "cleaned": f"a text of at least {SHORTEST} characters when cleaned",
    "examples": "at least one comment left",
}
_TOLD_OF_COMMENTS = {
    "twice": "not in the dump before",
    "post": "its post is in the set",
    "good": "a score above a tenth of the best, or gilded",
    "cleaned": f"at least {SHORTEST} characters when cleaned",
    "split": "room in the held-out split",
    "most": "among the first of its post, in training",
}


class GoodComment(msgspec.Struct):
    """A comment as RedditAdvice2019 has it, fields in its order; tokens go to the situation."""

    created_utc: int | None
    subreddit: str
    author: str | None
    parent_id: str
    link_id: str
    score: int | None
    body: str
    id: str
    gilded: bool
    retrieved_on: int | None
    tokens: Raw | UnsetType = UNSET


class TrainingSituation(msgspec.Struct):
    """A situation as RedditAdvice2019 has it, fields in its order."""

    created_utc: int | None
    subreddit: str
    author: str | None
    num_comments: int | None
    score: int | None
    title: str
    selftext: str
    id: str
    gilded: bool
    retrieved_on: int | None
    good_comments: list[GoodComment]
    split: str = ""
    tokens: Raw | list[Raw | UnsetType] | UnsetType = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSetPlan:
    """How a training set is made."""

    subreddits: Sequence[str] = TRAINING_SUBREDDITS
    test_size: int = SPLIT_SIZE
    val_size: int = SPLIT_SIZE
    most_comments: int = MOST_COMMENTS
    seed: int = SEED
    legacy: bool = False
    partial: bool = False


@dataclass(slots=True)
class SplitSize:
    """How much is in a split; an example is a situation with one of its comments."""

    situations: int = 0
    examples: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReport:
    """What became of the lines of dumps."""

    plan: TrainingSetPlan
    lines: LineCount
    posts: Funnel
    comments: Funnel
    splits: dict[str, SplitSize] = field(
        default_factory=lambda: {name: SplitSize() for name in ("train", "val", "test")}
    )


def make_training_set(
    paths: Sequence[Path],
    folder: Path,
    *,
    plan: TrainingSetPlan,
    scratch: Path,
    largest: int = LARGEST,
    progress: Callable[[int], None] | None = None,
) -> TrainingReport:
    """Write the situations of dumps to a folder; `scratch` is an empty place for files on the way."""
    rules = rules_for_training(plan.subreddits, legacy=plan.legacy)
    posts = Funnel("posts", {**rules.told_of_posts, **_TOLD_OF_POSTS})
    comments = Funnel("comments", {**rules.told_of_comments, **_TOLD_OF_COMMENTS})
    newest_first = SortedRecords(scratch / "by-date")
    with PostBuckets(scratch / "by-post", largest=largest) as buckets:
        intake = DumpIntake(rules, buckets, posts, comments, progress=progress)
        intake.take(paths, partial=plan.partial)
        for records in buckets.read():
            for joint in met(records, posts, comments):
                situation = _situation(joint, posts, comments, legacy=plan.legacy)
                if situation is not None:
                    newest_first.add(_age(situation), _encode(situation))
    report = TrainingReport(plan=plan, lines=intake.counted, posts=posts, comments=comments)
    shuffled = SortedRecords(scratch / "shuffled")
    for situation in _split(newest_first.read(), report):
        shuffled.add(drawn(plan.seed, situation.id), _line(situation))
    with (folder / SITUATIONS_FILE).open("wb", buffering=1 << 18) as out:
        out.writelines(line + b"\n" for line in shuffled.read())
    return report


def drawn(seed: int, id: str) -> int:
    """The place of something in a shuffled order, the same whatever else is in it."""
    return int.from_bytes(blake2b(f"{seed}:{id}".encode(), digest_size=8).digest())


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TrainingSituation).decode


def _situation(
    joint: PostWithComments, posts: Funnel, comments: Funnel, *, legacy: bool
) -> TrainingSituation | None:
    """A post with its good comments; None where it has none, which is counted."""
    post, given = joint.post, joint.comments
    scores = [number_in(comment.score) or 0.0 for comment in given]
    best = max(scores, default=0.0)
    text = cleaned(post.text)
    broken = ("advice" if not given else "best" if best < LEAST_BEST else None) or (
        len(text) < SHORTEST and "cleaned"
    )
    if broken:
        posts.drop(broken)
        comments.drop("post", len(given))
        return None
    good: list[GoodComment] = []
    for comment, score in zip(given, scores, strict=True):
        if not (10 * score > best or is_gilded(comment.gilded, legacy=legacy)):
            comments.drop("good")
            continue
        kept = _good_comment(comment, legacy=legacy)
        if len(kept.body) < SHORTEST:
            comments.drop("cleaned")
        else:
            good.append(kept)
    if not good:
        posts.drop("examples")
        return None
    return _from_post(post, text, good, legacy=legacy)


def _from_post(
    post: DumpPost, text: str, good: list[GoodComment], *, legacy: bool
) -> TrainingSituation:
    return TrainingSituation(
        created_utc=whole_number_in(post.created_utc),
        subreddit=post.subreddit,
        author=post.author,
        num_comments=whole_number_in(post.num_comments),
        score=whole_number_in(post.score),
        title=post.title if legacy else cleaned_title(post.title),
        selftext=text,
        id=bare_id(post.id),
        gilded=is_gilded(post.gilded, legacy=legacy),
        retrieved_on=whole_number_in(post.retrieved_on or post.retrieved_utc),
        good_comments=good,
        tokens=post.tokens,
    )


def _good_comment(comment: DumpComment, *, legacy: bool) -> GoodComment:
    return GoodComment(
        created_utc=whole_number_in(comment.created_utc),
        subreddit=comment.subreddit,
        author=comment.author,
        parent_id=bare_id(comment.parent_id),
        link_id=bare_id(comment.link_id),
        score=whole_number_in(comment.score),
        body=cleaned(comment.text),
        id=bare_id(comment.id),
        gilded=is_gilded(comment.gilded, legacy=legacy),
        retrieved_on=whole_number_in(comment.retrieved_on or comment.retrieved_utc),
        tokens=comment.tokens,
    )


def _age(situation: TrainingSituation) -> int:
    """A key that sorts the newest first; one without a date comes last."""
    return (1 << 62) - max(-(1 << 61), min(situation.created_utc or 0, 1 << 61))


def _split(newest_first: Iterator[bytes], report: TrainingReport) -> Iterator[TrainingSituation]:
    """Fill the test set, then the validation set, with the newest; the rest is for training."""
    plan, comments = report.plan, report.comments
    sizes = {"test": plan.test_size, "val": plan.val_size}
    for record in newest_first:
        situation = _decode(record)
        given = len(situation.good_comments)
        name = next((n for n, most in sizes.items() if report.splits[n].examples < most), "train")
        split = report.splits[name]
        most = plan.most_comments if name == "train" else sizes[name] - split.examples
        del situation.good_comments[most:]
        kept = len(situation.good_comments)
        comments.drop("most" if name == "train" else "split", given - kept)
        split.situations += 1
        split.examples += kept
        report.posts.left += 1
        comments.left += kept
        situation.split = name
        yield situation


def _line(situation: TrainingSituation) -> bytes:
    """The line of a situation; token ids are there only if they came with what was read."""
    if situation.tokens is UNSET:
        given = [comment.tokens for comment in situation.good_comments]
        if UNSET not in given:
            situation.tokens = given
    for comment in situation.good_comments:
        comment.tokens = UNSET
    plain: dict[str, Any] = msgspec.json.decode(_encode(situation))
    return json_text(plain).encode("ascii")
