"""What a network that bargains word by word says beside what people said, what it does not foresee, and
where it looks."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from palaver.models.bargain.dialogues import BargainDialogue
from palaver.models.bargain.marks import FIRST_PRICE, BargainWords
from palaver.models.bargain.network import WordByWord
from palaver.models.bargain.scenes import Scenes, price_tables
from palaver.models.bargain.self_play import Bargainer, BargainsPlayed, bargain
from palaver.models.bargain.tensors import BargainTurns, learnt_turns
from palaver.models.bargain.tokens import listing_words
from palaver.models.bargain.transcripts import MOVES, money, transcript
from palaver.models.bargain.turns import BargainView, ReadingLimits
from palaver.models.diagnosis.record import (
    DiagnosisRequest,
    PictureLine,
    SamplePair,
    SampleSet,
    WordPicture,
    full_strength,
    shaded,
)

# A dialogue with so many turns is worth a picture, and so many views are looked through for one.
_TURNS, _LOOKED_THROUGH = 8, 200
# A word is shaded most where it was as unlikely as one in some three thousand.
_UNFORESEEN = 8.0


def played_samples(
    sides: tuple[Bargainer, Bargainer],
    dialogues: Sequence[BargainDialogue],
    played: BargainsPlayed,
    words: BargainWords,
    limits: ReadingLimits,
    request: DiagnosisRequest,
) -> tuple[SampleSet, ...]:
    """Dialogues of self-play about what people bargained about; without people, the first played."""
    if not request.samples:
        return ()
    count = min(request.samples, len(dialogues) or len(played))
    chosen = [dialogues[n * len(dialogues) // count] for n in range(count)] if dialogues else []
    if chosen:
        dice = torch.Generator().manual_seed(request.seed)
        scenes = Scenes.of([each.sides for each in chosen], words, limits)
        played = bargain(sides, scenes, dice, device=request.device)
    pairs = []
    for row in range(count):
        about, *said = transcript(played, row, words)
        theirs = tuple(people_said(chosen[row])) if chosen else ()
        pairs.append(SamplePair(about=about, ours=tuple(said), theirs=theirs))
    whom = "the same" if request.against is None else request.against.folder.name
    return (
        SampleSet(
            title="What it says, beside what people said" if chosen else "What it says",
            ours=f"The model as A, {whom} as B",
            theirs="The file" if chosen else "",
            pairs=tuple(pairs),
        ),
    )


def people_said(dialogue: BargainDialogue) -> list[str]:
    """A dialogue of a file to be read: a line for each turn, and how it ended."""
    told = []
    for turn in dialogue.turns:
        said = [
            event.text
            if event.action == "message"
            else f"({event.action} {money(event.price)})"
            if event.price is not None
            else f"({event.action})"
            for event in turn.events
        ]
        told.append(f"{'AB'[turn.seat]}: {' '.join(said)}")
    return [*told, "No deal." if dialogue.deal is None else f"A deal at {money(dialogue.deal)}."]


def pictures(
    network: WordByWord,
    views: Sequence[BargainView],
    turns: BargainTurns,
    words: BargainWords,
) -> tuple[WordPicture, ...]:
    """Of one dialogue, the words that were not foreseen; and where the network looks before a turn."""
    lengths = turns.views.bincount(minlength=len(views))[:_LOOKED_THROUGH].clamp(max=_TURNS)
    number = int(lengths.argmax())
    rows = (turns.views == number).nonzero().squeeze(1)
    if not len(rows):
        return ()
    view = views[number]
    said = [each.words[1:] for each in learnt_turns(view, by_rules=True)][: len(rows)]
    return (
        _unforeseen(network, view, turns, rows, words),
        _looks(network, view, turns, rows[len(said) // 2 :][:1], words),
    )


def _unforeseen(
    network: WordByWord, view: BargainView, turns: BargainTurns, rows: Tensor, words: BargainWords
) -> WordPicture:
    part = turns.taken(rows)
    where, targets = part.targets()
    nll = functional.cross_entropy(
        network.foreseen(part.situation, part.inputs, where).float(), targets, reduction="none"
    )
    width = part.said.shape[1] - 1
    lines = []
    for n in range(len(rows)):
        is_own = where // width == n
        losses = nll[is_own].tolist()
        names = _named(targets[is_own].tolist(), view, words)
        heard = " ".join(
            _named([w for w in part.situation.heard[n].tolist() if w], view, words)[1:]
        )
        lines.append(_line("Heard:", heard.split() or ["(nothing)"], []))
        lines.append(_line("Said:", names, losses))
    return WordPicture(
        title="Words that it did not foresee",
        caption=f"One side of a dialogue of the file, the {view.side.role} of a "
        f"{view.side.category or 'thing'}: how surprising each word of its own turns was, as −log of "
        "its probability.",
        lines=tuple(lines),
        is_share=False,
    )


def _looks(
    network: WordByWord, view: BargainView, turns: BargainTurns, rows: Tensor, words: BargainWords
) -> WordPicture:
    """What one turn has looked at, on the average of its words."""
    part = turns.taken(rows)
    situation = part.situation
    weights = [each[0].mean(0).tolist() for each in network.weights(situation, part.inputs)]
    earlier = situation.earlier[0].tolist()
    names = [
        _named(situation.heard[0].tolist(), view, words),
        *(_named(turn, view, words) for turn in earlier[: len(weights) - 3]),
        listing_words([view.side.title]),
        listing_words(view.side.description),
    ]
    heads = [
        "Heard:",
        *(f"{n} before:" for n in range(1, len(weights) - 2)),
        "Title:",
        "Description:",
    ]
    lines = []
    for head, said, shares in zip(heads, names, weights, strict=True):
        kept = [(word, share) for word, share in zip(said, shares, strict=False) if share > 0]
        if kept:
            full = full_strength([share for _, share in kept])
            line = shaded([word for word, _ in kept], [share for _, share in kept], full)
            lines.append(PictureLine(shaded([head], [0.0], 1.0)[0], line))
    own = " ".join(_named(part.said[0, 2:].tolist(), view, words))
    return WordPicture(
        title="Where it looks while it says a turn",
        caption=f"The turn was: {own}. Of each part of what it has before it, the shares of words, on "
        "the average of the words of the turn.",
        lines=tuple(lines),
    )


def _line(head: str, names: Sequence[str], losses: Sequence[float]) -> PictureLine:
    strengths = list(losses) or [0.0] * len(names)
    return PictureLine(shaded([head], [0.0], 1.0)[0], shaded(names, strengths, _UNFORESEEN))


def _named(numbers: Sequence[int], view: BargainView, words: BargainWords) -> list[str]:
    """Words as people read them, prices in dollars of the side that looks."""
    (dollars,), _ = price_tables([view.side], words)
    return [
        money(float(dollars[number - FIRST_PRICE]))
        if number in words.prices
        else f"({MOVES[number]})"
        if number in MOVES
        else _MARKS.get(words.said.words[number], words.said.words[number])
        for number in numbers
    ]


_MARKS = {"</s>": "↵", "<unk>": "(unknown)", "<pad>": ""}
