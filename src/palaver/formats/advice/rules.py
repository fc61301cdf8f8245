"""What a post or a comment must be to become part of a set, each demand with a name and a sentence.

The names stand in funnels. What needs a post and its comments together is decided where they meet, in
`training_set` and `test_set`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from palaver.core.situations import TOPICS
from palaver.formats.advice.links import has_link
from palaver.formats.advice.posts import NOBODY, DumpComment, DumpPost, bare_id, number_in
from palaver.formats.advice.words import tokens

T = TypeVar("T")
TEST_SUBREDDITS = tuple(TOPICS)
TRAINING_SUBREDDITS = (*TEST_SUBREDDITS, "NoStupidQuestions")
HOUR, DAY = 3600.0, 86400.0
YOUNGEST, OLDEST = 36 * HOUR, 14 * DAY
FEWEST_TOKENS, MOST_TOKENS, FEWEST_ADVICE_TOKENS = 128, 1280, 32
# Where many posts are not questions.
MUST_ASK = frozenset({"dating", "Marriage", "love", "dating_advice"})
DISTRESSING = (
    ("assault",),
    ("assaulted",),
    ("suicide",),
    ("suicidal",),
    ("prostitution",),
    ("self", "harm"),
    ("abuse",),
)
_LATER_TITLE = re.compile(r"(?i:\bupdate\b)|Update|UPDATE|META")
_WORDS = re.compile(r"[^\W\d_]+")
_OF_OTHERS = re.compile(r"other commenters|top comment|the other comments", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule(Generic[T]):
    """One demand; `says` is what it asks for, `holds` decides."""

    name: str
    says: str
    holds: Callable[[T], bool]


# Best advice is asked for by a comment and its cleaned text.
_AdviceRule = Rule[tuple[DumpComment, str]]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What is asked of every line by itself, the cheapest first."""

    subreddits: frozenset[str]
    least_post_score: int
    least_comment_score: int
    posts: tuple[Rule[DumpPost], ...]
    comments: tuple[Rule[DumpComment], ...]

    def told(self, rules: Iterable[Rule[T]], least_score: int) -> dict[str, str]:
        """What the rules say by name, with those that a first look decides."""
        first = {
            "subreddit": "posted in a subreddit of the set",
            "score": f"a score of at least {least_score}",
        }
        return first | {rule.name: rule.says for rule in rules}

    @property
    def told_of_posts(self) -> Mapping[str, str]:
        """What is asked of posts."""
        return self.told(self.posts, self.least_post_score)

    @property
    def told_of_comments(self) -> Mapping[str, str]:
        """What is asked of comments."""
        return self.told(self.comments, self.least_comment_score)


def first_broken(rules: Iterable[Rule[T]], thing: T) -> str | None:
    """The name of the first rule that does not hold."""
    for rule in rules:
        if not rule.holds(thing):
            return rule.name
    return None


def is_top_level(comment: DumpComment) -> bool:
    """Whether a comment answers the post itself."""
    return str(comment.parent_id) == comment.link_id


TOP_LEVEL = Rule("top_level", "answers the post, not another comment", is_top_level)


def rules_for_training(subreddits: Iterable[str], *, legacy: bool) -> RuleSet:
    """What the training set asks of each post and of each comment."""
    return RuleSet(
        subreddits=frozenset(subreddits),
        least_post_score=11,
        least_comment_score=11,
        posts=(
            Rule("length", "a text of more than 64 characters", lambda p: len(p.text) > 64),
            Rule("stickied", "not stickied", lambda p: not p.stickied),
            Rule("meta", "no META in the title", lambda p: "META" not in p.title),
            Rule("links", "no links in the text", lambda p: not has_link(p.text, legacy=legacy)),
        ),
        comments=(
            Rule("length", "more than 32 characters", lambda c: len(c.text) > 32),
            TOP_LEVEL,
        ),
    )


def rules_for_test_set(subreddits: Iterable[str]) -> RuleSet:
    """What a test set asks of each post and of each comment, before they meet."""
    return RuleSet(
        subreddits=frozenset(subreddits),
        least_post_score=20,
        least_comment_score=20,
        posts=(
            Rule("upvotes", "at least half of the votes are upvotes", _is_liked),
            Rule("update", "no update and no META in the title", _is_first),
            Rule("stickied", "not pinned or stickied", lambda p: not (p.pinned or p.stickied)),
            Rule("links", "no links in the text", lambda p: not has_link(p.text)),
            Rule("question", f"a ? in the title, in {', '.join(sorted(MUST_ASK))}", _asks),
            Rule("distressing", "no word such as assault or suicide", _is_bearable),
        ),
        comments=(TOP_LEVEL,),
    )


def age_rule(at: float) -> Rule[DumpPost]:
    """A post is between 36 hours and 14 days old at that time."""

    def is_ripe(post: DumpPost) -> bool:
        created = number_in(post.created_utc)
        return created is not None and YOUNGEST <= at - created <= OLDEST

    return Rule("age", "36 hours to 14 days old", is_ripe)


def best_advice_rules(author: str | None, *, legacy: bool) -> tuple[_AdviceRule, ...]:
    """What the best advice must be, of a comment and its cleaned text; `author` wrote the post."""
    unwanted = NOBODY | {author, "AutoModerator"}
    always: tuple[_AdviceRule, ...] = (
        Rule("hidden", "a score that is shown", lambda c: not c[0].score_hidden),
        Rule("author", "by somebody else, not deleted", lambda c: c[0].author not in unwanted),
        Rule("stickied", "not stickied", lambda c: not c[0].stickied),
        Rule("edited", "never edited", lambda c: not c[0].edited),
        Rule(
            "tokens",
            f"at least {FEWEST_ADVICE_TOKENS} tokens",
            lambda c: len(tokens(c[1])) >= FEWEST_ADVICE_TOKENS,
        ),
        Rule("others", "no mention of other comments", lambda c: not _OF_OTHERS.search(c[1])),
    )
    links: _AdviceRule = Rule("links", "no links", lambda c: not has_link(c[0].text))
    return always if legacy else (*always, links)


def has_fitting_length(title: str, text: str) -> bool:
    """Whether title and text have 128 to 1,280 tokens together."""
    return FEWEST_TOKENS <= len(tokens(f"{title} {text}")) <= MOST_TOKENS


def is_gilded(count: object, *, legacy: bool = False) -> bool:
    """Whether somebody paid for praise; the first data set knew it only of those praised once."""
    found = number_in(count) or 0
    return found == 1 if legacy else found >= 1


def post_of(comment: DumpComment) -> str:
    """The id of the post that a comment belongs to."""
    return bare_id(comment.link_id)


def _is_liked(post: DumpPost) -> bool:
    """A dump that does not tell the share of upvotes cannot be asked for it."""
    ratio = number_in(post.upvote_ratio)
    return ratio is None or ratio >= 0.5


def _is_first(post: DumpPost) -> bool:
    return not _LATER_TITLE.search(post.title)


def _asks(post: DumpPost) -> bool:
    return post.subreddit not in MUST_ASK or "?" in post.title


def _is_bearable(post: DumpPost) -> bool:
    said = " ".join(_WORDS.findall(f"{post.title} {post.text}".lower()))
    return not any(f" {' '.join(words)} " in f" {said} " for words in DISTRESSING)
