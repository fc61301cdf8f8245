"""The answers of a study, or of an export of one, as `palaver validity` takes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from pathlib import Path

from palaver.analysis.validity import DialogueComparison, Timed
from palaver.cli.statistics.validity_choices import (
    BEHAVIOURS,
    LIKERT,
    LIKERT_TURN,
    Judged,
    JudgedComparison,
    JudgedValue,
    known_label,
    timed_of,
)
from palaver.core.errors import InputError
from palaver.core.questions.comparative import FIRST, NEITHER, SECOND, TIE, side_of
from palaver.core.registry import near
from palaver.core.words import counted, listed
from palaver.formats.frames import Frame
from palaver.reports.target import OpenStudy, opened_study
from palaver.storage.judging.answer_columns import AnswerRow
from palaver.storage.judging.evidence import read_evidence
from palaver.storage.judging.own import dialogue_people, judged_dialogues
from palaver.storage.studies.studies import list_studies
from palaver.studies.review.evidence import MeasuredFacet, StudyEvidence
from palaver.studies.review.label_files import people_of, read_label_export
from palaver.studies.review.raters import kind_of

SCORE = {FIRST: 1.0, TIE: 0.0, NEITHER: 0.0, SECOND: -1.0}
# What is said of a turn and not of a dialogue or a pair.
TURN = "turn"

# Whether a rater held a dialogue; None where nobody knows.
Own = Callable[[str | None, str], bool | None]


def from_study(
    path: Path,
    quality: str,
    *,
    study: str | None,
    home: Path | None,
    raters: str,
    sections: Sequence[str] = (),
    quality_from: str | None = None,
) -> Judged:
    """The answers of a study: each facet of a question is a label; times are those of questions.

    Quality may come from another study of the same store, joined by dialogue.
    """
    with opened_study(path, study=study, home=home) as opened:
        own = _own(opened)
        judged = _of_study(opened, quality, raters, own, sections)
        if quality_from is not None:
            _take_quality(judged, opened, quality, quality_from, raters, own)
            return judged
    known = [*(row.label for row in judged.rows), *([quality] if judged.comparisons else [])]
    known_label(quality, known, judged.where)
    return judged


def _of_study(
    opened: OpenStudy, quality: str, raters: str, own: Own, sections: Sequence[str] = ()
) -> Judged:
    evidence = opened.evidence(raters=raters, sections=sections)
    about = {
        name: question.about for name, question in evidence.by_plain_name(opened.questions).items()
    }
    judged = _from_evidence(evidence, f"The study '{evidence.study}'", about, own)
    if quality in evidence.votes:
        judged.comparisons = _comparisons(_read(opened, evidence.stored_name(quality), raters), own)
    return judged


def _take_quality(
    judged: Judged, opened: OpenStudy, quality: str, other: str, raters: str, own: Own
) -> None:
    """Replace quality by what another study of the store says of the same dialogues."""
    known = {each.name: each for each in opened.store.read_now(list_studies)}
    if other not in known:
        hint = near(other, known) or f" It has: {listed(list(known), most=10)}."
        raise InputError(f"There is no study '{other}' in this store.{hint}")
    there = replace(opened, stored=known[other], definition=None)
    given = _of_study(there, quality, raters, own)
    if given.comparisons:
        raise InputError(
            f"In the study '{other}', '{quality}' compares two dialogues; only quality that is "
            "given to one dialogue can be taken from another study."
        )
    known_label(quality, [row.label for row in given.rows], given.where)
    rows = [row for row in given.rows if row.label == quality]
    names = opened.store.read_now(
        lambda c: (judged_dialogues(c, opened.stored.id), judged_dialogues(c, there.stored.id))
    )
    rated = {row.dialogue for row in rows}
    joined = [each for each in join_dialogues(*names) if each[0] in rated]
    if not joined:
        raise InputError(
            f"No dialogue with '{quality}' in the study '{other}' is judged in "
            f"'{opened.stored.name}': none has the same key or the same name in its file "
            "(source_id)."
        )
    here = {key: mine for key, mine, _ in joined}
    systems = {row.dialogue: row.system for row in judged.rows}
    judged.rows = [row for row in judged.rows if row.label != quality] + [
        row._replace(dialogue=here[row.dialogue], system=systems.get(here[row.dialogue]))
        for row in rows
        if row.dialogue in here
    ]
    judged.comparisons = []
    judged.timed = timed_of(judged.timed, {row.question for row in judged.rows} - {quality})
    judged.kinds[quality] = given.kinds[quality]
    by_key = sum(same for *_, same in joined)
    judged.basis.append(
        f"Quality is from the study '{other}': {len(joined):,} of its "
        f"{counted(len(rated), 'rated dialogue')} are judged here, {by_key:,} by key and "
        f"{len(joined) - by_key:,} by the name in their file."
    )


def from_export(path: Path, frame: Frame, quality: str) -> Judged:
    """The labels of an export, as the study that they come from would be read."""
    export = read_label_export(path, frame)

    def own(dialogue: str | None, rater: str) -> bool | None:
        return people_of(export.people, dialogue, rater)

    judged = _from_evidence(export.evidence, frame.name, export.about, own)
    if quality in export.evidence.votes:
        judged.comparisons = _comparisons(export.by_question[quality], own)
    known = [*(row.label for row in judged.rows), *export.evidence.votes]
    known_label(quality, known, frame.name)
    told = f"Read as the labels of an export of '{export.study}'"
    if export.missing:
        told += f"; without {listed(export.missing, 'or')} beside it"
    judged.basis.append(f"{told}.")
    return judged


def _from_evidence(
    evidence: StudyEvidence, where: str, about: Mapping[str, str], own: Own
) -> Judged:
    judged = Judged(where)
    labels, dialogues, people, seconds = [], [], [], []
    timed: set[str] = set()
    for measured in evidence.measured:
        if measured.question in evidence.votes:
            continue
        for row in _answers(measured, own):
            judged.rows.append(row)
            judged.kinds.setdefault(row.label, _kind(measured, about))
        if measured.question not in timed:
            timed.add(measured.question)
            ratings = measured.ratings
            labels += [measured.question] * len(ratings)
            dialogues += [str(each) for each in ratings.column("dialogue")]
            people += [str(each) for each in ratings.column("rater")]
            seconds += [nan if each is None else each for each in ratings.column("seconds")]
    if not judged.rows:
        raise InputError(f"{where} has no answers that are points or labels.")
    if any(not isnan(second) for second in seconds):
        judged.timed = Timed(labels, dialogues, people, seconds)
    return judged


def _kind(measured: MeasuredFacet, about: Mapping[str, str]) -> str:
    if measured.facet.level == "nominal":
        return BEHAVIOURS
    if measured.question in about:
        return LIKERT_TURN if about[measured.question] == TURN else LIKERT
    units = measured.ratings.column("unit")
    return LIKERT if all(str(unit).startswith("dialogue:") for unit in units) else LIKERT_TURN


def _own(opened: OpenStudy) -> Own:
    people = opened.store.read_now(dialogue_people)
    return lambda dialogue, rater: people_of(people, dialogue, rater)


def _answers(measured: MeasuredFacet, own: Own) -> Iterator[JudgedValue]:
    """A facet's answers as numbers; where they are names, each name is a label: given or not."""
    ratings, facet = measured.ratings, measured.facet
    names = facet.level == "nominal" and not facet.is_presence
    # Of two names the second says the same as the first.
    shown = facet.scale[:1] if len(facet.scale) == 2 else facet.scale
    for dialogue, rater, value, system in zip(
        *(ratings.column(name) for name in ("dialogue", "rater", "value", "system")), strict=True
    ):
        row = JudgedValue(
            str(dialogue),
            measured.name,
            nan,
            system,
            rater,
            measured.question,
            own(dialogue, rater),
        )
        if names:
            for name in shown:
                yield row._replace(label=f"{measured.name} = {name}", value=float(value == name))
        else:
            yield row._replace(value=float(value))


def _read(opened: OpenStudy, question: str, raters: str) -> list[AnswerRow]:
    return opened.store.read_now(
        lambda connection: read_evidence(
            connection, opened.stored.id, kind=kind_of(raters), question=question
        )
    )


def _comparisons(evidence: list[AnswerRow], own: Own) -> list[JudgedComparison]:
    return [
        JudgedComparison(
            DialogueComparison(*each.dialogues, SCORE[side_of(each.rating.value)]),
            own(each.dialogues[0], each.rater),
        )
        for each in evidence
        if each.dialogues is not None and side_of(each.rating.value) in SCORE
    ]


def join_dialogues(
    here: Mapping[str, str | None], there: Mapping[str, str | None]
) -> Iterator[tuple[str, str, bool]]:
    """Dialogues of another study that are also judged here: its key there, here, and if by key.

    Keys come with the names that their files gave them. A dialogue is the same where the keys are
    equal; where one was imported under the key that it has in the other; or where both were imported
    under one name. A name that two dialogues have says nothing.
    """
    by_name: dict[str, list[str]] = {}
    for key, name in here.items():
        if name is not None:
            by_name.setdefault(name, []).append(key)
    alone = {name: keys[0] for name, keys in by_name.items() if len(keys) == 1}
    for key, name in there.items():
        if key in here:
            yield key, key, True
        elif key in alone:
            yield key, alone[key], False
        elif name is not None and name in here:
            yield key, name, False
        elif name is not None and name in alone:
            yield key, alone[name], False
