"""A diagnosis of an act agent: how well it foresees people, which acts it takes for which, how it plays,
and dialogues of its own beside people's."""

from collections.abc import Sequence
from pathlib import Path

import torch

from palaver.core.words import counted
from palaver.models.acts.bargain_game import BargainActs
from palaver.models.acts.bargain_words import scenario_numbers
from palaver.models.acts.figures import play_figures
from palaver.models.acts.games import ActGame, GivenScenarios, ScenarioSource
from palaver.models.acts.grammar import (
    BEGIN,
    END_NUMBER,
    MARKS,
    PAD_NUMBER,
    START_NUMBER,
    states_before,
)
from palaver.models.acts.kinds import game_of, network_of
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.self_play import ActPlayer, HeldActs, play
from palaver.models.acts.tallies import act_measures, read_logits, view_figures, view_tallies
from palaver.models.acts.views import ActView, ActViewTensors
from palaver.models.bargain.dialogues import read_bargains
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.deal.contexts import is_context_file, made_contexts, read_contexts
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    PictureLine,
    SamplePair,
    SampleSet,
    WordPicture,
    shaded,
)

_SHARES = ("agreed", "pareto", "act accuracy", "argument accuracy")
# Acts that are named as what an act was taken for.
_NAMED = 4


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Figures on dialogues, a picture of confused acts, self-play, and samples."""
    first = request.checkpoint.all[0]
    game, network = game_of(first), network_of(first).to(request.device)
    partner, whom = network, "itself"
    if request.against is not None:
        partner, whom = _partner(request.against, game, request.device), request.against.folder.name
    tables, pictures, samples = [], [], []
    headline = ""
    if request.files:
        views = game.views(request.files, reads="parsed")
        reading = _reading_table(request, game, network)
        tables.append(reading)
        pictures.append(confusion_picture(network, game, views, request.device))
        headline = f"Perplexity {reading.told('perplexity')}"
    source = _scenarios(request, game)
    if source is not None:
        playing, held = _playing_table(request, game, (network, partner), whom, source)
        tables.append(playing)
        headline = ", ".join(filter(None, (headline, f"{playing.told('agreed')} agreed")))
        views = game.views(request.files, reads="parsed") if request.files else []
        samples.append(_samples(request, game, held, views))
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=headline or "Give it dialogues to see how it reads and plays",
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=tuple(tables),
        pictures=tuple(pictures),
        samples=tuple(samples),
        notes=_notes(request, has_played=source is not None),
    )


def confusion_picture(
    network: ActNetwork, game: ActGame, views: Sequence[ActView], device: torch.device
) -> WordPicture:
    """Of each act that people chose first in a turn, which acts were the likeliest to the network."""
    tensors = ActViewTensors.of(views, device)
    tables = game.grammar.tables(device)
    size = len(game.grammar)
    counts = torch.zeros(size, size)
    with torch.no_grad():
        for _, part in tensors.parts(256):
            is_first = (states_before(part.own, tables) == BEGIN) & (part.own != PAD_NUMBER)
            told = read_logits(network, part, tables).argmax(-1)[is_first]
            pairs = part.own[is_first] * size + told
            counts += torch.bincount(pairs, minlength=size * size).view(size, size).cpu()
    lines = []
    for number in counts.sum(1).argsort(descending=True, stable=True).tolist():
        whole = float(counts[number].sum())
        if not whole:
            break
        shares = (counts[number] / whole).topk(_NAMED)
        named = [
            (game.grammar.words[n], share)
            for n, share in zip(shares.indices.tolist(), shares.values.tolist(), strict=True)
            if share > 0
        ]
        right = float(counts[number, number]) / whole
        (head,) = shaded([game.grammar.words[number]], [right], 1.0)
        lines.append(
            PictureLine(head, shaded([w for w, _ in named], [share for _, share in named], 1.0))
        )
    return WordPicture(
        title="Which acts it takes for which",
        caption="What people did first in a turn, the commonest act above, with the share of turns in "
        "which it was the likeliest to the model; and what was the likeliest instead.",
        lines=tuple(lines),
    )


def _partner(checkpoint: Checkpoint, game: ActGame, device: torch.device) -> ActNetwork:
    first = checkpoint.all[0]
    if game_of(first).grammar.words != game.grammar.words:
        raise CheckpointError(
            f"{checkpoint.folder} has learnt other words of acts, so that the two cannot hear each "
            "other. Train both on the same files, or start one from the other."
        )
    return network_of(first).to(device)


def _scenarios(request: DiagnosisRequest, game: ActGame) -> ScenarioSource | None:
    """What self-play is about: a file of scenarios, else the dialogues; deals can be made."""
    paths: Sequence[Path] = (request.scenarios,) if request.scenarios else request.files
    if not isinstance(game, BargainActs):
        contexts = [path for path in paths if is_context_file(path)]
        return read_contexts(contexts[0]) if contexts else made_contexts()
    if not paths:
        return None
    numbers = [scenario_numbers(each.sides) for each in read_bargains(paths)]
    return GivenScenarios(torch.tensor(numbers, dtype=torch.float64))


def _reading_table(request: DiagnosisRequest, game: ActGame, network: ActNetwork) -> FigureTable:
    names = [measure.name for measure in act_measures(game.number_name)]
    rows = []
    for reads, told in game.readings(request.files).items():
        views = game.views(request.files, reads=reads)
        tallies = view_tallies(network, game, ActViewTensors.of(views, request.device))
        found = view_figures(views, tallies, game, seed=request.seed)
        rows.append(FigureRow(title=told, figures={each.name: each for each in found}))
    return FigureTable(
        title="How it reads",
        caption=f"Dialogues of {request.file_names}. {request.told_files()}".strip(),
        columns=tuple(
            FigureColumn(name=name, heading=name, is_share=name in _SHARES) for name in names
        ),
        rows=tuple(rows),
    )


def _playing_table(
    request: DiagnosisRequest,
    game: ActGame,
    networks: tuple[ActNetwork, ActNetwork],
    whom: str,
    source: ScenarioSource,
) -> tuple[FigureTable, list[HeldActs]]:
    dice = torch.Generator().manual_seed(request.seed)
    sides = (
        ActPlayer(networks[0], request.temperature),
        ActPlayer(networks[1], request.temperature),
    )
    scenarios = source.draw(request.dialogues, dice)
    held = play(game, sides, scenarios, dice, device=request.device)
    found = play_figures(held, game.reward_names[0], seed=request.seed)
    columns = tuple(
        FigureColumn(
            name=each.name,
            heading=each.name.replace("_", " "),
            is_share=each.name in (*_SHARES, "distinct"),
            is_amount=each.name not in _SHARES,
        )
        for each in found
    )
    row = FigureRow(title=f"against {whom}", figures={each.name: each for each in found})
    return (
        FigureTable(
            title="How it plays",
            caption=f"{counted(request.dialogues, 'dialogue')} of acts, without words. A reward is "
            f"that of '{game.reward_names[0]}'; the first side is the model.",
            columns=columns,
            rows=(row,),
            drawn=("agreed",),
        ),
        held,
    )


def _samples(
    request: DiagnosisRequest, game: ActGame, held: Sequence[HeldActs], views: Sequence[ActView]
) -> SampleSet:
    """Dialogues of acts, and beside them some that people held, about other things."""
    ours = [_transcript(each, row) for each in held for row in range(len(each))][: request.samples]
    theirs = [_people(view, game) for view in views[:: max(1, len(views) // max(1, len(ours)))]]
    return SampleSet(
        title="What it does, beside what people did" if views else "What it does",
        ours="The model as A",
        theirs="People, about something else; prices on the scale of B" if views else "",
        pairs=tuple(
            SamplePair(
                about="", ours=tuple(lines), theirs=tuple(theirs[n] if n < len(theirs) else ())
            )
            for n, lines in enumerate(ours)
        ),
    )


def _transcript(held: HeldActs, row: int) -> list[str]:
    lines = []
    for number, turn in enumerate(held.said):
        side = held.speaker(number)
        words = [word for word in turn[row].tolist() if word not in (PAD_NUMBER, END_NUMBER)]
        if words:
            lines.append(f"{'AB'[side]}: {held.table.told(side, row, words)}")
    return [*lines, held.table.end(row)]


def _people(view: ActView, game: ActGame) -> list[str]:
    lines = []
    for heard, own in zip(view.heard, view.own, strict=True):
        for name, turn in (("A", heard), ("B", own)):
            words = [game.grammar.words[n] for n in turn if n not in (END_NUMBER, START_NUMBER)]
            if words and words[0] not in MARKS:
                lines.append(f"{name}: {' '.join(words)}")
    return lines


def _notes(request: DiagnosisRequest, *, has_played: bool) -> tuple[str, ...]:
    notes = [
        "Intervals (95 %) draw dialogues anew. In self-play both sides draw their acts with a "
        f"temperature of {request.temperature:g}."
    ]
    if request.checkpoint.members:
        notes.append(
            "An ensemble acts through one member in each dialogue; this is the first of them."
        )
    if not has_played:
        notes.append("Give it dialogues, or scenarios, to see how it plays.")
    if request.rollouts:
        notes.append("Agents of acts have no rollouts; these were left out.")
    return tuple(notes)
