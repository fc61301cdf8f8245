"""A diagnosis of a model of the DialEval tasks: how far it is from annotators, and where it looks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    WordPicture,
)
from palaver.models.dialeval.answers import Judge, JudgedShares, averaged, said_alone
from palaver.models.dialeval.dialogues import (
    CUSTOMER,
    NUGGETS,
    POINTS,
    SCALES,
    HelpDialogue,
    read_dialogues,
    read_labelled,
)
from palaver.models.dialeval.kinds import dialeval_settings, judge_of
from palaver.models.dialeval.samples import attention_pictures, judged_samples
from palaver.models.dialeval.scores import dialogue_scores, figures
from palaver.models.dialeval.tensors import DialogueTensors, as_tensors
from palaver.models.measured import MeasuredFigure

_NUGGET_COLUMNS = (
    FigureColumn(name="jsd", heading="JSD"),
    FigureColumn(name="rnss", heading="RNSS"),
    FigureColumn(name="jsd-turns", heading="JSD, turns alike"),
    FigureColumn(name="rnss-turns", heading="RNSS, turns alike"),
)
_QUALITY_COLUMNS = tuple(
    FigureColumn(name=f"{name}{part}", heading=f"{name.upper()}{told}")
    for name in ("rsnod", "nmd")
    for part, told in (("", ""), *((f"-{scale}", f" {scale}") for scale in SCALES))
)


_NUGGETS_TOLD = (
    "A turn of the customer says what is wrong (CNUG0), helps towards a solution (CNUG), confirms it "
    "(CNUG*) or does none of these (CNaN); one of the help desk helps (HNUG), gives the "
    "solution (HNUG*) or does neither (HNaN)."
)
_QUALITY_TOLD = (
    "From 2 (best) to -2: was the problem solved (A, accomplishment), how satisfied is the customer "
    "(S), how effective was the exchange (E)?"
)


@dataclass(frozen=True, slots=True)
class JudgedDialogues:
    """Dialogues, what annotators said of them, if any did, and what the model says."""

    dialogues: Sequence[HelpDialogue]
    truth: DialogueTensors
    said: JudgedShares
    # What each member of an ensemble says alone.
    members: dict[str, JudgedShares]
    is_labelled: bool


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Distances from annotators, its shares beside theirs, and which words are picked."""
    _check(request)
    judges = [judge_of(each, request.device) for each in request.checkpoint.all]
    file = _judged_file(request, judges)
    tables = tuple(_tables(request, file)) if file.is_labelled else ()
    pictures = attention_pictures(judges, file.dialogues, request.device)
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=_headline(tables, request),
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=(*tables, *(_means(file) if file.is_labelled else ())),
        pictures=pictures,
        judged=tuple(judged_samples(file.dialogues, file.said, request.samples)),
        notes=tuple(_notes(file, pictures)),
    )


def _check(request: DiagnosisRequest) -> None:
    name = request.checkpoint.folder.name
    if not request.files:
        raise InputError(
            f"{name} judges help-desk dialogues: give some with --data FILE, best with what "
            "annotators said of them, and none that it was trained on."
        )
    if request.against is not None or request.scenarios is not None or request.rollouts:
        raise InputError(
            f"{name} judges dialogues and plays none: --against, --scenarios and --rollouts are for "
            "agents."
        )


def _judged_file(request: DiagnosisRequest, judges: Sequence[Judge]) -> JudgedDialogues:
    checkpoints = request.checkpoint.all
    reading = dialeval_settings(checkpoints[0]).data
    dialogues = [each for path in request.files for each in read_dialogues(path)]
    has = {"nugget": any(d.nugget for d in dialogues), "quality": any(d.quality for d in dialogues)}
    is_labelled = any(has[task] for task in reading.learnt)
    if is_labelled:
        # All of them, then, and each once.
        dialogues = read_labelled(
            request.files, nugget="nugget" in reading.learnt, quality="quality" in reading.learnt
        )
    said = [said_alone(judge, dialogues, request.device) for judge in judges]
    names = [each.folder.name for each in checkpoints]
    alone = {n: averaged([j], [s]) for n, j, s in zip(names, judges, said, strict=True)}
    return JudgedDialogues(
        dialogues=dialogues,
        truth=as_tensors(dialogues, judges[0].vocabulary, most=reading.words),
        said=averaged(judges, said),
        members=alone if len(judges) > 1 else {},
        is_labelled=is_labelled,
    )


def _tables(request: DiagnosisRequest, file: JudgedDialogues) -> Iterator[FigureTable]:
    """How far it is from annotators, beside its members and a model that knows nothing."""
    said = {request.checkpoint.folder.name: file.said, **file.members}
    said["all labels alike"] = _alike(file.said, file.truth)
    rows = tuple(
        FigureRow(
            title=title,
            figures={each.name: each for each in figures(dialogue_scores(shares, file.truth))},
        )
        for title, shares in said.items()
    )
    caption = f"{counted(len(file.dialogues), 'dialogue')} of {request.file_names}. "
    caption += f"{request.told_files()} Distances from the shares of annotators: lower is better. "
    caption += "'all labels alike' gives each label the same share."
    for title, columns in (("nuggets", _NUGGET_COLUMNS), ("quality", _QUALITY_COLUMNS)):
        if any(column.name in rows[0].figures for column in columns):
            yield FigureTable(
                title=f"How far it is from annotators: {title}",
                caption=caption,
                columns=columns,
                rows=rows,
                drawn=(columns[0].name,),
            )


def _alike(said: JudgedShares, truth: DialogueTensors) -> JudgedShares:
    """Shares that are the same for every label that a turn, or a scale, has."""
    nugget = quality = None
    if said.nugget is not None:
        there = torch.ones_like(said.nugget)
        there[..., len(NUGGETS[CUSTOMER]) - 1] = truth.senders == 0
        nugget = there / there.sum(dim=-1, keepdim=True)
    if said.quality is not None:
        quality = torch.full_like(said.quality, 1 / len(POINTS))
    return JudgedShares(nugget, quality)


def _means(file: JudgedDialogues) -> Iterator[FigureTable]:
    """The labels that it gives on average, beside those of annotators."""
    said, truth = file.said, file.truth
    if said.nugget is not None:
        pairs = [
            (truth.present & (truth.senders == number), sender, labels)
            for number, (sender, labels) in enumerate(NUGGETS.items())
        ]
        rows = [
            (whose, _mean_figures([(shares[there], who, labels) for there, who, labels in pairs]))
            for whose, shares in (("it says", said.nugget), ("annotators", truth.nugget))
        ]
        yield _mean_table("Nuggets on average", rows, about=_NUGGETS_TOLD)
    if said.quality is not None:
        rows = [
            (
                f"{scale}, {whose}",
                _mean_figures([(shares[:, n], "dialogues", POINTS)]),
            )
            for n, scale in enumerate(SCALES)
            for whose, shares in (("it says", said.quality), ("annotators", truth.quality))
        ]
        yield _mean_table("Quality on average", rows, about=_QUALITY_TOLD)


def _mean_figures(parts: Sequence[tuple[Tensor, str, Sequence[str]]]) -> dict[str, MeasuredFigure]:
    """The mean share of each label, of some rows (rows, labels) each."""
    return {
        label: MeasuredFigure(
            name=label,
            value=float(shares[:, n].double().mean()),
            n=len(shares),
            unit="dialogues" if whose == "dialogues" else f"turns of the {whose}",
            about="mean share of the label",
        )
        for shares, whose, labels in parts
        if len(shares)
        for n, label in enumerate(labels)
    }


def _mean_table(
    title: str, rows: Sequence[tuple[str, dict[str, MeasuredFigure]]], *, about: str
) -> FigureTable:
    labels = dict.fromkeys(label for _, found in rows for label in found)
    return FigureTable(
        title=title,
        caption=f"Which labels it gives too often or too rarely. {about}",
        columns=tuple(FigureColumn(name=each, heading=each, is_share=True) for each in labels),
        rows=tuple(FigureRow(title=whose, figures=found) for whose, found in rows),
    )


def _headline(tables: Sequence[FigureTable], request: DiagnosisRequest) -> str:
    if not tables:
        has = "has" if len(request.files) == 1 else "have"
        return f"What it says of {request.file_names}, which {has} no labels"
    told = [
        f"{column.heading} {column.text(figure)}"
        for table in tables
        for column, figure in table.known_columns()
        if column.name in ("jsd", "rsnod")
    ]
    if not told:
        return f"No JSD: in each dialogue of {request.file_names} one side never speaks"
    return f"{', '.join(told)} from the annotators of {request.file_names}"


def _notes(file: JudgedDialogues, pictures: Sequence[WordPicture]) -> Iterator[str]:
    if file.is_labelled:
        yield "Intervals (95 %) draw dialogues anew."
        one_sided = sum(len({turn.sender for turn in each.turns}) < 2 for each in file.dialogues)
        if one_sided and file.said.nugget is not None:
            yield (
                f"In {counted(one_sided, 'dialogue')} one side never speaks; JSD and RNSS leave them "
                "out, except where turns count alike."
            )
    else:
        yield "The files have no labels, so that nothing could be measured."
        # With labels the tables of means say it.
        if file.said.nugget is not None:
            yield _NUGGETS_TOLD
        if file.said.quality is not None:
            yield _QUALITY_TOLD
    if not pictures:
        yield "A BiLSTM sums the words of a turn alike, so there is no picture of where it looks."
