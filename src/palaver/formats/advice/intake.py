"""The first pass over dumps: every line once, and what a set may need of it put into buckets.

Nine in ten lines are decided by a first look at four short fields; this loop is as fast as it can
be written in Python.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from palaver.formats.advice.buckets import PostBuckets
from palaver.formats.advice.dumps import dump_lines
from palaver.formats.advice.funnel import Funnel, LineCount
from palaver.formats.advice.posts import DumpComment, DumpPost, FirstLook, Given, bare_id, number_in
from palaver.formats.advice.rules import RuleSet, first_broken, post_of

# So many broken lines are named, and so many other subreddits are told apart.
MOST_PLACES = 5
MOST_SUBREDDITS = 10_000
OTHERS = "(others)"
POST, COMMENT = b"p", b"c"

_look = msgspec.json.Decoder(FirstLook).decode
_post = msgspec.json.Decoder(DumpPost).decode
_comment = msgspec.json.Decoder(DumpComment).decode
_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class DumpIntake:
    """What a first pass counts on its way."""

    rules: RuleSet
    buckets: PostBuckets
    posts: Funnel
    comments: Funnel
    counted: LineCount = field(default_factory=LineCount)
    newest: float = 0.0
    # Is told of every post of the subreddits and scores that are asked for.
    on_post: Callable[[DumpPost], None] | None = None
    # Is told how many lines were read, now and then.
    progress: Callable[[int], None] | None = None

    def take(self, paths: Sequence[Path], *, partial: bool = False) -> None:
        """Read dumps to their end; with `partial` damaged ones as far as they can be read."""
        for path in paths:
            damages = self.counted.damages if partial else None
            number = 0
            for lines in dump_lines(path, damages=damages):
                self._take_lines(lines, path, number)
                number += len(lines)
                self.counted.lines += len(lines)
                if self.progress is not None:
                    self.progress(self.counted.lines)

    def _take_lines(self, lines: list[bytes], path: Path, before: int) -> None:
        """Everything in this loop is done for every line: no calls but to decode."""
        look, wanted = _look, self.rules.subreddits
        least_post, least_comment = self.rules.least_post_score, self.rules.least_comment_score
        others = self.counted.subreddits
        posts = other_posts = low_posts = comments = other_comments = low_comments = 0
        for place, line in enumerate(lines):
            try:
                seen = look(line)
            except msgspec.DecodeError as error:
                self._broken(line, path, before + place + 1, error)
                continue
            subreddit = seen.subreddit
            if subreddit is None:
                self.counted.neither += 1
            elif seen.link_id:
                comments += 1
                if subreddit not in wanted:
                    other_comments += 1
                    try:
                        others[subreddit] += 1
                    except KeyError:
                        self._other(subreddit)
                elif not _reaches(seen.score, least_comment):
                    low_comments += 1
                else:
                    self._take_comment(line, path, before + place + 1)
            else:
                posts += 1
                created = seen.created_utc
                if type(created) is not int:
                    created = number_in(created) or 0
                if created > self.newest:
                    self.newest = created
                if subreddit not in wanted:
                    other_posts += 1
                    try:
                        others[subreddit] += 1
                    except KeyError:
                        self._other(subreddit)
                elif not _reaches(seen.score, least_post):
                    low_posts += 1
                else:
                    self._take_post(line, path, before + place + 1)
        self.posts.came += posts
        self.posts.drop("subreddit", other_posts)
        self.posts.drop("score", low_posts)
        self.comments.came += comments
        self.comments.drop("subreddit", other_comments)
        self.comments.drop("score", low_comments)

    def _take_post(self, line: bytes, path: Path, number: int) -> None:
        try:
            post = _post(line)
        except msgspec.DecodeError as error:
            self.posts.came -= 1
            self._broken(line, path, number, error)
            return
        if self.on_post is not None:
            self.on_post(post)
        broken = first_broken(self.rules.posts, post)
        if broken is None:
            self.buckets.add(bare_id(post.id), POST + _encode(post))
        else:
            self.posts.drop(broken)

    def _take_comment(self, line: bytes, path: Path, number: int) -> None:
        try:
            comment = _comment(line)
        except msgspec.DecodeError as error:
            self.comments.came -= 1
            self._broken(line, path, number, error)
            return
        broken = first_broken(self.rules.comments, comment)
        if broken is None:
            self.buckets.add(post_of(comment), COMMENT + _encode(comment))
        else:
            self.comments.drop(broken)

    def _broken(self, line: bytes, path: Path, number: int, error: Exception) -> None:
        if not line.strip():
            self.counted.blank += 1
            return
        self.counted.broken += 1
        if len(self.counted.places) < MOST_PLACES:
            self.counted.places.append(f"{path.name}, line {number:,}: {error}")

    def _other(self, subreddit: str) -> None:
        others = self.counted.subreddits
        name = subreddit if len(others) < MOST_SUBREDDITS else OTHERS
        others[name] = others.get(name, 0) + 1


@dataclass(slots=True)
class PostWithComments:
    """A post with the comments that passed the first rules, in the order of the dump."""

    post: DumpPost
    comments: list[DumpComment]


def met(records: list[bytes], posts: Funnel, comments: Funnel) -> list[PostWithComments]:
    """The posts of a bucket with their comments; what came twice and what has no post is counted."""
    found: dict[str, PostWithComments] = {}
    waiting: dict[str, dict[str, DumpComment]] = {}
    for record in records:
        if record[:1] == POST:
            post = _post(record[1:])
            if found.setdefault(bare_id(post.id), PostWithComments(post, [])).post is not post:
                posts.drop("twice")
        else:
            comment = _comment(record[1:])
            beside = waiting.setdefault(post_of(comment), {})
            if beside.setdefault(bare_id(comment.id), comment) is not comment:
                comments.drop("twice")
    for id, given in waiting.items():
        if id in found:
            found[id].comments.extend(given.values())
        else:
            comments.drop("post", len(given))
    return list(found.values())


def _reaches(score: Given, least: int) -> bool:
    if type(score) is not int:
        score = number_in(score)
    return score is not None and score >= least
