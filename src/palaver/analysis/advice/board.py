"""The board of models against people, from the judgements of raters."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from palaver.analysis.advice.cautions import cautions
from palaver.analysis.advice.differences import against_best, against_people
from palaver.analysis.advice.intervals import (
    ScoreTastes,
    ShareInterval,
    degree_share,
    judged_share,
    score_interval,
    score_tastes,
)
from palaver.analysis.advice.looks import LEAST, Looks
from palaver.analysis.advice.result import (
    PreferenceBoard,
    PreferenceRow,
    PreferenceTest,
    TopicRate,
    WorseAdvice,
)
from palaver.analysis.advice.votes import ModelVotes, counted_once, is_anonymous, votes_of
from palaver.analysis.advice.worse import worse_advice
from palaver.analysis.agreement import Agreement, Judgement, Measured, agreement
from palaver.analysis.ranking.verdict import Inference
from palaver.core.errors import InputError
from palaver.core.numeric import np
from palaver.core.situations import CONTROL, AdviceJudgement

METHOD = (
    "Wilson's interval with the design effect of raters who judged several situations (variance "
    "components by moments) and Student's t with Satterthwaite's degrees of freedom"
)
METHOD_ANYTIME = (
    "Wilson's interval with the design effect of raters, reaching as far as the asymptotic confidence "
    f"sequence says (from {LEAST} situations on), so that it holds however often one looks"
)
METHOD_SITUATIONS = "Wilson's interval over situations; raters are not known"

_Given = Mapping[str, Sequence[AdviceJudgement]]


def preference_board(
    judgements: Sequence[AdviceJudgement],
    *,
    told: Sequence[AdviceJudgement] | None = None,
    seed: int = 1,
    level: float = 0.95,
    inference: Inference = "fixed",
) -> PreferenceBoard:
    """Every model with its rate, its intervals and what raters said of it; the control apart.

    A model is preferred in a situation where more than half of its judgements are for it; an even
    split counts half in its rate. `told` holds the judgements that say why advice is worse, where
    these are not the same ones. Of a round that is looked at while judgements come, intervals and
    verdicts are `anytime` ones. `seed` is that of the intervals of agreement; all others are
    computed without drawing.

    >>> said = [AdviceJudgement(situation=f"s{n}", model="m", rater="", prefers_model=n < 28)
    ...         for n in range(200)]
    >>> (row,) = preference_board(said).rows
    >>> row.preferred, f"{row.rate:.2f} [{row.low:.4f}, {row.high:.4f}]"
    (28, '0.14 [0.0987, 0.1949]')
    """
    if not 0 < level < 1:
        raise InputError(f"A level must be between 0 and 1; got {level}.")
    looks = Looks(inference)
    kept = counted_once(judgements)
    given = _by_model(kept)
    votes = {model: votes_of(said) for model, said in given.items()}
    spread = {model: score_tastes(each) for model, each in votes.items()}
    rates = {
        model: score_interval(each, spread[model], level=level, looks=looks)
        for model, each in votes.items()
    }
    making = _Rows(
        given=given,
        told=given if told is None else _by_model(counted_once(told)),
        votes=votes,
        spread=spread,
        rates=rates,
        seed=seed,
        level=level,
        looks=looks,
    )
    known = {each.rater for each in kept if not is_anonymous(each)}
    return PreferenceBoard(
        rows=making.ranked(),
        control=making.control(),
        judgements=len(kept),
        raters=len(known),
        situations=len({each.situation for each in kept}),
        level=level,
        method=_method(inference, bool(known)),
        inference=inference,
        warnings=cautions(kept, votes, replaced=len(judgements) - len(kept)),
    )


def _method(inference: Inference, has_raters: bool) -> str:
    if inference == "anytime":
        return METHOD_ANYTIME
    return METHOD if has_raters else METHOD_SITUATIONS


def _by_model(judgements: Sequence[AdviceJudgement]) -> dict[str, list[AdviceJudgement]]:
    found: defaultdict[str, list[AdviceJudgement]] = defaultdict(list)
    for each in judgements:
        found[each.model].append(each)
    return dict(found)


class _Rows:
    """The rows of a board, made of what was computed for each model."""

    def __init__(
        self,
        *,
        given: _Given,
        told: _Given,
        votes: Mapping[str, ModelVotes],
        spread: Mapping[str, ScoreTastes],
        rates: Mapping[str, ShareInterval],
        seed: int,
        level: float,
        looks: Looks,
    ) -> None:
        self.given, self.told = given, told
        self.votes, self.spread, self.rates = votes, spread, rates
        self.seed, self.level, self.looks = seed, level, looks

    def ranked(self) -> tuple[PreferenceRow, ...]:
        """The models, the highest rate first; equal rates by name."""
        models = sorted(
            (model for model in self.votes if model != CONTROL),
            key=lambda model: (-self.rates[model].value, model),
        )
        if not models:
            return ()
        people = self._people(models)
        own = {model: self.votes[model] for model in models}
        best = against_best(own, models[0], level=self.level, looks=self.looks)
        return tuple(self._row(model, people[model], best.get(model)) for model in models)

    def control(self) -> PreferenceRow | None:
        """People's second advice against their best, where it was judged."""
        if CONTROL not in self.votes:
            return None
        return self._row(CONTROL, self._people([CONTROL])[CONTROL], None)

    def _people(self, models: Sequence[str]) -> dict[str, PreferenceTest]:
        return against_people(
            {model: self.rates[model] for model in models},
            {model: self.votes[model].situations for model in models},
        )

    def _row(
        self, model: str, people: PreferenceTest, best: PreferenceTest | None
    ) -> PreferenceRow:
        votes, rate = self.votes[model], self.rates[model]
        told = self.told.get(model, ())
        scores = votes.scores
        return PreferenceRow(
            model=model,
            situations=votes.situations,
            judgements=len(votes.chosen),
            raters=len({e.rater for e in self.given[model] if not is_anonymous(e)}),
            preferred=int((scores == 1).sum()),
            even=int((scores == 0.5).sum()),
            rate=rate.value,
            low=rate.low,
            high=rate.high,
            votes=judged_share(
                votes.chosen, votes.rater, votes.situation, level=self.level, looks=self.looks
            ),
            degree_share=degree_share(votes, level=self.level, looks=self.looks),
            topics=self._topics(model),
            lost=self._worse([e for e in told if not e.prefers_model]),
            won=self._worse([e for e in told if e.prefers_model]),
            sides=self._agreement(model, "nominal"),
            grades=self._agreement(model, "ordinal"),
            against_people=people,
            against_best=best,
            by_situation=votes.preferences(model),
        )

    def _worse(self, said: Sequence[AdviceJudgement]) -> WorseAdvice:
        return worse_advice(said, level=self.level, looks=self.looks)

    def _topics(self, model: str) -> tuple[TopicRate, ...]:
        votes = self.votes[model]
        found = []
        for topic in sorted(set(votes.topics.values())):
            here = [n for n, name in enumerate(votes.names) if votes.topics[name] == topic]
            part = votes.of_situations(np.array(here, dtype=np.intp))
            rate = score_interval(part, self.spread[model], level=self.level, looks=self.looks)
            found.append(
                TopicRate(
                    topic=topic,
                    situations=part.situations,
                    preferred=int((part.scores == 1).sum()),
                    even=int((part.scores == 0.5).sum()),
                    rate=rate.value,
                    low=rate.low,
                    high=rate.high,
                )
            )
        return tuple(found)

    def _agreement(self, model: str, level: Measured) -> Agreement:
        """Krippendorff's α of the sides, or of the grades from definitely people to the model."""
        said = [
            Judgement(each.situation, n if is_anonymous(each) else each.rater, _grade(each, level))
            for n, each in enumerate(self.given[model])
        ]
        return agreement(said, level=level, seed=self.seed, confidence=self.level)


def _grade(judgement: AdviceJudgement, level: Measured) -> int:
    side = 1 if judgement.prefers_model else -1
    return side if level == "nominal" else side * judgement.degree
