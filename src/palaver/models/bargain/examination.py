"""A diagnosis of a network that bargains word by word: how it reads, plays and speaks, and where it
looks."""

from collections.abc import Sequence
from typing import cast, get_args

import torch

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.games.craigslist_bargain.options import FOLDER
from palaver.models.bargain.averaging import speaking_as_one
from palaver.models.bargain.dialogues import BargainDialogue, read_bargains
from palaver.models.bargain.figures import played_figures
from palaver.models.bargain.kinds import (
    SPEAKER_KINDS,
    known_words,
    speaker_of,
    speaker_settings,
)
from palaver.models.bargain.language import ratio_figures
from palaver.models.bargain.learning import BargainWordsSettings, both_views, long_enough
from palaver.models.bargain.marks import BargainWords
from palaver.models.bargain.network import WordByWord
from palaver.models.bargain.rewards import Reward
from palaver.models.bargain.samples import pictures, played_samples
from palaver.models.bargain.scenes import Scenes, read_sides
from palaver.models.bargain.self_play import Bargainer, BargainsPlayed, bargain
from palaver.models.bargain.speech import WordChoice
from palaver.models.bargain.tallies import spoken_ratios, turn_figures, turn_tallies
from palaver.models.bargain.tensors import BargainTurns
from palaver.models.bargain.turns import BargainView, view_of
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    WordPicture,
)
from palaver.models.inheritance import as_started

# Dialogues that are held at once.
_BATCH = 128
_READING = (
    FigureColumn(name="perplexity", heading="perplexity"),
    FigureColumn(name="token accuracy", heading="token accuracy", is_share=True),
)
_LANGUAGE = (
    FigureColumn(name="words_per_message", heading="words a message", is_amount=True),
    FigureColumn(name="messages_with_price", heading="with a price", is_share=True),
    FigureColumn(name="distinct_1", heading="distinct words", is_share=True),
    FigureColumn(name="distinct_2", heading="distinct pairs", is_share=True),
    FigureColumn(name="distinct_3", heading="distinct threes", is_share=True),
)
_PLAYING = (
    FigureColumn(name="reward_first", heading="its reward", is_amount=True),
    FigureColumn(name="reward_second", heading="partner's reward", is_amount=True),
    FigureColumn(name="agreed", heading="deals", is_share=True),
    FigureColumn(name="margin_first", heading="its margin", is_amount=True),
    FigureColumn(name="fairness", heading="fairness", is_amount=True),
    FigureColumn(name="dialogue_length", heading="messages", is_amount=True),
    *_LANGUAGE,
)


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Figures on dialogues, tables of language and self-play, samples beside the file, and pictures."""
    words = _words(request)
    data = _data(request.checkpoint)
    dialogues = long_enough(read_bargains(request.files), data) if request.files else []
    network = _network(request.checkpoint, request.device)
    other = network if request.against is None else _network(request.against, request.device)
    choice = WordChoice(temperature=request.temperature)
    sides = (Bargainer(network=network, choice=choice), Bargainer(network=other, choice=choice))
    with torch.no_grad():
        reading, shown = _read(request, network, words, data, dialogues)
        playing, played = _playing_table(request, sides, words, data, dialogues)
        samples = played_samples(sides, dialogues, played, words, data.limits, request)
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=_headline(reading, playing),
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=(*reading, playing),
        pictures=shown,
        samples=samples,
        notes=_notes(request),
    )


def _words(request: DiagnosisRequest) -> BargainWords:
    """The words of all networks that take part; CheckpointError where they differ."""
    first = request.checkpoint.all[0]
    own = known_words(first)
    partners = () if request.against is None else request.against.all
    for each in partners:
        if as_started(each).model not in SPEAKER_KINDS:
            raise CheckpointError(
                f"--against takes a model that bargains word by word, as {first.folder.name} does; "
                f"{each.folder} holds one of the kind '{each.model}'."
            )
    for each in (*request.checkpoint.all, *partners):
        other = known_words(each)
        if (other.said.words, other.listed.words) != (own.said.words, own.listed.words):
            raise CheckpointError(
                f"{each.folder} and {first.folder} have learnt different words, so they cannot hear "
                "each other. Train both on the same files with the same 'data', or start one from the "
                "other."
            )
    return own


def _data(checkpoint: Checkpoint) -> BargainWordsSettings:
    _, settings = speaker_settings(checkpoint.all[0])
    data: BargainWordsSettings = settings.data
    return data


def _network(checkpoint: Checkpoint, device: torch.device) -> WordByWord:
    return speaking_as_one([speaker_of(each).to(device) for each in checkpoint.all])


def _read(
    request: DiagnosisRequest,
    network: WordByWord,
    words: BargainWords,
    data: BargainWordsSettings,
    dialogues: Sequence[BargainDialogue],
) -> tuple[list[FigureTable], tuple[WordPicture, ...]]:
    """Tables of how it foresees turns of the files and words its own, and pictures of a dialogue."""
    if not dialogues:
        return [], ()
    views = [view_of(each, words, data.limits) for each in both_views(dialogues)]
    turns = BargainTurns.of(
        views, earlier=network.earlier, device=request.device, by_rules=data.by_rules
    )
    if not len(turns):
        raise InputError(f"Nobody answers anybody in {request.file_names}. Give other dialogues.")
    found = turn_figures(views, turns, turn_tallies(network, turns), seed=request.seed)
    caption = (
        f"{counted(len(dialogues), 'dialogue')} of {request.file_names}. {request.told_files()}"
    )
    row = FigureRow(title=request.file_names, figures={each.name: each for each in found})
    reading = FigureTable(
        title="How it reads", caption=caption.strip(), columns=_READING, rows=(row,)
    )
    language = _language_table(request, network, views, turns, words)
    return [reading, language], pictures(network, views, turns, words)


def _language_table(
    request: DiagnosisRequest,
    network: WordByWord,
    views: Sequence[BargainView],
    turns: BargainTurns,
    words: BargainWords,
) -> FigureTable:
    choice = WordChoice(temperature=request.temperature)
    spoken = spoken_ratios(network, views, turns, words, choice, seed=request.seed)
    return FigureTable(
        title="How it words a turn",
        caption="It answers every turn of the files once; beside it, the answers that stand there. The "
        "more turns there are, the smaller the share of different words.",
        columns=_LANGUAGE,
        rows=tuple(
            FigureRow(
                title=whose,
                figures={each.name: each for each in ratio_figures(ratios, seed=request.seed)},
            )
            for whose, ratios in spoken.items()
        ),
    )


def _playing_table(
    request: DiagnosisRequest,
    sides: tuple[Bargainer, Bargainer],
    words: BargainWords,
    data: BargainWordsSettings,
    dialogues: Sequence[BargainDialogue],
) -> tuple[FigureTable, BargainsPlayed]:
    """The table, and the first dialogues of self-play."""
    where = FOLDER / "material" / "scenarios.json" if not dialogues else None
    path = request.scenarios or where
    about = read_sides(path) if path else list(dict.fromkeys(each.sides for each in dialogues))
    scenes = Scenes.of(about, words, data.limits)
    dice = torch.Generator().manual_seed(request.seed)
    played = [
        bargain(
            sides,
            scenes.draw(min(_BATCH, request.dialogues - start), dice),
            dice,
            device=request.device,
        )
        for start in range(0, request.dialogues, _BATCH)
    ]
    reward = reward_of(request.checkpoint.all[0])
    found = played_figures(played, words, reward=reward, seed=request.seed)
    whom = "itself" if request.against is None else request.against.folder.name
    told = (
        request.scenarios.name
        if request.scenarios
        else "the scenarios of the game"
        if not dialogues
        else f"what {request.file_names} is about"
    )
    return (
        FigureTable(
            title="How it plays",
            caption=f"{counted(request.dialogues, 'dialogue')} on {told}. The reward is '{reward}'; the "
            "language is that of the model.",
            columns=_PLAYING,
            rows=(FigureRow(title=f"against {whom}", figures={each.name: each for each in found}),),
            drawn=("margin_first", "agreed"),
        ),
        played[0],
    )


def reward_of(checkpoint: Checkpoint) -> Reward:
    """What a checkpoint was made to play for; its margin where it was not."""
    named = (checkpoint.recipe.get("play") or {}).get("reward", "margin")
    return cast(Reward, named if named in get_args(Reward) else "margin")


def _headline(reading: Sequence[FigureTable], playing: FigureTable) -> str:
    agreed = f"{playing.told('agreed')} deals {playing.rows[0].title}"
    if "margin_first" in playing.rows[0].figures:
        agreed = f"{agreed}, margin {playing.told('margin_first')}"
    return f"Perplexity {reading[0].told('perplexity')}; {agreed}" if reading else agreed


def _notes(request: DiagnosisRequest) -> tuple[str, ...]:
    heat = (
        f"draw their words with a temperature of {request.temperature:g}"
        if request.temperature
        else "say the likeliest word"
    )
    notes = [f"Intervals (95 %) draw dialogues anew. In self-play both sides {heat}."]
    if request.rollouts:
        notes.append("Rollouts are for Deal or No Deal; here nothing was tried out.")
    if not request.files:
        notes.append(
            "Give it dialogues that it was not trained on as well to see how it reads, and where it "
            "looks."
        )
    return tuple(notes)
