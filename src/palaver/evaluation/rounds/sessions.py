"""The sessions that a round has: each context for each goal, so often as its terms say.

A goal with a quota of its own takes so many of them by lot, the same lot for the same round. A task
without contexts has numbered sessions instead, of which nobody is given the same one twice.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from palaver.core.evaluation.rounds import Round, RoundContext
from palaver.core.scenario import Scenario
from palaver.games.model_in_the_loop.form import WritingForm
from palaver.games.model_in_the_loop.moves import GAME_NAME
from palaver.games.model_in_the_loop.writing import WritingBrief

# The context of a task that has none.
NO_CONTEXT = RoundContext(id="free", values={})


@dataclass(frozen=True)
class RoundSessions:
    """The sessions of a round by the names of their scenarios."""

    round: Round
    form: WritingForm
    contexts: Sequence[RoundContext]

    @cached_property
    def quotas(self) -> Mapping[str, int]:
        """How many sessions there are of each scenario."""
        counts: dict[str, int] = {}
        for goal, most in self._goals.items():
            for context in self._given(goal, most):
                name = self._asked(*context, goal).name
                counts[name] = counts.get(name, 0) + 1
        return counts

    @cached_property
    def wanted(self) -> Mapping[str, int]:
        """How many sessions there are of each goal; of one without any nothing is said."""
        counts: dict[str, int] = {}
        every = sum(self._sessions_of(context) for context, _ in self._numbered)
        for goal, most in self._goals.items():
            name = goal if self.form.goal_field else ""
            counts[name] = counts.get(name, 0) + (every if most is None else min(most, every))
        return {name: count for name, count in counts.items() if count}

    def scenario(self, name: str) -> Scenario:
        """The scenario of that name; KeyError where the round has none such."""
        return self._by_name[name].scenario(game=GAME_NAME)

    @cached_property
    def _by_name(self) -> Mapping[str, WritingBrief]:
        asked = (self._asked(*each, goal) for goal in self._goals for each in self._numbered)
        return {each.name: each for each in asked}

    @property
    def _goals(self) -> Mapping[str, int | None]:
        """The labels that sessions ask for; in talk they are what one may find, whichever it is."""
        terms = self.round.terms
        return {"": None} if terms.talk or not terms.goals else terms.goals

    @property
    def _numbered(self) -> Sequence[tuple[RoundContext, int]]:
        """The contexts; without any, one and the same under the number of each session."""
        if self.contexts:
            return [(each, 0) for each in self.contexts]
        return [(NO_CONTEXT, number) for number in range(1, (self.round.terms.sessions or 0) + 1)]

    def _given(self, goal: str, most: int | None) -> list[tuple[RoundContext, int]]:
        """The contexts of a goal, one for each session."""
        found = [each for each in self._numbered for _ in range(self._sessions_of(each[0]))]
        if most is None or most >= len(found):
            return found
        return random.Random(f"{self.round.secret}:{goal}").sample(found, most)

    def _sessions_of(self, context: RoundContext) -> int:
        if context.quota is not None:
            return context.quota
        return self.round.terms.per_context if self.contexts else 1

    def _asked(self, context: RoundContext, session: int, goal: str) -> WritingBrief:
        field = self.form.goal_field
        return WritingBrief(
            round=self.round.number,
            context_id=context.id,
            session=session,
            context=context.values,
            tag=context.tag,
            goal={field.name: goal} if goal and field else {},
            tries=self.round.terms.tries,
            form=self.form,
        )
