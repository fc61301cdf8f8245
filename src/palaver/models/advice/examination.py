"""A diagnosis of a model of advice: how it predicts people's advice, and its own beside theirs."""

from collections.abc import Sequence

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.models.advice.adviser import Adviser
from palaver.models.advice.cases import AdvisedCase, read_advised
from palaver.models.advice.figures import answer_figures, spread
from palaver.models.advice.kinds import adviser_of
from palaver.models.advice.learner import predicted_on
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    SamplePair,
    SampleSet,
)

_PREDICTED = (
    FigureColumn(name="perplexity", heading="perplexity"),
    FigureColumn(name="bits_per_byte", heading="bits per byte"),
    FigureColumn(name="token_accuracy", heading="token accuracy", is_share=True),
)
_SAID = (
    FigureColumn(name="words", heading="words", is_amount=True),
    FigureColumn(name="distinct_1", heading="different words", is_share=True),
    FigureColumn(name="distinct_2", heading="different pairs", is_share=True),
    FigureColumn(name="rouge_l", heading="ROUGE-L", is_share=True),
)
# Situations that it advises on to see what its advice is like.
_ADVISED = 100


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Figures on files, and some of its advice beside people's."""
    _check(request)
    adviser = adviser_of(request.checkpoint.all, request.device)
    cases, without = read_advised(request.files)
    asked = [cases[n] for n in spread(len(cases), max(_ADVISED, request.samples))]
    said = adviser.advise([case.question for case in asked])
    tables = (_predicted(request, adviser, cases), _advised(request, asked, said))
    notes = ["Intervals (95 %) draw situations anew."]
    if without:
        notes.append(f"{counted(without, 'situation')} without advice of people were left out.")
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=f"perplexity {tables[0].told('perplexity')} on {request.file_names}",
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=tables,
        samples=_samples(request, asked, said),
        notes=tuple(notes),
    )


def _check(request: DiagnosisRequest) -> None:
    name = request.checkpoint.folder.name
    if not request.files:
        raise InputError(
            f"{name} advises on situations: give some with --data FILE, with the advice of people, "
            "and none that it was trained on."
        )
    if request.against is not None or request.scenarios is not None or request.rollouts:
        raise InputError(
            f"{name} advises and plays no game: --against, --scenarios and --rollouts are for agents."
        )


def _predicted(
    request: DiagnosisRequest, adviser: Adviser, cases: Sequence[AdvisedCase]
) -> FigureTable:
    figures = {each.name: each for each in predicted_on(adviser, cases, seed=request.seed)}
    return FigureTable(
        title="How well it predicts the best advice of people",
        caption=f"{counted(len(cases), 'situation')} of {request.file_names}. "
        f"{request.told_files()} Perplexity depends on the vocabulary; bits per byte do not.",
        columns=_PREDICTED,
        rows=(FigureRow(title=request.checkpoint.folder.name, figures=figures),),
    )


def _advised(
    request: DiagnosisRequest, asked: Sequence[AdvisedCase], said: Sequence[str]
) -> FigureTable:
    meant = [case.advice[0] for case in asked]
    ours = answer_figures(said, meant, seed=request.seed)
    theirs = answer_figures(meant, seed=request.seed)
    rows = ((request.checkpoint.folder.name, ours), ("people's best", theirs))
    return FigureTable(
        title="What its advice is like",
        caption=f"Its own advice on {counted(len(asked), 'situation')}, and people's best. Whether "
        "advice helps is for people to say.",
        columns=_SAID,
        rows=tuple(
            FigureRow(title=title, figures={each.name: each for each in figures})
            for title, figures in rows
        ),
    )


def _samples(
    request: DiagnosisRequest, asked: Sequence[AdvisedCase], said: Sequence[str]
) -> tuple[SampleSet, ...]:
    if not request.samples:
        return ()
    pairs = tuple(
        SamplePair(
            about=f"{asked[n].question.subreddit}: {' '.join(asked[n].question.title.split())}",
            ours=_lines(said[n]),
            theirs=_lines(asked[n].advice[0]),
        )
        for n in spread(len(asked), request.samples)
    )
    return (
        SampleSet(
            title="What it advises, beside what people advised",
            ours="The model",
            theirs="People",
            pairs=pairs,
        ),
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
