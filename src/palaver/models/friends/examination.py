"""A diagnosis of a network that looks for a mutual friend: how it reads, what it would say, how it
finds, and where it looks."""

from collections.abc import Sequence

import torch

from palaver.core.words import counted, listed
from palaver.games.mutual_friends.lexicon import Entity
from palaver.games.mutual_friends.options import SCENARIOS
from palaver.models.chats import read_chats
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    PublishedRow,
    SamplePair,
    SampleSet,
)
from palaver.models.friends.agent import common_words, said_tokens
from palaver.models.friends.averaging import AveragedSeekers
from palaver.models.friends.figures import search_figures
from palaver.models.friends.graph_pictures import graph_picture, said_words
from palaver.models.friends.graphs import FriendsNodes
from palaver.models.friends.kinds import FRIENDS_KINDS, friends_network
from palaver.models.friends.network import FriendsReader
from palaver.models.friends.pairs import TablePair, pairs_of, read_pairs
from palaver.models.friends.self_play import FriendSeeker, SoughtFriends, seek_all
from palaver.models.friends.speech import Wording
from palaver.models.friends.tallies import (
    answer_figures,
    answer_tallies,
    answered_turns,
    view_figures,
    view_tallies,
)
from palaver.models.friends.tensors import ViewTensors
from palaver.models.friends.tokens import FriendsToken
from palaver.models.friends.views import FriendsView, learnable, views_of
from palaver.models.friends.words import FriendsWords
from palaver.models.inheritance import as_started

_READING = (
    FigureColumn(name="loss", heading="loss"),
    FigureColumn(name="perplexity", heading="perplexity"),
    FigureColumn(name="token accuracy", heading="token accuracy", is_share=True),
    FigureColumn(name="entity precision", heading="entity precision", is_share=True),
    FigureColumn(name="entity recall", heading="entity recall", is_share=True),
    FigureColumn(name="entity F1", heading="entity F1", is_share=True),
    FigureColumn(name="BLEU-4", heading="BLEU-4", is_share=True),
    FigureColumn(name="BLEU-3", heading="BLEU-3", is_share=True),
    FigureColumn(name="BLEU-2", heading="BLEU-2", is_share=True),
)
_PLAYING = (
    FigureColumn(name="found", heading="friend found", is_share=True),
    FigureColumn(name="found_soon", heading="found within 20 moves", is_share=True),
    FigureColumn(name="moves", heading="moves", is_amount=True),
    FigureColumn(name="selections", heading="selections", is_amount=True),
    FigureColumn(name="words_per_message", heading="words a message", is_amount=True),
    FigureColumn(name="distinct", heading="distinct messages", is_share=True),
    FigureColumn(name="distinct_pairs", heading="distinct pairs of words", is_share=True),
)
# He et al. (2017): bots among themselves, and people.
_SOURCE = "He et al. (2017), on their tables and with up to 46 moves; as remembered, not re-read."
_PUBLISHED = {"He: DynoNet": 0.96, "He: StanoNet": 0.78, "He: rule bot": 0.90, "He: people": 0.82}
_ERRORS, _LOOKED_THROUGH = 8, 64


def examine(request: DiagnosisRequest) -> Diagnosis:
    """Figures on dialogues and in self-play, samples, wrong values, and the graph of a dialogue."""
    words = _words(request)
    chats = learnable(read_chats(request.files)) if request.files else []
    views = views_of(chats, words.known)
    reader = _reader(request.checkpoint, request.device)
    other = reader if request.against is None else _reader(request.against, request.device)
    whom = "itself" if request.against is None else request.against.folder.name
    seekers = [FriendSeeker(network=n, temperature=request.temperature) for n in (reader, other)]
    wording = Wording.of(words, request.temperature)
    pairs = _pairs(request, pairs_of(chats))
    played = _played((seekers[0], seekers[1]), pairs, words, request)
    reading = _reading_table(request, reader, wording, views, words) if views else None
    playing = _playing_table(request, played, whom)
    graphs = (graph_picture(reader, views, words, request.device),) if views else ()
    return Diagnosis(
        name=request.checkpoint.folder.name,
        headline=_headline(reading, playing),
        about=str(request.checkpoint.recipe.get("about", "")),
        tables=(*((reading,) if reading else ()), playing),
        graphs=graphs,
        samples=(
            *_dialogues(played, words, request, whom),
            *(_wrong(request, reader, wording, views, words) if views else ()),
        ),
        notes=_notes(request),
    )


def transcript(played: SoughtFriends, row: int, words: FriendsWords) -> tuple[str, ...]:
    """One dialogue of self-play to be read: a line for each turn, and how it ended."""
    pair = played.pairs[row]
    nodes = (pair.nodes(0), pair.nodes(1))
    lines = []
    for number, turn in enumerate(played.turns):
        said = list(said_tokens(turn, row, nodes[number % 2], words))
        if said:
            lines.append(f"{'AB'[number % 2]}: {_told(said)}")
    end = "They found the friend." if bool(played.found[row]) else "They did not find the friend."
    return (*lines, end)


def _words(request: DiagnosisRequest) -> FriendsWords:
    """The words of all networks that take part; CheckpointError where they differ."""
    partners = () if request.against is None else request.against.all
    for each in partners:
        if as_started(each).model not in FRIENDS_KINDS:
            raise CheckpointError(
                f"--against takes a model that plays MutualFriends, as {request.checkpoint.folder} "
                f"does; {each.folder} holds one of the kind '{each.model}'."
            )
    return common_words([as_started(each) for each in (*request.checkpoint.all, *partners)])


def _reader(checkpoint: Checkpoint, device: torch.device) -> FriendsReader:
    readers = [friends_network(each).to(device) for each in checkpoint.all]
    return readers[0] if len(readers) == 1 else AveragedSeekers(readers)


def _pairs(request: DiagnosisRequest, given: Sequence[TablePair]) -> list[TablePair]:
    """The tables of dialogues of self-play: every one in turn, sides exchanged every other time."""
    pairs = read_pairs(request.scenarios) if request.scenarios else given or read_pairs(SCENARIOS)
    both = [*pairs, *(pair.turned() for pair in pairs)]
    return [both[number % len(both)] for number in range(request.dialogues)]


def _played(
    seekers: tuple[FriendSeeker, FriendSeeker],
    pairs: Sequence[TablePair],
    words: FriendsWords,
    request: DiagnosisRequest,
) -> list[SoughtFriends]:
    """Dialogues of self-play; with another network, either begins half of them."""
    dice = torch.Generator().manual_seed(request.seed)
    half = len(pairs) if request.against is None else (len(pairs) + 1) // 2
    first = seek_all(seekers, pairs[:half], words, dice, device=request.device)
    turned = (seekers[1], seekers[0])
    return first + seek_all(turned, pairs[half:], words, dice, device=request.device)


def _reading_table(
    request: DiagnosisRequest,
    reader: FriendsReader,
    wording: Wording,
    views: Sequence[FriendsView],
    words: FriendsWords,
) -> FigureTable:
    tensors = ViewTensors.of(views, words, request.device)
    dice = torch.Generator().manual_seed(request.seed)
    with torch.no_grad():
        figures = view_figures(views, view_tallies(reader, tensors), seed=request.seed)
        answers = answer_tallies(reader, tensors, wording, dice)
    figures += answer_figures(views, answers, seed=request.seed)
    row = FigureRow(title=request.file_names, figures={each.name: each for each in figures})
    dialogues = counted(len(views) // 2, "dialogue")
    caption = f"{dialogues} of {request.file_names}, from both sides. {request.told_files()}"
    return FigureTable(
        title="How it reads, and what it would say",
        caption=caption.strip(),
        columns=_READING,
        rows=(row,),
    )


def _playing_table(
    request: DiagnosisRequest, played: Sequence[SoughtFriends], whom: str
) -> FigureTable:
    figures = search_figures(played, seed=request.seed)
    where = "the tables of the game's own scenarios"
    if request.scenarios or request.files:
        where = f"tables of {request.scenarios.name if request.scenarios else request.file_names}"
    return FigureTable(
        title="How it finds",
        caption=f"{counted(request.dialogues, 'dialogue')} with {whom}, on {where}.",
        columns=_PLAYING,
        rows=(FigureRow(title=f"with {whom}", figures={each.name: each for each in figures}),),
        published=tuple(
            PublishedRow(title=title, values={"found": value})
            for title, value in _PUBLISHED.items()
        ),
        source=_SOURCE,
        drawn=("found",),
    )


def _dialogues(
    played: Sequence[SoughtFriends], words: FriendsWords, request: DiagnosisRequest, whom: str
) -> tuple[SampleSet, ...]:
    if not request.samples:
        return ()
    first = played[0]
    pairs = tuple(
        SamplePair(about=_about(first.pairs[row]), ours=transcript(first, row, words))
        for row in range(min(request.samples, len(first)))
    )
    ours = f"The model as A, {'the same' if whom == 'itself' else whom} as B"
    return (SampleSet(title="What it says", ours=ours, theirs="", pairs=pairs),)


def _wrong(
    request: DiagnosisRequest,
    reader: FriendsReader,
    wording: Wording,
    views: Sequence[FriendsView],
    words: FriendsWords,
) -> tuple[SampleSet, ...]:
    """Turns in which it would name other values than were named."""
    if not request.samples:
        return ()
    few = views[:_LOOKED_THROUGH]
    batch = ViewTensors.of(few, words, request.device).taken(torch.arange(len(few)))
    dice = torch.Generator().manual_seed(request.seed)
    every = [FriendsNodes(view.table, view.heard_of) for view in few]
    found: list[SamplePair] = []
    with torch.no_grad():
        for number, (answer, _) in enumerate(answered_turns(reader, batch, wording, dice)):
            for row, view in enumerate(few):
                if len(found) == _ERRORS:
                    break
                if number >= len(view.exchanges) or not view.exchanges[number].said:
                    continue
                said = list(said_tokens(answer, row, every[row], words))
                exchange = view.exchanges[number]
                if number and _named(said) and not _named(said) & _named(exchange.said):
                    about = f"After: {said_words(exchange.heard) or 'nothing'}"
                    theirs = (said_words(exchange.said),)
                    found.append(SamplePair(about=about, ours=(_told(said),), theirs=theirs))
    if not found:
        return ()
    title = "Where it names other values than were named"
    return (SampleSet(title=title, ours="The model", theirs="The file", pairs=tuple(found)),)


def _named(tokens: Sequence[FriendsToken]) -> set[Entity | int]:
    """The values and rows that are named."""
    named = (token.row if token.entity is None else token.entity for token in tokens)
    return {each for each in named if each is not None}


def _told(tokens: Sequence[FriendsToken]) -> str:
    """What was said; a selection is the row alone."""
    if tokens and tokens[0].row is not None:
        return f"(selects friend {tokens[0].row + 1})"
    return said_words(tokens)


def _about(pair: TablePair) -> str:
    one, other = pair.tables
    shared = [row for row in one.rows if frozenset(row) in map(frozenset, other.rows)]
    told = listed([entity.value for entity in shared[0]]) if shared else "nobody"
    return f"{len(one.rows)} and {len(other.rows)} friends; the mutual one is {told}"


def _headline(reading: FigureTable | None, playing: FigureTable) -> str:
    found = f"{playing.told('found')} found {playing.rows[0].title}"
    return found if reading is None else f"Perplexity {reading.told('perplexity')}; {found}"


def _notes(request: DiagnosisRequest) -> tuple[str, ...]:
    notes = [
        "Intervals (95 %) draw dialogues anew. Words are drawn with a temperature of "
        f"{request.temperature:g}, and log 2 is taken off selections, as published.",
        "Nobody selects a friend twice, and a partner's selection that is in the own table is "
        "selected at once, so that whoever guesses often finds the friend as well: look at the "
        "selections.",
    ]
    if request.rollouts:
        notes.append("It has no rollouts: --rollouts changes nothing.")
    if not request.files:
        notes.append(
            "Give it dialogues that it was not trained on as well to see how it reads, and where it "
            "looks."
        )
    return tuple(notes)
