"""What an agent for Deal or No Deal says beside what people said, and where it looks."""

from collections.abc import Sequence

import torch

from palaver.models.deal.lines import DealLine
from palaver.models.deal.network import END_OF_MESSAGE, ITEMS, SELECTION, THEM, YOU
from palaver.models.deal.reading import LineReader
from palaver.models.deal.self_play import Negotiator, SelfPlayed, play, transcript
from palaver.models.deal.splits import best_split, is_deal
from palaver.models.deal.tensors import LineTensors
from palaver.models.deal.words import as_sentence
from palaver.models.diagnosis.record import (
    DiagnosisRequest,
    PictureLine,
    SamplePair,
    SampleSet,
    WordPicture,
    full_strength,
    shaded,
)
from palaver.models.vocabulary import Vocabulary

_NAMES = {YOU: "A", THEM: "B"}
# How marks are read by people.
_MARKS = {END_OF_MESSAGE: "↵", SELECTION: "(marks the deal)"}
# A dialogue with so many messages is worth a picture, and so many lines are looked through for one.
_MESSAGES, _LOOKED_THROUGH = 4, 200


def samples_beside(
    sides: tuple[Negotiator, Negotiator],
    lines: Sequence[DealLine],
    played: SelfPlayed,
    vocabulary: Vocabulary,
    request: DiagnosisRequest,
    *,
    whom: str,
) -> tuple[SampleSet, ...]:
    """Dialogues of self-play on what lines of people are about; without lines, the first played."""
    if not request.samples:
        return ()
    chosen = spread(lines, request.samples)
    if chosen:
        dice = torch.Generator().manual_seed(request.seed)
        contexts = torch.tensor([(each.context, each.partner) for each in chosen])
        played = play(sides, contexts, dice, device=request.device)
    pairs = []
    for row in range(min(request.samples, len(played))):
        about, *said = transcript(played, row, vocabulary)
        theirs = people_said(chosen[row]) if chosen else ()
        pairs.append(SamplePair(about=about, ours=tuple(said), theirs=tuple(theirs)))
    return (
        SampleSet(
            title="What it says, beside what people said" if chosen else "What it says",
            ours=f"The model as A, {'the same' if whom == 'itself' else whom} as B",
            theirs="People" if chosen else "",
            pairs=tuple(pairs),
        ),
    )


def spread(lines: Sequence[DealLine], count: int) -> list[DealLine]:
    """So many lines, or all, from the whole of a file."""
    many = min(count, len(lines))
    return [lines[n * len(lines) // many] for n in range(many)]


def people_said(line: DealLine) -> list[str]:
    """A line of a file to be read: a line for each message, and how it ended."""
    turns = [
        f"{_NAMES[mark]}: {as_sentence(words) or _MARKS[SELECTION]}" for mark, words in _turns(line)
    ]
    if not line.is_deal:
        return [*turns, "No deal."]
    own = sum(take * worth for take, worth in zip(line.slots, line.context[1::2], strict=False))
    other = sum(
        take * worth for take, worth in zip(line.slots[3:], line.partner[1::2], strict=True)
    )
    return [*turns, f"A deal: {own} points for A, {other} for B."]


def attention_picture(
    reader: LineReader, lines: Sequence[DealLine], vocabulary: Vocabulary, device: torch.device
) -> WordPicture:
    """Where a network looks in one dialogue to say who gets what."""
    line = max(lines[:_LOOKED_THROUGH], key=_worth_a_picture)
    tensors = LineTensors.of([line], vocabulary, device)
    inputs = (tensors.contexts, tensors.words, tensors.lengths)
    with torch.no_grad():
        weights = reader.attention(*inputs)[0].tolist()
        told = best_split(reader.choose(*inputs), tensors.contexts)
    truth = torch.tensor([line.slots], device=device)
    is_right = bool((told == truth).all())
    return WordPicture(
        title="Where it looks to say who gets what",
        caption=f"A dialogue of the file, about {_piles(line)}. The model says {_ending(told)}; "
        f"{'so did people' if is_right else f'people said {_ending(truth)}'}.",
        lines=tuple(_picture_lines(line, weights)),
    )


def _worth_a_picture(line: DealLine) -> tuple[bool, int]:
    return line.is_deal, min(line.words.count(END_OF_MESSAGE), _MESSAGES)


def _turns(line: DealLine) -> list[tuple[str, list[str]]]:
    """Who speaks, and the words of each message."""
    turns: list[tuple[str, list[str]]] = []
    for word in line.words:
        if word in _NAMES:
            turns.append((word, []))
        else:
            turns[-1][1].append(word)
    return turns


def _picture_lines(line: DealLine, weights: Sequence[float]) -> list[PictureLine]:
    full = full_strength(weights)
    found, at = [], 0
    for mark, words in _turns(line):
        own = list(weights[at : at + 1 + len(words)])
        at += len(own)
        names = [f"{_NAMES[mark]}:", *(_MARKS.get(word, word) for word in words)]
        head, *rest = shaded(names, own, full)
        found.append(PictureLine(head, tuple(rest)))
    return found


def _piles(line: DealLine) -> str:
    return ", ".join(
        f"{count} × {item} ({mine} to A, {theirs} to B)"
        for item, count, mine, theirs in zip(
            ITEMS, line.context[::2], line.context[1::2], line.partner[1::2], strict=True
        )
    )


def _ending(slots: torch.Tensor) -> str:
    if not bool(is_deal(slots)[0]):
        return "that there is no deal"
    takes = [
        f"{count} {item}{'' if count == 1 else 's'}"
        for count, item in zip(slots[0, : len(ITEMS)].tolist(), ITEMS, strict=True)
    ]
    return f"that A takes {', '.join(takes)}"
