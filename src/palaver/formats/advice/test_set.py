"""A test set of new situations, each with the best advice that people gave, made from dumps.

It is taken at a time: posts are old enough to have their answers and too young to be in anybody's
training data. Best advice is the first comment by score that passes; the one after it is kept, too,
for a comparison of people with people.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from palaver.core.situations import Advice, Situation
from palaver.formats.advice.buckets import LARGEST, PostBuckets
from palaver.formats.advice.cleaning import cleaned, cleaned_title
from palaver.formats.advice.funnel import Funnel, LineCount
from palaver.formats.advice.intake import DumpIntake, PostWithComments, met
from palaver.formats.advice.listing import LONGEST, TopOfMonth
from palaver.formats.advice.notices import NoticeWords
from palaver.formats.advice.posts import DumpComment, DumpPost, bare_id, number_in, whole_number_in
from palaver.formats.advice.rules import (
    FEWEST_TOKENS,
    MOST_TOKENS,
    TEST_SUBREDDITS,
    Rule,
    age_rule,
    best_advice_rules,
    first_broken,
    has_fitting_length,
    rules_for_test_set,
)
from palaver.formats.advice.situations import write_situations
from palaver.formats.advice.training_set import SEED, drawn
from palaver.formats.advice.words import WordEngine, word_engine

KEPT = 200
# Comments of a post that are looked at, and pieces of advice that are kept of them.
FETCHED, ADVICE_KEPT = 16, 2

_TOLD_OF_POSTS = {
    "listing": f"among the top {LONGEST:,} of its subreddit in a month",
    "age": age_rule(0).says,
    "twice": "not in the dump before",
    "tokens": f"{FEWEST_TOKENS} to {MOST_TOKENS:,} tokens in title and text",
    "advice": "a comment that may be best advice",
    "drawn": "among those drawn",
}
_TOLD_OF_COMMENTS = {
    "twice": "not in the dump before",
    "post": "its post is in the set",
    "fetched": f"among the top {FETCHED} of its post",
    **{rule.name: rule.says for rule in best_advice_rules(None, legacy=False)},
    "second": "best advice, or the one after it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetPlan:
    """How a test set is made; `at` is when it is taken, by default when the newest post was written."""

    __test__ = False

    subreddits: Sequence[str] = TEST_SUBREDDITS
    at: float | None = None
    keep: int = KEPT
    seed: int = SEED
    legacy: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetReport:
    """What became of the lines of dumps; `plan.at` is the time that was used."""

    __test__ = False

    plan: TestSetPlan
    words: WordEngine
    lines: LineCount
    posts: Funnel
    comments: Funnel
    topics: dict[str, int]
    with_second: int


def make_test_set(
    paths: Sequence[Path],
    file: Path,
    *,
    plan: TestSetPlan,
    scratch: Path,
    notices: NoticeWords | None = None,
    largest: int = LARGEST,
    progress: Callable[[int], None] | None = None,
) -> TestSetReport:
    """Write the test set of dumps to a file; `scratch` is an empty place for files on the way."""
    rules = rules_for_test_set(plan.subreddits)
    posts = Funnel("posts", {**rules.told_of_posts, **_TOLD_OF_POSTS})
    comments = Funnel("comments", {**rules.told_of_comments, **_TOLD_OF_COMMENTS})
    draw = _Draw(plan, posts, comments)
    listing = TopOfMonth(scratch / "listing")
    with PostBuckets(scratch / "by-post", largest=largest) as buckets:
        intake = DumpIntake(
            rules, buckets, posts, comments, on_post=listing.note, progress=progress
        )
        try:
            intake.take(paths, partial=plan.partial)
        finally:
            listing.close()
        at = intake.newest if plan.at is None else plan.at
        ripe = _timely(listing.at(at), at)
        for records in buckets.read():
            for joint in met(records, posts, comments):
                situation = _situation(joint, ripe, posts, comments, legacy=plan.legacy)
                if situation is not None:
                    draw.offer(_noticed(situation, notices))
    chosen = draw.chosen()
    write_situations(file, chosen)
    return TestSetReport(
        plan=replace(plan, at=at),
        words=word_engine(),
        lines=intake.counted,
        posts=posts,
        comments=comments,
        topics=_topics(chosen),
        with_second=sum(len(each.advice) > 1 for each in chosen),
    )


class _Draw:
    """Draws as many situations as are kept; each has its place in a shuffled order."""

    def __init__(self, plan: TestSetPlan, posts: Funnel, comments: Funnel) -> None:
        self._plan, self._posts, self._comments = plan, posts, comments
        # The last of the order is first on the heap.
        self._held: list[tuple[int, str, Situation]] = []

    def offer(self, situation: Situation) -> None:
        """Hold a situation unless enough come before it."""
        entry = -drawn(self._plan.seed, situation.id), situation.id, situation
        if len(self._held) < self._plan.keep:
            heapq.heappush(self._held, entry)
            return
        _, _, dropped = heapq.heappushpop(self._held, entry)
        self._posts.drop("drawn")
        self._comments.drop("post", len(dropped.advice))

    def chosen(self) -> list[Situation]:
        """What was drawn, in its order."""
        chosen = [situation for _, _, situation in sorted(self._held, reverse=True)]
        self._posts.left = len(chosen)
        self._comments.left = sum(len(each.advice) for each in chosen)
        return chosen


def _timely(listed: frozenset[str], at: float) -> tuple[Rule[DumpPost], ...]:
    """What can be asked of a post only when it is known when the set is taken."""
    is_listed: Rule[DumpPost] = Rule("listing", "listed", lambda post: bare_id(post.id) in listed)
    return is_listed, age_rule(at)


def _situation(
    joint: PostWithComments,
    ripe: Sequence[Rule[DumpPost]],
    posts: Funnel,
    comments: Funnel,
    *,
    legacy: bool,
) -> Situation | None:
    """A post with its best advice; None where it is not for the set, which is counted."""
    post = joint.post
    broken = first_broken(ripe, post)
    title, text = cleaned_title(post.title), cleaned(post.text)
    if broken is None and not has_fitting_length(title, text):
        broken = "tokens"
    if broken is not None:
        posts.drop(broken)
        comments.drop("post", len(joint.comments))
        return None
    advice = _best_advice(joint, comments, legacy=legacy)
    if not advice:
        posts.drop("advice")
        return None
    return Situation(
        id=bare_id(post.id),
        title=title,
        text=text,
        subreddit=post.subreddit,
        author=post.author,
        score=whole_number_in(post.score),
        created=whole_number_in(post.created_utc),
        permalink=post.permalink or f"/r/{post.subreddit}/comments/{bare_id(post.id)}/",
        advice=advice,
        more=_known(num_comments=post.num_comments, upvote_ratio=post.upvote_ratio),
    )


def _best_advice(joint: PostWithComments, comments: Funnel, *, legacy: bool) -> tuple[Advice, ...]:
    """The best advice and the one after it, of the comments that a reader would see first."""
    rules = best_advice_rules(joint.post.author, legacy=legacy)
    by_score = sorted(joint.comments, key=lambda each: -(number_in(each.score) or 0.0))
    comments.drop("fetched", len(by_score[FETCHED:]))
    found: list[Advice] = []
    for comment in by_score[:FETCHED]:
        body = cleaned(comment.text)
        broken = first_broken(rules, (comment, body))
        if broken is None and len(found) == ADVICE_KEPT:
            broken = "second"
        if broken is None:
            found.append(_advice(comment, body))
        else:
            comments.drop(broken)
    return tuple(found)


def _advice(comment: DumpComment, body: str) -> Advice:
    return Advice(
        id=bare_id(comment.id),
        body=body,
        author=comment.author,
        score=whole_number_in(comment.score),
        created=whole_number_in(comment.created_utc),
        more=_known(parent_id=bare_id(comment.parent_id), link_id=bare_id(comment.link_id)),
    )


def _known(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _noticed(situation: Situation, notices: NoticeWords | None) -> Situation:
    if notices is None:
        return situation
    return replace(situation, notice=notices.notice_of(situation.title, situation.text))


def _topics(situations: Sequence[Situation]) -> dict[str, int]:
    found: dict[str, int] = {}
    for situation in situations:
        found[situation.topic] = found.get(situation.topic, 0) + 1
    return dict(sorted(found.items()))
