"""A diagnosis of a linear baseline: which words speak for which answer, the most telling first."""

from collections.abc import Iterator, Sequence

from torch import Tensor

from palaver.core.errors import InputError
from palaver.core.words import measured
from palaver.models.baselines.bags import WeighedWords
from palaver.models.baselines.kinds import NGrams
from palaver.models.baselines.parts import LabelColumns, ModelPart, QuestionPart, TurnPart
from palaver.models.baselines.spans import END, INSIDE, START, SpanPart
from palaver.models.baselines.text_model import TextModel
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    PictureLine,
    ShadedWord,
    WordPicture,
    shaded,
)
from palaver.models.measured import MeasuredFigure

# Words that are shown for an answer.
_MOST = 15
_ROLES = {START: "begins a span", INSIDE: "stands inside", END: "ends it"}


def examine(request: DiagnosisRequest) -> Diagnosis:
    """The words with the largest weights for each answer, and how it was measured."""
    first = request.checkpoint.all[0]
    if request.files or request.against is not None or request.scenarios or request.rollouts:
        raise InputError(
            f"Of {request.checkpoint.folder.name}, a baseline, the words are shown that it goes by; "
            "that takes no other options. Measure it on other data with 'palaver evaluate'."
        )
    model = NGrams().opened(first, request.device)
    figures = [MeasuredFigure(**each) for each in request.checkpoint.measured.get("figures", ())]
    notes = []
    if len(model.layout.asked) > 1:
        notes.append("A word counts where it stands: the field is named before it.")
    if len(request.checkpoint.all) > 1:
        notes.append(f"The words are those of its first member, {first.folder.name}.")
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=_headline(model, figures),
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=(_table(figures, request.checkpoint.measured.get("tested", ())),) if figures else (),
        pictures=tuple(_pictures(model)),
        notes=tuple(notes),
    )


def _headline(model: TextModel, figures: Sequence[MeasuredFigure]) -> str:
    told = [
        f"{each.name.replace('_', ' ')} {measured(each.value, each.low, each.high)}"
        for each in figures[:1]
    ]
    return ": ".join([f"Answers {model.layout.task} by counted words", *told])


def _table(figures: Sequence[MeasuredFigure], files: Sequence[str]) -> FigureTable:
    return FigureTable(
        title="How it was measured",
        caption="When it was made, on data that it had not seen.",
        columns=tuple(
            FigureColumn(name=each.name, heading=each.name.replace("_", " ")) for each in figures
        ),
        rows=(
            FigureRow(
                title=", ".join(files) or "held out", figures={each.name: each for each in figures}
            ),
        ),
    )


def _pictures(model: TextModel) -> Iterator[WordPicture]:
    """A picture for each goal: a line of words for each of its answers."""
    for part, bagger, network in zip(model.parts, model.baggers, model.networks, strict=True):
        assert isinstance(bagger, WeighedWords)
        words = _told_words(model, bagger.words)
        weights: Tensor = network.get_parameter("weight").detach().cpu()
        for title, answers in _answers(part):
            lines = [(name, sign * weights[:, column]) for name, column, sign in answers]
            full = max((float(each.max()) for _, each in lines), default=0.0)
            yield WordPicture(
                title=title,
                caption="The words and runs of words with the largest weights.",
                # Of an answer that was never right no word speaks for it.
                lines=tuple(_line(n, words, each, full) for n, each in lines if each.max() > 0),
                is_share=False,
            )


def _answers(part: ModelPart) -> Iterator[tuple[str, list[tuple[str, int, int]]]]:
    """What a part is asked, and the column of weights of each answer, with its sign."""
    if isinstance(part, QuestionPart):
        for goal, columns in part.columns.items():
            yield f"What speaks for each answer to {goal}", _columns(columns)
    elif isinstance(part, TurnPart):
        for speaker, columns in part.columns.items():
            yield f"What speaks for each label of the {speaker}'s turns", _columns(columns)
    elif isinstance(part, SpanPart):
        roles = [(name, role, 1) for role, name in _ROLES.items()]
        yield f"What speaks for a word of {part.goal.name}", roles


def _columns(columns: LabelColumns) -> list[tuple[str, int, int]]:
    # A single probability has one column: what is against it stands on the other end.
    if columns.labels == ("",):
        return [("more", columns.start, 1), ("less", columns.start, -1)]
    return [(label, columns.start + n, 1) for n, label in enumerate(columns.labels)]


def _line(name: str, words: Sequence[str], weights: Tensor, full: float) -> PictureLine:
    largest = weights.topk(min(_MOST, len(words)))
    chosen = [
        n
        for n, weight in zip(largest.indices.tolist(), largest.values.tolist(), strict=True)
        if weight > 0
    ]
    told = [words[n] for n in chosen]
    return PictureLine(
        ShadedWord(f"{name}:", 0.0, 0.0), shaded(told, weights[chosen].tolist(), full)
    )


def _told_words(model: TextModel, words: Sequence[str]) -> list[str]:
    """Words after the field where they stand, unless there is one field alone."""
    asked = model.layout.asked
    start = f"{asked[0].name}|" if len(asked) == 1 else ""
    return [word.removeprefix(start).replace("|", ": ") for word in words]
