"""Parts of rating pages that are the same for every rater, rendered once.

A question that nobody has answered yet looks the same on every page where it has the same field and
speaks of the same people; so does what explains it. With many raters at work these parts would be
most of what rendering costs.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from palaver.web.pages import Asked

# Each takes a few kilobytes.
MOST = 512


class Fragments:
    """The parts that were rendered last."""

    def __init__(self, environment: Environment, *, most: int = MOST) -> None:
        self._environment = environment
        self._most = most
        self._known: OrderedDict[Hashable, Markup] = OrderedDict()
        environment.globals.update(ask=self.ask, guides=self.guides)

    def ask(self, page: Any, asked: Asked, **given: Any) -> Markup:
        """A question of a page; `given` are other variables that its template reads."""
        listed = tuple(question.name for question in getattr(page, "guides", ()))
        variables = {"page": page, "asked": asked, **given}
        if not _is_plain(asked, given):
            return self._render(asked.template, variables)
        shown = asked.shown
        names = (asked.field, asked.speaker, asked.partner, shown.role, shown.seat, listed)
        key = (asked.question.name, asked.question.version, names, tuple(sorted(given.items())))
        return self._cached(key, asked.template, variables)

    def guides(self, page: Any) -> Markup:
        """What explains the questions of a page."""
        key = tuple((question.name, question.version) for question in page.guides)
        return self._cached(("guides", key), "_guides.html", {"page": page})

    def _cached(self, key: Hashable, template: str, variables: dict[str, Any]) -> Markup:
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known
        made = self._known[key] = self._render(template, variables)
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return made

    def _render(self, template: str, variables: dict[str, Any]) -> Markup:
        return Markup(self._environment.get_template(template).render(variables))


def _is_plain(asked: Asked, given: dict[str, Any]) -> bool:
    """Whether nothing about this question belongs to one rater or one dialogue alone."""
    if asked.answer is not None or asked.error or "folding" in given:
        return False
    return asked.question.kind != "spans"
