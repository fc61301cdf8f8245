"""A diagnosis of an agent for Deal or No Deal: how it reads, plays and speaks, and where it looks."""

from collections.abc import Sequence

import torch

from palaver.core.words import counted
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.deal.averaging import AveragedReaders
from palaver.models.deal.contexts import ContextPairs, made_contexts, read_contexts
from palaver.models.deal.figures import self_play_figures
from palaver.models.deal.kinds import TALK_KINDS, network_of, vocabulary_of
from palaver.models.deal.lines import DealLine, read_lines
from palaver.models.deal.reading import DealReader
from palaver.models.deal.rollouts import Rollouts
from palaver.models.deal.samples import attention_picture, samples_beside
from palaver.models.deal.self_play import Negotiator, SelfPlayed, play
from palaver.models.deal.tallies import line_figures, line_tallies
from palaver.models.deal.tensors import LineTensors
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    PublishedRow,
)
from palaver.models.inheritance import as_started
from palaver.models.vocabulary import Vocabulary

# Dialogues that are held at once.
_BATCH = 128
_READING = (
    FigureColumn(name="perplexity", heading="perplexity"),
    FigureColumn(name="token accuracy", heading="token accuracy", is_share=True),
    FigureColumn(name="selection accuracy", heading="selection accuracy", is_share=True),
)
_PLAYING = (
    FigureColumn(name="score_all_first", heading="its score", is_amount=True),
    FigureColumn(name="score_all_second", heading="partner's score", is_amount=True),
    FigureColumn(name="score_agreed_first", heading="its score, agreed", is_amount=True),
    FigureColumn(name="score_agreed_second", heading="partner's, agreed", is_amount=True),
    FigureColumn(name="agreed", heading="agreed", is_share=True),
    FigureColumn(name="pareto", heading="Pareto-optimal", is_share=True),
    FigureColumn(name="dialogue_length", heading="messages", is_amount=True),
    FigureColumn(name="words_per_message", heading="words a message", is_amount=True),
    FigureColumn(name="distinct", heading="distinct", is_share=True),
)
# Lewis et al. (2017), table 1: against the likelihood agent. The columns above, the first six.
_SOURCE = (
    "Lewis et al. (2017): against their likelihood agent, on the published contexts. Scores are of "
    "10 points."
)
_PUBLISHED = {
    "Lewis: likelihood": (5.4, 5.5, 6.2, 6.2, 0.879, 0.496),
    "Lewis: RL": (7.1, 4.2, 7.9, 4.7, 0.899, 0.586),
    "Lewis: rollouts": (7.3, 5.1, 7.9, 5.5, 0.929, 0.637),
    "Lewis: RL + rollouts": (8.3, 4.2, 8.8, 4.5, 0.944, 0.748),
}

_Reader = DealReader | AveragedReaders


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Figures on lines, tables of self-play, samples beside the data, and a picture of attention."""
    vocabulary = _vocabulary(request)
    lines = read_lines(request.files) if request.files else []
    pairs = read_contexts(request.scenarios) if request.scenarios else made_contexts()
    reader = _reader(request.checkpoint, request.device)
    sides = (
        reader,
        reader if request.against is None else _reader(request.against, request.device),
    )
    itself, partner = (Negotiator(network=each, temperature=request.temperature) for each in sides)
    whom = "itself" if request.against is None else request.against.folder.name
    reading = _reading_table(request, reader, vocabulary, lines) if lines else None
    playing, played = _playing_table(request, itself, partner, whom, pairs)
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=_headline(reading, playing),
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=(*((reading,) if reading else ()), playing),
        pictures=((attention_picture(reader, lines, vocabulary, request.device),) if lines else ()),
        samples=samples_beside((itself, partner), lines, played, vocabulary, request, whom=whom),
        notes=_notes(request),
    )


def _vocabulary(request: DiagnosisRequest) -> Vocabulary:
    """The words of all networks that take part; CheckpointError where they differ."""
    first = request.checkpoint.all[0]
    own = vocabulary_of(first)
    partners = () if request.against is None else request.against.all
    for each in partners:
        if as_started(each).model not in TALK_KINDS:
            raise CheckpointError(
                f"--against takes a model that plays Deal or No Deal, as {first.folder.name} does; "
                f"{each.folder} holds one of the kind '{each.model}'."
            )
    for each in (*request.checkpoint.all, *partners):
        other = vocabulary_of(each)
        if other.words != own.words:
            raise CheckpointError(
                f"{each.folder} and {first.folder} have learnt different words, {len(other):,} and "
                f"{len(own):,} of them, so they cannot hear each other. Train both on the same "
                "files with the same 'data.least', or start one from the other."
            )
    return own


def _reader(checkpoint: Checkpoint, device: torch.device) -> _Reader:
    readers = [network_of(each).to(device) for each in checkpoint.all]
    return readers[0] if len(readers) == 1 else AveragedReaders(readers)


def _reading_table(
    request: DiagnosisRequest, reader: _Reader, vocabulary: Vocabulary, lines: Sequence[DealLine]
) -> FigureTable:
    tensors = LineTensors.of(lines, vocabulary, request.device)
    with torch.no_grad():
        found = line_figures(lines, line_tallies(reader, tensors), seed=request.seed)
    row = FigureRow(title=request.file_names, figures={each.name: each for each in found})
    caption = f"{counted(len(lines), 'line')} of {request.file_names}. {request.told_files()}"
    return FigureTable(title="How it reads", caption=caption.strip(), columns=_READING, rows=(row,))


def _playing_table(
    request: DiagnosisRequest,
    itself: Negotiator,
    partner: Negotiator,
    whom: str,
    pairs: ContextPairs,
) -> tuple[FigureTable, SelfPlayed]:
    """The table, and the first dialogues of its first row."""
    sides = {f"against {whom}": itself}
    if request.rollouts:
        sides[f"with rollouts against {whom}"] = Negotiator(
            network=itself.network,
            temperature=request.temperature,
            rollouts=Rollouts(candidates=request.rollouts),
        )
    played = {title: _played((side, partner), pairs, request) for title, side in sides.items()}
    names = [each.name for each in _PLAYING]
    where = request.scenarios.name if request.scenarios else "contexts made by the published rule"
    table = FigureTable(
        title="How it plays",
        caption=f"{counted(request.dialogues, 'dialogue')} for each row, on {where}.",
        columns=_PLAYING,
        rows=tuple(
            FigureRow(
                title=title,
                figures={each.name: each for each in self_play_figures(all_, seed=request.seed)},
            )
            for title, all_ in played.items()
        ),
        published=tuple(
            PublishedRow(title=title, values=dict(zip(names, values, strict=False)))
            for title, values in _PUBLISHED.items()
        ),
        source=_SOURCE,
        drawn=("score_all_first", "agreed"),
    )
    return table, next(iter(played.values()))[0]


def _played(
    sides: tuple[Negotiator, Negotiator], pairs: ContextPairs, request: DiagnosisRequest
) -> list[SelfPlayed]:
    dice = torch.Generator().manual_seed(request.seed)
    found = []
    for start in range(0, request.dialogues, _BATCH):
        contexts = pairs.draw(min(_BATCH, request.dialogues - start), dice)
        found.append(play(sides, contexts, dice, device=request.device))
    return found


def _headline(reading: FigureTable | None, playing: FigureTable) -> str:
    score, agreed = playing.told("score_all_first"), playing.told("agreed")
    played = f"{score} points {playing.rows[0].title}, {agreed} agreed"
    return played if reading is None else f"Perplexity {reading.told('perplexity')}; {played}"


def _notes(request: DiagnosisRequest) -> tuple[str, ...]:
    heat = (
        f"draw their words with a temperature of {request.temperature:g}"
        if request.temperature
        else "say the likeliest word"
    )
    notes = [f"Intervals (95 %) draw dialogues anew. In self-play both sides {heat}."]
    if not request.files:
        notes.append(
            "Give it dialogues that it was not trained on as well to see how it reads, and where it "
            "looks."
        )
    return tuple(notes)
