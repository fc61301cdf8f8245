"""Batches of CoCoA's Turk evaluation: what workers answered about contexts and responses.

`{hit: {"data": {question id: {"context", "response"}}, assignment: {"worker_id", "answers": [{"qid",
"answer"}]}}}`. A question id is `SYSTEM-EXAMPLE`, or `SYSTEM-SYSTEM-EXAMPLE` where two responses are
compared; the form with problems adds what is answered behind a comma (`SYSTEM-EXAMPLE,all` is how
appropriate it is, `SYSTEM-EXAMPLE,grammar` a problem). Which form it was follows from the answers.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.chateval.finished import (
    FinishedAnswer,
    FinishedMessage,
    FinishedWork,
    Held,
)
from palaver.formats.cocoa.outputs import NOTHING_SAID
from palaver.formats.cocoa.tokens import is_tokens, sentence
from palaver.formats.dialogue_texts import SYSTEM, USER

LIKELIHOOD, PROBLEMS = "response_likelihood", "response_problems"
APPROPRIATE, PREFERENCE = "response_appropriateness", "better_response"
WHOLE, NONE = "all", "none"
# What the comparing form sends, and what the question takes.
CHOICES = {"1": "a", "-1": "b", "0": "tie", "-2": "neither"}
KINDS = ("grammar", "relatedness", "informativeness", "coherence")
UNSURE = "answers that there is not enough information to judge (100)"
NO_DATA = "answers about a question whose context is not in the file"

_Pieces = dict[str, Any]


def read_hits(document: Any, *, name: str, systems: Sequence[str] = ()) -> FinishedWork:
    """What a decoded hits.json gives; `systems` tells where a name in a question id ends."""
    if not isinstance(document, dict) or not all(isinstance(e, dict) for e in document.values()):
        raise InputError(f"{name}: Expected an object of HITs, each with 'data' and assignments.")
    work = FinishedWork(source=name)
    for hit, entry in document.items():
        asked = {qid: _asked(qid, given, name, systems) for qid, given in _data(entry, hit, name)}
        for held in (one for pair in asked.values() for one in pair):
            work.dialogues[held.id] = held
        # Its contexts stand beside the assignments, which tripped CoCoA's own scripts.
        for assignment, given in entry.items():
            if assignment != "data":
                _take(work, asked, f"{hit}/{assignment}", given, name)
    return work


def _data(entry: Mapping[str, Any], hit: str, name: str) -> Iterator[tuple[str, Any]]:
    data = entry.get("data")
    if not isinstance(data, dict):
        raise InputError(
            f"{name}: HIT '{hit}' has no 'data'; without its contexts nothing says what was judged."
        )
    yield from data.items()


def _asked(qid: str, given: Any, name: str, systems: Sequence[str]) -> tuple[Held, ...]:
    """The dialogue, or the two, that a question is about, each with its response at its end."""
    place = f"{name}: question '{qid}'"
    if not isinstance(given, dict) or not isinstance(given.get("context"), list):
        raise InputError(f"{place} has no 'context'.")
    response = given.get("response")
    many = isinstance(response, list) and all(_is_said(one) for one in response)
    responses = response if many and isinstance(response, list) else [response]
    if len(responses) not in (1, 2) or not all(map(_is_said, responses)):
        raise InputError(f"{place}: 'response' takes a speaker and words, or two of these.")
    named, example = _names(qid, len(responses), systems, place)
    context = [turn for turn in given["context"] if _is_said(turn) and sentence(turn[1])]
    return tuple(
        Held(
            id=f"{example}/{system}",
            system=system,
            condition=system,
            turns=tuple(_messages(context, said)),
        )
        for system, said in zip(named, responses, strict=True)
    )


def _messages(context: Sequence[Any], said: Any) -> Iterator[FinishedMessage]:
    for speaker, words in context:
        yield FinishedMessage(SYSTEM if speaker == said[0] else USER, sentence(words))
    yield FinishedMessage(SYSTEM, sentence(said[1]) or NOTHING_SAID)


def _is_said(turn: Any) -> bool:
    return (
        isinstance(turn, list)
        and len(turn) == 2
        and isinstance(turn[0], str)
        and isinstance(turn[1], str | list)
        and is_tokens(turn[1])
    )


def _names(qid: str, count: int, systems: Sequence[str], place: str) -> tuple[tuple[str, ...], str]:
    """The systems and the example of a question id; InputError where it can be read in two ways."""
    for first in sorted(systems, key=len, reverse=True):
        if not qid.startswith(f"{first}-"):
            continue
        rest = qid.removeprefix(f"{first}-")
        if count == 1:
            return (first,), rest
        for second in sorted(systems, key=len, reverse=True):
            if rest.startswith(f"{second}-"):
                return (first, second), rest.removeprefix(f"{second}-")
    parts = qid.split("-")
    if systems or len(parts) != count + 1 or not all(parts):
        raise InputError(
            f"{place} does not say which systems it is about. Name all systems (--system NAME)."
        )
    return tuple(parts[:count]), parts[count]


def _take(
    work: FinishedWork,
    asked: Mapping[str, tuple[Held, ...]],
    place: str,
    assignment: Any,
    name: str,
) -> None:
    if not isinstance(assignment, dict) or not isinstance(assignment.get("answers"), list):
        raise InputError(f"{name}: assignment '{place}' has no 'answers'.")
    rater = assignment.get("worker_id")
    by_question: dict[str, _Pieces] = defaultdict(dict)
    for given in assignment["answers"]:
        if not isinstance(given, dict) or "qid" not in given or "answer" not in given:
            raise InputError(f"{name}: an answer of '{place}' has no 'qid' and 'answer'.")
        qid, _, part = str(given["qid"]).partition(",")
        if qid not in asked:
            # The comment box of the form has a name of its own.
            work.skipped["comments" if qid == "comment" else NO_DATA] += 1
            continue
        by_question[qid][part] = given["answer"]
    for qid, pieces in by_question.items():
        for question, answer in _answers(pieces, is_pair=len(asked[qid]) == 2):
            if answer in (100, "100"):
                work.skipped[UNSURE] += 1
                continue
            first, *second = asked[qid]
            work.answers.append(
                FinishedAnswer(
                    question=question,
                    answer=answer,
                    dialogue=first.id,
                    other=second[0].id if second else None,
                    rater=None if rater is None else str(rater),
                    work=place,
                )
            )


def _answers(pieces: _Pieces, *, is_pair: bool) -> Iterator[tuple[str, Any]]:
    """The answers about one question id, by the question that they are to."""
    if is_pair:
        given = str(pieces.get("", pieces.get(WHOLE, "")))
        yield PREFERENCE, CHOICES.get(given, given)
    elif set(pieces) == {""}:
        yield LIKELIHOOD, pieces[""]
    else:
        listed = _listed(pieces)
        if listed is not None:
            yield PROBLEMS, listed
        if WHOLE in pieces:
            yield APPROPRIATE, pieces[WHOLE]


def _listed(pieces: _Pieces) -> list[str] | None:
    """The problems that were ticked: one field each, or all in one field; None where none was sent."""
    ticked = [kind for kind in KINDS if str(pieces.get(kind, "")).lower() not in _UNTICKED]
    joined = str(pieces.get("", "")).replace("|", ",").split(",")
    ticked += [kind for kind in (one.strip() for one in joined) if kind in KINDS]
    sent = set(pieces) - {WHOLE}
    return list(dict.fromkeys(ticked)) if sent else None


_UNTICKED = frozenset({"", "0", "false", "off", "no"})
