"""Results of a round as lines of JSON: a situation, the advice, and how it was judged.

A line has `situation`, `best_advice` (people's), `model_advice` (by model) and `turk_ratings` (by
model): `is_preferred`, `is_preferred_continuous` and `diagnostics`, which tells of those raters alone
who agree with the majority. A line is kept as it was read and written as it is.

How `is_preferred_continuous` was computed was never published. It is passed through; what is written
here has null there, and the share of degrees (`degree_share`) with the counts beside it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from palaver.analysis.advice.result import SituationPreference
from palaver.analysis.advice.votes import counted_once, votes_of
from palaver.core.errors import InputError
from palaver.core.situations import (
    REASONS,
    Advice,
    AdviceJudgement,
    Helpfulness,
    Reason,
    Situation,
)
from palaver.formats.datasets.content import open_content

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_PARTS = ("situation", "best_advice", "model_advice", "turk_ratings")
# The form says `helpful`, the file `slightlyhelpful`.
_TO_FILE = {"helpful": "slightlyhelpful"}
_STILL: Mapping[str, Helpfulness] = {_TO_FILE.get(each, each): each for each in REASONS}
_WHY: Mapping[str, Reason] = {each: each for both in REASONS.values() for each in both}
# What the file says of a situation that we hold under another name, or among what else it says.
_PASSED = ("num_comments", "upvote_ratio", "submitted_time", "extracted_time", "seconds_elapsed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """What one rater of the majority said; None where the file does not say."""

    degree: int = 1
    worse: Helpfulness | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRating:
    """How a model's advice was judged in one situation.

    `continuous` is the file's own value, whatever it is. `judgements` and `chosen` are how many raters
    there were and how many were for the model; None where the file does not say.
    """

    is_preferred: bool
    continuous: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()
    judgements: int | None = None
    chosen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceResult:
    """One line: `line` is all it says, the rest what we understand of it."""

    situation: Situation
    answers: Mapping[str, str]
    ratings: Mapping[str, ModelRating]
    line: Mapping[str, Any]


def read_results(path: Path) -> Iterator[AdviceResult]:
    """The results in a file, packed or not; InputError names the line that is wrong."""
    with open_content(path, path.name) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield result_of(_decode(line))
            except (msgspec.DecodeError, InputError) as error:
                raise InputError(f"{path.name}, line {number}: {error}") from error


def write_results(path: Path, results: Iterable[AdviceResult]) -> int:
    """Write the lines as they are; how many."""
    count = 0
    with path.open("wb") as out:
        for result in results:
            out.write(msgspec.json.encode(result.line) + b"\n")
            count += 1
    return count


def result_of(line: Mapping[str, Any]) -> AdviceResult:
    """What a line says; InputError if it is no result."""
    for name in _PARTS:
        if not isinstance(line.get(name), dict):
            raise InputError(f"'{name}' must be a mapping; got {line.get(name)!r}.")
    for model, advice in line["model_advice"].items():
        if not isinstance(advice, str):
            raise InputError(f"'model_advice' of '{model}' must be a text; got {advice!r}.")
    return AdviceResult(
        situation=_situation(line["situation"], line["best_advice"]),
        answers=line["model_advice"],
        ratings={model: _rating(model, said) for model, said in line["turk_ratings"].items()},
        line=line,
    )


def judgements_in(results: Iterable[AdviceResult]) -> list[AdviceJudgement]:
    """What a board is made of: nobody knows whose these are.

    As many per situation and model as the file counts; where it says only who is preferred, one.
    """
    return [
        AdviceJudgement(
            situation=result.situation.id,
            model=model,
            rater="",
            rater_kind="anonymous",
            prefers_model=prefers,
            topic=result.situation.topic,
        )
        for result in results
        for model, rating in result.ratings.items()
        for prefers in _sides(rating)
    ]


def told_in(results: Iterable[AdviceResult]) -> list[AdviceJudgement]:
    """What raters of the majority said of the worse advice, as `preference_board` takes it."""
    return [
        AdviceJudgement(
            situation=result.situation.id,
            model=model,
            rater="",
            rater_kind="anonymous",
            prefers_model=rating.is_preferred,
            degree=said.degree,
            worse=said.worse,
            reason=said.reason,
            topic=result.situation.topic,
        )
        for result in results
        for model, rating in result.ratings.items()
        for said in rating.diagnostics
    ]


def results_of(
    situations: Iterable[Situation],
    answers: Mapping[str, Mapping[str, str]],
    judgements: Sequence[AdviceJudgement],
) -> Iterator[AdviceResult]:
    """The lines of a round: its situations in their order, with the models that were judged there.

    `answers` holds the advice of each model by situation.
    """
    by_place: defaultdict[str, defaultdict[str, list[AdviceJudgement]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for each in counted_once(judgements):
        by_place[each.situation][each.model].append(each)
    for situation in situations:
        judged: Mapping[str, list[AdviceJudgement]] = by_place.get(situation.id, {})
        models = [model for model, given in answers.items() if situation.id in given]
        models += [model for model in judged if model not in models]
        texts = {
            model: answers[model][situation.id]
            for model in models
            if situation.id in answers.get(model, {})
        }
        ratings = {model: _told(model, judged[model]) for model in models if model in judged}
        yield result_of(
            {
                "situation": _situation_line(situation),
                "best_advice": _advice_line(situation.best),
                "model_advice": texts,
                "turk_ratings": ratings,
            }
        )


def _situation(line: Mapping[str, Any], best: Mapping[str, Any]) -> Situation:
    for name in ("id", "title", "selftext"):
        if not isinstance(line.get(name), str):
            raise InputError(f"'{name}' of the situation must be a text; got {line.get(name)!r}.")
    own = {"id", "title", "selftext", "subreddit", "op", "score", "permalink"}
    return Situation(
        id=line["id"],
        title=line["title"],
        text=line["selftext"],
        subreddit=str(line.get("subreddit") or ""),
        author=line.get("op"),
        score=line.get("score"),
        permalink=str(line.get("permalink") or ""),
        advice=(_best(best),) if isinstance(best.get("bestadvice_body"), str) else (),
        more={name: value for name, value in line.items() if name not in own},
    )


def _best(line: Mapping[str, Any]) -> Advice:
    return Advice(
        id=str(line.get("bestadvice_id") or ""),
        body=line["bestadvice_body"],
        author=line.get("bestadvice_author"),
        score=line.get("bestadvice_score"),
    )


def _rating(model: str, said: Any) -> ModelRating:
    if not isinstance(said, dict):
        raise InputError(f"'turk_ratings' of '{model}' must be a mapping; got {said!r}.")
    preferred = said.get("is_preferred")
    if preferred not in (True, False):
        raise InputError(f"'is_preferred' of '{model}' must be true or false; got {preferred!r}.")
    told = said.get("diagnostics") or []
    if not isinstance(told, list) or not all(isinstance(each, dict) for each in told):
        raise InputError(f"'diagnostics' of '{model}' must be a list of mappings.")
    judgements, chosen = _counts(model, said, preferred=bool(preferred))
    return ModelRating(
        is_preferred=bool(preferred),
        continuous=said.get("is_preferred_continuous"),
        diagnostics=tuple(_diagnostic(model, each) for each in told),
        judgements=judgements,
        chosen=chosen,
    )


def _counts(
    model: str, said: Mapping[str, Any], *, preferred: bool
) -> tuple[int | None, int | None]:
    """How many raters there were and how many were for the model; None where that is not said."""
    judgements, chosen = said.get("judgements"), said.get("chosen")
    if not isinstance(judgements, int) or not isinstance(chosen, int):
        return None, None
    if not 0 <= chosen <= judgements or (2 * chosen > judgements) != preferred:
        raise InputError(
            f"'{model}' is {'' if preferred else 'not '}preferred, but {chosen} of {judgements} "
            "chose it."
        )
    return judgements, chosen


def _diagnostic(model: str, said: Mapping[str, Any]) -> Diagnostic:
    degree = said.get("q1_intensifier", 1)
    if degree not in (1, 2) or isinstance(degree, bool):
        raise InputError(f"'q1_intensifier' of '{model}' must be 1 or 2; got {degree!r}.")
    still, why = said.get("q2_helpful_or_not"), said.get("q3_justification")
    worse = None if still is None else _STILL.get(str(still))
    if still is not None and worse is None:
        known = ", ".join(_STILL)
        raise InputError(f"'q2_helpful_or_not' of '{model}' must be one of {known}; got {still!r}.")
    reason = None if why is None else _WHY.get(str(why))
    if why is not None and reason is None:
        known = ", ".join(_WHY)
        raise InputError(f"'q3_justification' of '{model}' must be one of {known}; got {why!r}.")
    return Diagnostic(degree=int(degree), worse=worse, reason=reason)


def _sides(rating: ModelRating) -> list[bool]:
    if rating.judgements is None or rating.chosen is None:
        return [rating.is_preferred]
    return [n < rating.chosen for n in range(rating.judgements)]


def _told(model: str, judgements: Sequence[AdviceJudgement]) -> dict[str, Any]:
    (found,) = votes_of(judgements).preferences(model)
    return {
        "is_preferred": found.is_preferred,
        "is_preferred_continuous": None,
        "degree_share": found.degree_share,
        "judgements": found.judgements,
        "chosen": found.chosen,
        "diagnostics": [_diagnostic_line(each) for each in judgements if _agrees(each, found)],
    }


def _agrees(judgement: AdviceJudgement, found: SituationPreference) -> bool:
    """Whether a rater is of the majority; an even split has none."""
    return not found.is_even and judgement.prefers_model == found.is_preferred


def _diagnostic_line(judgement: AdviceJudgement) -> dict[str, Any]:
    worse = judgement.worse
    return {
        "q1_intensifier": judgement.degree,
        "q2_helpful_or_not": None if worse is None else _TO_FILE.get(worse, worse),
        "q3_justification": judgement.reason,
    }


def _situation_line(situation: Situation) -> dict[str, Any]:
    more = situation.more
    passed = {name: more.get(name) for name in _PASSED}
    if passed["submitted_time"] is None:
        passed["submitted_time"] = situation.created
    return {
        "score": situation.score,
        **passed,
        "title": situation.title,
        "selftext": situation.text,
        "permalink": situation.permalink,
        "id": situation.id,
        "subreddit": situation.subreddit,
        "op": situation.author,
    }


def _advice_line(advice: Advice | None) -> dict[str, Any]:
    return {
        "bestadvice_id": advice.id if advice else None,
        "bestadvice_score": advice.score if advice else None,
        "bestadvice_submitted_time": advice.created if advice else None,
        "bestadvice_body": advice.body if advice else None,
        "bestadvice_author": advice.author if advice else None,
    }
