"""The judgements of one model as arrays: whose they are, about which situation, and what they say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palaver.analysis.advice.result import SituationPreference
from palaver.analysis.resampling import encode
from palaver.core.numeric import Numbers, np
from palaver.core.situations import AdviceJudgement

ANONYMOUS = "anonymous"


def is_anonymous(judgement: AdviceJudgement) -> bool:
    """Whether nobody knows which other judgements are the same rater's."""
    return not judgement.rater or judgement.rater_kind == ANONYMOUS


def counted_once(judgements: Iterable[AdviceJudgement]) -> list[AdviceJudgement]:
    """The judgements without those that their rater replaced: the last of each counts."""
    last: dict[tuple[str, str, str, int], AdviceJudgement] = {}
    for number, each in enumerate(judgements):
        own = number if is_anonymous(each) else -1
        last[each.model, each.situation, each.rater, own] = each
    return list(last.values())


@dataclass(frozen=True, slots=True)
class ModelVotes:
    """Arrays with an entry per judgement, and how many of whom they are.

    `chosen` is 1 where the model is preferred. `weight` is the degree. An anonymous judgement is a
    rater of its own: it is not known to share one with any other.
    """

    names: Sequence[str]
    rater_names: Sequence[object]
    topics: Mapping[str, str]
    chosen: Numbers
    weight: Numbers
    rater: Numbers
    situation: Numbers

    @property
    def situations(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> Numbers:
        """How many judgements each situation has."""
        return np.bincount(self.situation, minlength=self.situations)

    @property
    def counts(self) -> Numbers:
        """How many judgements of each situation are for the model."""
        return np.bincount(self.situation, self.chosen, minlength=self.situations)

    @property
    def scores(self) -> Numbers:
        """For each situation 1 where the model is preferred, 0 where people are, ½ for an even split."""
        return majority(self.counts, self.sizes)

    @property
    def degree_shares(self) -> Numbers:
        """For each situation Σ w·[model] / Σ w."""
        return np.bincount(self.situation, self.weight * self.chosen) / np.bincount(
            self.situation, self.weight
        )

    @property
    def pivots(self) -> Numbers:
        """What each judgement can change: the situation's score with it for the model, less without."""
        others = self.counts[self.situation] - self.chosen
        size = self.sizes[self.situation]
        return majority(others + 1, size) - majority(others, size)

    def of_situations(self, kept: Numbers) -> "ModelVotes":
        """The judgements about some of the situations, `kept` by number."""
        place = np.full(self.situations, -1)
        place[kept] = np.arange(len(kept))
        rows = place[self.situation] >= 0
        return ModelVotes(
            [self.names[n] for n in kept.tolist()],
            self.rater_names,
            self.topics,
            self.chosen[rows],
            self.weight[rows],
            self.rater[rows],
            place[self.situation[rows]],
        )

    def preferences(self, model: str) -> tuple[SituationPreference, ...]:
        """What was said in each situation."""
        rows = zip(self.names, self.sizes, self.counts, self.degree_shares, strict=True)
        return tuple(
            SituationPreference(
                situation=name,
                model=model,
                topic=self.topics[name],
                judgements=int(size),
                chosen=int(count),
                degree_share=float(share),
            )
            for name, size, count, share in rows
        )


def majority(counts: Numbers, sizes: Numbers) -> Numbers:
    """1 for more than half, 0 for less, ½ for exactly half."""
    scores: Numbers = (np.sign(2 * counts - sizes) + 1) / 2
    return scores


def votes_of(judgements: Sequence[AdviceJudgement]) -> ModelVotes:
    """The judgements of one model; each rater judges a situation once."""
    situation = encode([each.situation for each in judgements])
    rater = encode([n if is_anonymous(each) else each.rater for n, each in enumerate(judgements)])
    return ModelVotes(
        [str(name) for name in situation.levels],
        rater.levels,
        {each.situation: each.topic for each in judgements},
        np.array([float(each.prefers_model) for each in judgements]),
        np.array([float(each.degree) for each in judgements]),
        rater.codes,
        situation.codes,
    )
