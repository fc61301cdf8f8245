"""A diagnosis of an agent for Deal or No Deal: how it reads, plays and speaks, and where it looks."""

from collections.abc import Mapping

import torch

from palaver.models.deal.contexts import ContextPairs, made_contexts, read_contexts
from palaver.models.deal.figures import self_play_figures
from palaver.models.deal.kinds import network_of, vocabulary_of
from palaver.models.deal.lines import DealLine, read_lines
from palaver.models.deal.network import ITEMS, YOU
from palaver.models.deal.reading import DealReader
from palaver.models.deal.rollouts import Rollouts
from palaver.models.deal.self_play import Negotiator, SelfPlayed, play, transcript
from palaver.models.deal.splits import best_split, is_deal
from palaver.models.deal.tallies import line_figures, line_tallies
from palaver.models.deal.tensors import LineTensors
from palaver.models.deal.words import as_sentence
from palaver.models.diagnosis.record import (
    AttentionPicture,
    Diagnosis,
    DiagnosisRequest,
    FigureRow,
    FigureTable,
    SamplePair,
    SampleSet,
    figure_table,
    looked_at,
)
from palaver.models.learner import Figure
from palaver.models.training.curve import shown

# Dialogues that are held at once.
_BATCH = 128
_COLUMNS = (
    ("score_all_first", "its score"),
    ("score_all_second", "partner's score"),
    ("score_agreed_first", "its score, agreed"),
    ("score_agreed_second", "partner's, agreed"),
    ("agreed", "agreed"),
    ("pareto", "Pareto-optimal"),
    ("dialogue_length", "messages"),
    ("words_per_message", "words a message"),
    ("distinct", "distinct"),
)
# Lewis et al. (2017), table 1: against the LIKELIHOOD agent.
_SOURCE = (
    "Published: Lewis et al. (2017), against their likelihood agent, on the published contexts; "
    "scores are of 10."
)
_PUBLISHED = {
    "Lewis: likelihood": ("5.4", "5.5", "6.2", "6.2", "87.9 %", "49.6 %"),
    "Lewis: RL": ("7.1", "4.2", "7.9", "4.7", "89.9 %", "58.6 %"),
    "Lewis: rollouts": ("7.3", "5.1", "7.9", "5.5", "92.9 %", "63.7 %"),
    "Lewis: RL + rollouts": ("8.3", "4.2", "8.8", "4.5", "94.4 %", "74.8 %"),
}


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Figures on lines, tables of self-play, samples beside the data, and a picture of attention."""
    network = network_of(request.checkpoint).to(request.device)
    lines = read_lines(request.files) if request.files else []
    tables = [_reading(request, network, lines)] if lines else []
    table, played = _self_play(request, network)
    pictures = (_picture(request, network, lines[0]),) if lines else ()
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=_headline(tables, table),
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=(*tables, table),
        samples=(_samples(request, played, lines),),
        pictures=pictures,
        notes=(
            "Intervals (95 %) draw dialogues anew. Both sides of self-play draw their words with a "
            f"temperature of {request.temperature:g}.",
        ),
    )


def _reading(request: DiagnosisRequest, network: DealReader, lines: list[DealLine]) -> FigureTable:
    vocabulary = vocabulary_of(request.checkpoint)
    tensors = LineTensors.of(lines, vocabulary, request.device)
    with torch.no_grad():
        found = line_figures(lines, line_tallies(network, tensors), seed=request.seed)
    title = ", ".join(path.name for path in request.files)
    row = FigureRow(title=title, figures={each.name: each for each in found})
    return figure_table("How it reads", f"Lines of {title}, which it should not have seen.", (row,))


def _self_play(
    request: DiagnosisRequest, network: DealReader
) -> tuple[FigureTable, list[SelfPlayed]]:
    """The table, and the dialogues of its first row."""
    pairs = _pairs(request)
    itself = Negotiator(network=network, temperature=request.temperature)
    partner, whom = itself, "itself"
    if request.against is not None:
        other = network_of(request.against).to(request.device)
        partner = Negotiator(network=other, temperature=request.temperature)
        whom = request.against.folder.name
    sides = {f"against {whom}": itself}
    if request.rollouts:
        thinking = Rollouts(candidates=request.rollouts)
        sides[f"with rollouts against {whom}"] = Negotiator(
            network=network, temperature=request.temperature, rollouts=thinking
        )
    played = {title: _played((side, partner), pairs, request) for title, side in sides.items()}
    rows = tuple(
        FigureRow(
            title=title,
            figures={each.name: each for each in self_play_figures(batches, seed=request.seed)},
        )
        for title, batches in played.items()
    )
    caption = f"{request.dialogues:,} dialogues for each row; both sides mark a deal that adds up."
    names = [name for name, _ in _COLUMNS]
    published = tuple(
        (title, dict(zip(names, cells, strict=False))) for title, cells in _PUBLISHED.items()
    )
    table = figure_table("How it plays", caption, rows, _COLUMNS)
    told = FigureTable(
        title=table.title,
        caption=table.caption,
        columns=table.columns,
        rows=table.rows,
        published=published,
        source=_SOURCE,
    )
    return told, next(iter(played.values()))


def _pairs(request: DiagnosisRequest) -> ContextPairs:
    return read_contexts(request.scenarios[0]) if request.scenarios else made_contexts()


def _played(
    sides: tuple[Negotiator, Negotiator], pairs: ContextPairs, request: DiagnosisRequest
) -> list[SelfPlayed]:
    dice = torch.Generator().manual_seed(request.seed)
    found = []
    for start in range(0, request.dialogues, _BATCH):
        contexts = pairs.draw(min(_BATCH, request.dialogues - start), dice)
        found.append(play(sides, contexts, dice, device=request.device))
    return found


def _samples(
    request: DiagnosisRequest, played: list[SelfPlayed], lines: list[DealLine]
) -> SampleSet:
    vocabulary = vocabulary_of(request.checkpoint)
    count = min(request.samples, len(played[0]))
    shown_lines = lines[:: max(1, len(lines) // max(1, count))]
    pairs = [
        SamplePair(
            ours=tuple(transcript(played[0], row, vocabulary)),
            theirs=tuple(_as_read(shown_lines[row])) if row < len(shown_lines) else (),
        )
        for row in range(count)
    ]
    return SampleSet(
        title="What it says, beside what people said",
        ours="The model in self-play",
        theirs="People in the file" if lines else "No file was given (--data)",
        pairs=tuple(pairs),
    )


def _as_read(line: DealLine) -> list[str]:
    piles = zip(ITEMS, line.context[::2], line.context[1::2], strict=True)
    head = ", ".join(f"{count} × {item} ({worth} to A)" for item, count, worth in piles)
    turns: list[tuple[str, list[str]]] = []
    for word in line.words:
        if word.endswith(":") and word.isupper():
            turns.append(("A" if word == YOU else "B", []))
        else:
            turns[-1][1].append(word)
    said = [f"{who}: {as_sentence(words) or '(marks the deal)'}" for who, words in turns]
    if not line.is_deal:
        return [head, *said, "No deal."]
    own = sum(take * worth for take, worth in zip(line.slots, line.context[1::2], strict=False))
    other = sum(
        take * worth for take, worth in zip(line.slots[3:], line.partner[1::2], strict=True)
    )
    return [head, *said, f"A deal: {own} points for A, {other} for B."]


def _picture(request: DiagnosisRequest, network: DealReader, line: DealLine) -> AttentionPicture:
    tensors = LineTensors.of([line], vocabulary_of(request.checkpoint), request.device)
    with torch.no_grad():
        inputs = (tensors.contexts, tensors.words, tensors.lengths)
        weights = network.attention(*inputs)[0].tolist()
        told = best_split(network.choose(*inputs), tensors.contexts)
    is_told = bool(is_deal(told)[0])
    takes = ", ".join(
        f"{n} {item}{'' if n == 1 else 's'}"
        for n, item in zip(told[0, :3].tolist(), ITEMS, strict=True)
    )
    ends = f"that A takes {takes}" if is_told else "that there is no deal"
    lines: list[tuple[str, list[str], list[float]]] = []
    for word, weight in zip(line.words, weights, strict=False):
        if word.endswith(":") and word.isupper():
            lines.append(("A:" if word == YOU else "B:", [word], [weight]))
        else:
            lines[-1][1].append(word)
            lines[-1][2].append(weight)
    most = max(weights)
    return AttentionPicture(
        title="Where it looks to say who gets what",
        caption=f"The first dialogue of the file; it says {ends}. The darker a word, the more of the "
        "attention it gets; the first mark of a line is that of its speaker.",
        lines=tuple((who, looked_at(words, shares, most)) for who, words, shares in lines),
    )


def _headline(reading: list[FigureTable], play_table: FigureTable) -> str:
    own: Mapping[str, Figure] = play_table.rows[0].figures
    played = (
        f"{shown(own['score_all_first'].value)} points and {100 * own['agreed'].value:.0f} % agreed "
        f"{play_table.rows[0].title}"
    )
    if not reading:
        return played
    perplexity = reading[0].rows[0].figures["perplexity"]
    return f"Perplexity {shown(perplexity.value)}; {played}"

