"""What a model of the DialEval tasks says of dialogues, turn by turn, and which words it picks."""

from collections.abc import Iterator, Sequence

import torch
from torch import nn

from palaver.models.diagnosis.record import (
    JudgedPart,
    JudgedSample,
    LabelShare,
    PictureLine,
    WordPicture,
    full_strength,
    shaded,
)
from palaver.models.dialeval.answers import Judge, JudgedShares
from palaver.models.dialeval.dialogues import CUSTOMER, NUGGETS, POINTS, SCALES, HelpDialogue
from palaver.models.dialeval.panel import JudgePanel
from palaver.models.dialeval.scores import SCALE_NAMES
from palaver.models.dialeval.tensors import as_tensors
from palaver.models.dialeval.turns import TurnAttention
from palaver.models.dialeval.words import BEGIN, END, turn_words, words_of

_SENDER_NAMES = {sender: "Customer" if sender == CUSTOMER else "Help desk" for sender in NUGGETS}
_MARKS = {END: "↵"}
# A dialogue with so many turns is worth a picture.
_TURNS = 3


def judged_samples(
    dialogues: Sequence[HelpDialogue], said: JudgedShares, count: int
) -> Iterator[JudgedSample]:
    """So many dialogues from all of them, or all, turn by turn."""
    many = min(count, len(dialogues))
    for n in range(many):
        row = n * len(dialogues) // many
        dialogue = dialogues[row]
        yield JudgedSample(
            title=f"Dialogue {dialogue.id}", parts=tuple(_parts(dialogue, said, row))
        )


def _parts(dialogue: HelpDialogue, said: JudgedShares, row: int) -> Iterator[JudgedPart]:
    for place, turn in enumerate(dialogue.turns):
        labels = NUGGETS[turn.sender]
        ours = [] if said.nugget is None else said.nugget[row, place].tolist()
        theirs = dialogue.nugget[place] if dialogue.nugget else ()
        yield JudgedPart(
            name=f"{_SENDER_NAMES[turn.sender]}:",
            text=turn.text,
            shares=_label_shares(labels, ours, theirs),
        )
    if said.quality is not None:
        for scale, ours in zip(SCALES, said.quality[row].tolist(), strict=True):
            theirs = dialogue.quality.get(scale, ())
            name = SCALE_NAMES[scale].capitalize()
            yield JudgedPart(name=name, text="", shares=_label_shares(POINTS, ours, theirs))


def _label_shares(
    labels: Sequence[str], ours: Sequence[float], theirs: Sequence[float]
) -> tuple[LabelShare, ...]:
    return tuple(
        LabelShare(label, share, theirs[n] if theirs else None)
        for n, (label, share) in enumerate(zip(labels, ours, strict=False))
    )


def attention_pictures(
    judges: Sequence[Judge], dialogues: Sequence[HelpDialogue], device: torch.device
) -> tuple[WordPicture, ...]:
    """Which words of each turn are picked, on average over the networks that pick."""
    dialogue = max(dialogues, key=lambda each: min(len(each.turns), _TURNS))
    weights = [
        network.reader.attention(
            as_tensors([dialogue], judge.vocabulary, most=judge.most).on(device)
        )
        for judge in judges
        for network in _pickers(judge.network)
    ]
    if not weights:
        return ()
    with torch.no_grad():
        mean = torch.stack(weights).mean(dim=0)[0].tolist()
    most = judges[0].most
    lines = []
    for turn, own in zip(dialogue.turns, mean, strict=True):
        words = turn_words(turn, most)
        names = [_MARKS.get(word, word) for word in words]
        names[words.index(BEGIN)] = f"{_SENDER_NAMES[turn.sender]}:"
        kept = own[: len(words)]
        head, *rest = shaded(names, kept, full_strength(kept))
        lines.append(PictureLine(head, tuple(rest)))
    is_cut = any(len(words_of(turn.text)) > most for turn in dialogue.turns)
    cut = f", of which it reads the first {most}" if is_cut else ""
    return (
        WordPicture(
            title="Where it looks in a turn",
            caption=f"Dialogue {dialogue.id}: how much of the attention of each turn goes to each of "
            f"its words{cut}. The mean of all words of a turn is read beside what is picked.",
            lines=tuple(lines),
        ),
    )


def _pickers(network: nn.Module) -> list[TurnAttention]:
    """The networks that pick words: this one, or those of a panel."""
    members = list(network.members) if isinstance(network, JudgePanel) else [network]
    return [each for each in members if isinstance(each, TurnAttention)]
