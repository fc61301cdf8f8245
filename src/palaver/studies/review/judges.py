"""The automatic judges of a study beside its people, label by label.

What is a label is read off a facet: one that was given or not, the answer yes of a yes-or-no question,
each name of a choice. Points are positive only where somebody says which.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.agreement import (
    JudgeBesidePeople,
    Judgement,
    SamplingSettings,
    judge_beside_people,
)
from palaver.analysis.agreement.alpha import Clusters
from palaver.analysis.agreement.positives import YES, answer_word
from palaver.core.studies.raters import StoredRater
from palaver.studies.review.answers import Facet

# The kinds of raters that a judge is compared with.
PEOPLE = frozenset({"person", "anonymous"})
JUDGE = "model"


@dataclass(frozen=True, slots=True)
class FacetLabel:
    """Something that an answer says or does not say; `name` is empty where the facet says it all."""

    name: str
    is_positive: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """One label of a facet: an automatic judge beside people."""

    facet: str
    name: str
    found: JudgeBesidePeople


def facet_labels(facet: Facet, positive: str | None = None) -> list[FacetLabel]:
    """The labels of a facet; none where answers are points or numbers and no positive one is named.

    `positive` names an answer, which is then the only label; none where the facet has no such answer.
    """
    if facet.is_presence:
        return [FacetLabel("", lambda code: code is True)]
    words = {value: answer_word(value) for value in facet.scale}
    if positive is not None:
        named = answer_word(positive)
        known = {value for value, word in words.items() if word == named}
        return [FacetLabel("", lambda code: facet.shown(code) in known)] if known else []
    if facet.level != "nominal" or not facet.scale:
        return []
    yes = {value for value, word in words.items() if word in YES}
    if len(yes) == 1:
        return [FacetLabel("", lambda code: code in yes)]
    # Of two names the second says the same as the first.
    shown = facet.scale[:1] if len(facet.scale) == 2 else facet.scale
    return [FacetLabel(str(name), _is(name)) for name in shown]


def judged_label(
    judgements: Iterable[Judgement],
    is_positive: Callable[[Any], bool],
    judge: str,
    people: Collection[Hashable],
    *,
    clusters: Clusters = (),
    settings: SamplingSettings | None = None,
) -> JudgeBesidePeople:
    """A judge beside these people; what other raters said is left out."""
    said = [
        Judgement(unit, rater, is_positive(value))
        for unit, rater, value in judgements
        if rater == judge or rater in people
    ]
    return judge_beside_people(said, judge, clusters=clusters, settings=settings)


def question_judges(
    facets: Sequence[Facet],
    judgements: Sequence[Sequence[Judgement]],
    raters: Mapping[int, StoredRater],
    clusters: Clusters,
    *,
    resamples: int,
) -> tuple[JudgedLabel, ...]:
    """Every automatic judge of a question beside people, label by label; nothing without both."""
    names: dict[Hashable, str] = {key: rater.name for key, rater in raters.items()}
    people = {names[key] for key, rater in raters.items() if rater.kind in PEOPLE}
    judges = {names[key] for key, rater in raters.items() if rater.kind == JUDGE}
    found: list[JudgedLabel] = []
    for facet, said in zip(facets, judgements, strict=True):
        who = dict.fromkeys(names.get(each.rater, "") for each in said)
        if not people & who.keys():
            continue
        named = [Judgement(each.unit, names.get(each.rater, ""), each.value) for each in said]
        for judge in (each for each in who if each in judges):
            for label in facet_labels(facet):
                beside = judged_label(
                    named,
                    label.is_positive,
                    judge,
                    people,
                    clusters=clusters,
                    settings=SamplingSettings(resamples=resamples),
                )
                found.append(JudgedLabel(facet.name, label.name, beside))
    return tuple(found)


def _is(name: Any) -> Callable[[Any], bool]:
    return lambda code: bool(code == name)
