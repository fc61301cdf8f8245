"""Parts of rating pages that are the same for every rater, rendered once.

A question that nobody has answered yet looks the same on every page where it has the same field and
speaks of the same people; so does what explains it. With many raters at work these parts would be
most of what rendering costs. So would the page around one conversation: it is rendered once with
stand-ins for whatever belongs to one rater, and where those stood, a rater's own values go.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from palaver.storage.engine.store import Cache
from palaver.web.participant.rating.pages import Asked, Hidden, Line, RatePage, ShownTranscript

# Each takes a few kilobytes.
MOST = 512
# The conversations that several raters judge at about the same time; some are long.
CONVERSATIONS = 128

# Nobody is at work for so long, and nothing else on a page reads like it.
SECONDS = 34_567_891_234.5
# What stands where a value of one rater will: characters that no text of a study uses.
CSRF, ACTION, PROBLEM, WITHDRAW, CONVERSATION, KEEP = (f"\ue000{n}\ue001" for n in range(6))
STAND_IN = ShownTranscript(letter="", lines=(Line(side="house", speaker="", text=CONVERSATION),))

Fill = Callable[[RatePage], str]


class Fragments:
    """The parts that were rendered last."""

    def __init__(self, environment: Environment, *, most: int = MOST) -> None:
        self._environment = environment
        self._known: Cache[Markup] = Cache(most)
        self._skeletons: Cache[Skeleton] = Cache(most)
        self._conversations: Cache[Markup] = Cache(CONVERSATIONS)
        environment.globals.update(
            ask=self.ask, guides=self.guides, conversation=self.conversation, numbered=numbered
        )

    def page(self, page: RatePage) -> str | None:
        """The whole page, filled into what was rendered before; None if it has too much of its own."""
        if not _is_common(page):
            return None
        key = _key_of_page(page)
        skeleton = self._skeletons.get(key)
        if skeleton is None:
            skeleton = self._skeletons.keep(key, self._skeleton(page))
        return skeleton.fill(page)

    def ask(self, page: Any, asked: Asked, **given: Any) -> Markup:
        """A question of a page; `given` are other variables that its template reads."""
        variables = {"page": page, "asked": asked, **given}
        if not _is_plain(asked):
            return self._render(asked.template, variables)
        listed = tuple(question.name for question in getattr(page, "guides", ()))
        key = (_key_of_question(asked), listed, tuple(sorted(given.items())))
        return self._cached(key, asked.template, variables)

    def guides(self, page: Any) -> Markup:
        """What explains the questions of a page."""
        return self._cached(
            ("guides", _key_of_guides(page)), "participant/rating/_guides.html", {"page": page}
        )

    def conversation(self, page: Any, transcript: ShownTranscript) -> Markup:
        """A conversation; one none of whose turns is asked about is the same for all raters."""
        if transcript is STAND_IN:
            return Markup(CONVERSATION)
        variables = {"page": page, "transcript": transcript, "mending": False}
        if any(line.asked or line.feedback for line in transcript.lines):
            return self._render("participant/rating/_transcript.html", variables)
        known = self._conversations.get(transcript)
        if known is None:
            template = "_transcript.html" if transcript.example is None else "_example.html"
            rendered = self._render(f"participant/rating/{template}", variables)
            known = self._conversations.keep(transcript, rendered)
        return known

    def _skeleton(self, page: RatePage) -> "Skeleton":
        shell = replace(
            page.shell,
            csrf=CSRF,
            problem_url=PROBLEM,
            withdraw_url=WITHDRAW,
            started_at=0.0,
            now=SECONDS,
        )
        values = [f"\ue000{hidden.name}\ue001" for hidden in page.hidden]
        names = [hidden.name for hidden in page.hidden]
        hidden = tuple(Hidden(name=n, value=v) for n, v in zip(names, values, strict=True))
        common = replace(
            page, shell=shell, action=ACTION, hidden=hidden, conversations=(STAND_IN,), keep=KEEP
        )
        template = self._environment.get_template(page.template)
        return Skeleton(template.render(page=common), self._fills(values))

    def _fills(self, hidden: Sequence[str]) -> dict[str, Fill]:
        """By what stands in the skeleton: what a page has there."""
        duration = self._environment.filters["duration"]
        fills: dict[str, Fill] = {
            CSRF: lambda page: escape(page.shell.csrf),
            ACTION: lambda page: escape(page.action),
            KEEP: lambda page: escape(page.keep),
            PROBLEM: lambda page: escape(page.shell.problem_url),
            WITHDRAW: lambda page: escape(page.shell.withdraw_url),
            CONVERSATION: lambda page: self.conversation(page, page.conversations[0]),
            str(SECONDS): lambda page: str(page.shell.elapsed),
            duration(SECONDS): lambda page: duration(page.shell.elapsed),
        }
        for number, stand_in in enumerate(hidden):
            fills[stand_in] = lambda page, n=number: escape(page.hidden[n].value)  # type: ignore[misc]
        return fills

    def _cached(self, key: Hashable, template: str, variables: dict[str, Any]) -> Markup:
        known = self._known.get(key)
        return known or self._known.keep(key, self._render(template, variables))

    def _render(self, template: str, variables: dict[str, Any]) -> Markup:
        return Markup(self._environment.get_template(template).render(variables))


class Skeleton:
    """A page cut at its stand-ins."""

    def __init__(self, html: str, fills: dict[str, Fill]) -> None:
        stand_in = "|".join(map(re.escape, fills))
        self._between, self._fills = re.split(stand_in, html), re.findall(stand_in, html)
        self._fill = [fills[fill] for fill in self._fills]

    def fill(self, page: RatePage) -> str:
        """The page with its own values."""
        pieces = [self._between[0]]
        for fill, rest in zip(self._fill, self._between[1:], strict=True):
            pieces += (fill(page), rest)
        return "".join(pieces)


def numbered(transcript: ShownTranscript) -> Iterator[tuple[Line, int]]:
    """The lines of a transcript, each with how many messages stand there up to it."""
    number = 0
    for line in transcript.lines:
        number += line.side != "house"
        yield line, number


def _is_common(page: RatePage) -> bool:
    """Whether a page shows one conversation and open questions about the whole of it."""
    return (
        len(page.conversations) == 1
        and not page.conversations[0].letter
        and not page.of_turns
        and page.practice is None
        and not page.kept
        and not page.refused
        and not page.skip
        and page.shell.rehearsal is None
        and page.shell.elapsed is not None
        and page.shell.problem_url is not None
        and page.shell.withdraw_url is not None
        and all(_is_plain(asked) for asked in page.asked)
    )


def _is_plain(asked: Asked) -> bool:
    """Whether nothing about this question belongs to one rater or one dialogue alone."""
    return asked.answer is None and not asked.error and asked.question.kind != "spans"


def _key_of_page(page: RatePage) -> Hashable:
    """Everything that a skeleton is made of."""
    shell = page.shell
    around = (shell.title, shell.lang, shell.dir, shell.step, shell.steps)
    return (
        (*around, shell.preview, shell.notice),
        tuple(map(_key_of_question, page.asked)),
        (page.title, page.of_example),
        tuple(hidden.name for hidden in page.hidden),
        (page.screen, page.screens, page.total and page.position, page.total),
        (page.back, page.last, page.instructions, page.keep != ""),
        _key_of_guides(page),
    )


def _key_of_question(asked: Asked) -> Hashable:
    names = (asked.field, asked.speaker, asked.partner, asked.shown.role, asked.shown.seat)
    sides = (asked.worse, asked.better) if asked.question.beside else ()
    return (asked.question.name, asked.question.version, names, sides)


def _key_of_guides(page: Any) -> Hashable:
    return (page.guides_open, *((question.name, question.version) for question in page.guides))
