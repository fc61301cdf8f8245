"""A diagnosis of a language model that writes: how well it knows what people wrote, and what it writes
in their place."""

import random
from collections.abc import Sequence
from typing import TypeVar

import torch

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.games.game import GAMES
from palaver.models.advice.cases import AdvisedCase, read_advised
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    SamplePair,
    SampleSet,
)
from palaver.models.language.adviser import LanguageAdviser
from palaver.models.language.advising import COUNTED as ADVICE_COUNTED
from palaver.models.language.advising import AdviceMatter, AdvicePrompts
from palaver.models.language.fine_tuned import FineTuning, reopened_language
from palaver.models.language.game_text import SeatText, spoken
from palaver.models.language.games import COUNTED, game_table, read_other_games
from palaver.models.language.learner import read_figures, read_tallies
from palaver.models.language.network import LanguageNetwork
from palaver.models.language.packages import check_packages
from palaver.models.language.player import game_reading, learnt_game, only_one
from palaver.models.language.rows import TokenExample, TokenRows
from palaver.models.language.writing import LanguageWriter, Lot
from palaver.models.settings import read_settings

T = TypeVar("T")

_COLUMNS = (
    FigureColumn(name="perplexity", heading="perplexity"),
    FigureColumn(name="token accuracy", heading="token accuracy", is_share=True),
)
# Rows in one pass.
_AT_ONCE = 8


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Perplexity on files, and what it writes where people wrote something."""
    check_packages()
    checkpoint = only_one([request.checkpoint])
    check_request(request, what="writes")
    network, tuning = reopened_language(checkpoint)
    network = network.to(request.device)
    is_game = checkpoint.model == "language-game"
    looked = _looked_at_games if is_game else _looked_at_advice
    table, samples = looked(checkpoint, network, tuning, request)
    perplexity = table.told("perplexity")
    heat = f"Words are drawn with a temperature of {request.temperature:g}." if is_game else ""
    play = "How it plays: palaver selfplay, with checkpoint:FOLDER as a system." if is_game else ""
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=f"Perplexity {perplexity} on {request.file_names}",
        about=str(checkpoint.recipe.get("about", "")),
        tables=(table,),
        samples=samples,
        notes=tuple(
            filter(None, ("Intervals (95 %) draw dialogues or situations anew.", heat, play))
        ),
    )


def check_request(request: DiagnosisRequest, *, what: str) -> None:
    """InputError where there is no file, or where it is asked to play."""
    name = request.checkpoint.folder.name
    if not request.files:
        raise InputError(
            f"{name} is a language model that {what}: give it files with --data FILE, and none that "
            "it was trained on."
        )
    if request.against is not None or request.scenarios is not None or request.rollouts:
        raise InputError(
            f"{name} is a language model, which is not played here: leave --against, --scenarios and "
            "--rollouts out. palaver selfplay has it play."
        )


def _looked_at_games(
    checkpoint: Checkpoint, network: LanguageNetwork, tuning: FineTuning, request: DiagnosisRequest
) -> tuple[FigureTable, tuple[SampleSet, ...]]:
    reading = game_reading(checkpoint)
    (name,) = learnt_game(checkpoint)
    table = game_table(GAMES.get(name), tuning, reading)
    games = read_other_games(name, request.files, reading)
    texts = [(n, text) for n, each in enumerate(games) for text in table.seats(each)]
    examples = [each for n, text in texts for each in table.prompts.examples(text, n)]
    found = _table(examples, network, tuning, request, unit="dialogues", what=COUNTED)
    asked = [_asked(text, number) for number, text in enumerate(_spread(texts, request.samples))]
    writer = LanguageWriter(network, tuning.tokens, request.device)
    lot = Lot(temperature=request.temperature, most=reading.reply)
    dice = torch.Generator().manual_seed(request.seed)
    pairs = []
    for before, reply in asked:
        (numbers,) = writer.written([table.prompts.prompt(before)], lot, [dice])
        said = " / ".join(spoken(turn) for turn in before.turns[-2:])
        pairs.append(
            SamplePair(
                about=f"After: {said}" if said else "At the beginning",
                ours=(tuning.tokens.text(numbers).partition("\n")[0],),
                theirs=(reply,),
            )
        )
    return found, _set("What it says, beside what people said", pairs)


def _looked_at_advice(
    checkpoint: Checkpoint, network: LanguageNetwork, tuning: FineTuning, request: DiagnosisRequest
) -> tuple[FigureTable, tuple[SampleSet, ...]]:
    matter = read_settings(AdviceMatter, checkpoint.recipe.get("data"), where="data")
    prompts = AdvicePrompts.of(tuning, matter)
    cases, _ = read_advised(request.files)
    examples = [
        prompts.example(case.question, advice, n)
        for n, case in enumerate(cases)
        for advice in case.advice[: matter.pieces]
    ]
    found = _table(examples, network, tuning, request, unit="situations", what=ADVICE_COUNTED)
    chosen: list[AdvisedCase] = _spread(
        [(n, each) for n, each in enumerate(cases)], request.samples
    )
    written = LanguageAdviser([checkpoint], request.device).advise([c.question for c in chosen])
    pairs = [
        SamplePair(about=case.question.title, ours=(text,), theirs=(case.advice[0],))
        for case, text in zip(chosen, written, strict=True)
    ]
    return found, _set("What it advises, beside the best advice of people", pairs)


def _table(
    examples: Sequence[TokenExample],
    network: LanguageNetwork,
    tuning: FineTuning,
    request: DiagnosisRequest,
    *,
    unit: str,
    what: str,
) -> FigureTable:
    rows = TokenRows.of(examples, pad=tuning.tokens.pad, device=request.device)
    tallies = read_tallies(network, rows, batch=_AT_ONCE)
    found = read_figures(rows, tallies, unit=unit, counted=what, seed=request.seed)
    many = counted(len(set(rows.units)), unit.removesuffix("s"))
    return FigureTable(
        title="How it reads",
        caption=f"{many} of {request.file_names}. {request.told_files()}".strip(),
        columns=_COLUMNS,
        rows=(FigureRow(title=request.file_names, figures={each.name: each for each in found}),),
    )


def _spread(items: Sequence[tuple[int, T]], count: int) -> list[T]:
    """So many of them, or all, from the whole of a file."""
    many = min(count, len(items))
    return [items[n * len(items) // many][1] for n in range(many)]


def _asked(text: SeatText, number: int) -> tuple[SeatText, str]:
    """What a seat had read before one of its replies, and that reply."""
    own = [n for n, turn in enumerate(text.turns) if turn.is_own]
    if not own:
        return text, ""
    place = random.Random(number).choice(own)
    return SeatText(text.opening, text.turns[:place]), text.turns[place].text


def _set(title: str, pairs: Sequence[SamplePair]) -> tuple[SampleSet, ...]:
    if not pairs:
        return ()
    return (SampleSet(title=title, ours="The model", theirs="People", pairs=tuple(pairs)),)
