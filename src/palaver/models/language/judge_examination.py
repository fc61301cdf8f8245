"""A diagnosis of a language model of the DialEval tasks: how far it is from annotators."""

from palaver.core.words import counted
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
)
from palaver.models.dialeval.dialogues import read_dialogues
from palaver.models.dialeval.samples import judged_samples
from palaver.models.dialeval.scores import dialogue_scores, figures
from palaver.models.language.examination import check_request
from palaver.models.language.judge_responder import LanguageJudgeResponder
from palaver.models.language.judging import read_judged

_COLUMNS = (
    FigureColumn(name="jsd", heading="JSD"),
    FigureColumn(name="rnss", heading="RNSS"),
    FigureColumn(name="rsnod", heading="RSNOD"),
    FigureColumn(name="nmd", heading="NMD"),
)


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Distances from annotators where the files have labels, and what it says of some dialogues."""
    check_request(request, what="judges dialogues")
    responder = LanguageJudgeResponder([request.checkpoint], request.device)
    dialogues = [each for path in request.files for each in read_dialogues(path)]
    has = {"nugget": any(d.nugget for d in dialogues), "quality": any(d.quality for d in dialogues)}
    is_labelled = any(has[task] for task in responder.reading.learnt)
    if is_labelled:
        # All of them, then, and each once.
        dialogues = read_judged(request.files, responder.reading)
    said = responder.shares(dialogues)
    tables: tuple[FigureTable, ...] = ()
    headline = f"What it says of {request.file_names}, without labels"
    if is_labelled:
        found = figures(dialogue_scores(said, responder.truth(dialogues)))
        row = FigureRow(
            title=request.checkpoint.folder.name, figures={each.name: each for each in found}
        )
        table = FigureTable(
            title="How far it is from annotators",
            caption=f"{counted(len(dialogues), 'dialogue')} of {request.file_names}. "
            f"{request.told_files()} Distances from the shares of annotators: lower is better.",
            columns=_COLUMNS,
            rows=(row,),
        )
        tables = (table,)
        headline = ", ".join(f"{c.heading} {c.text(f)}" for c, f in table.known_columns())
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=headline,
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=tables,
        judged=tuple(judged_samples(dialogues, said, request.samples)),
        notes=("Intervals (95 %) draw dialogues anew.",) if is_labelled else (),
    )
