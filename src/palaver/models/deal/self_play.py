"""Two networks talk about many contexts at once, and mark a deal: points where both mark the same.

Each side hears every word in its own view. Once somebody says `<selection>`, both choose the best
split that adds up; what one takes must be what the other leaves. The dice lie on the CPU, so that the
same dialogues are held on any device, but for words on a razor's edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from palaver.models.deal.lockstep import (
    LockStep,
    NetworkView,
    WrittenWords,
    is_speaker_mark,
    other_view,
)
from palaver.models.deal.network import ITEMS, DealNetwork
from palaver.models.deal.rollouts import JUDGED_AT_ONCE, Rollouts, TurnsBegun, best_messages
from palaver.models.deal.speech import MOST_MESSAGES, MOST_WORDS
from palaver.models.deal.splits import best_split, is_deal, is_pareto_optimal, points
from palaver.models.deal.words import (
    END_NUMBER,
    PAD_NUMBER,
    THEM_NUMBER,
    YOU_NUMBER,
    as_sentence,
)
from palaver.models.vocabulary import Vocabulary

_ROOM = MOST_MESSAGES * (MOST_WORDS + 1) + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Negotiator:
    """One side of all dialogues: its network, and how it picks its words."""

    network: DealNetwork
    temperature: float = 0.5
    rollouts: Rollouts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfPlayed:
    """A batch of dialogues, a row each, on the device where they were held."""

    # (rows, 2, 6): what there is, and what it is worth to either side.
    contexts: Tensor
    # (rows, words) as the first side sees them, then padding; and how many they are.
    words: Tensor
    lengths: Tensor
    # Whether somebody marked a deal before it was too late.
    has_selected: Tensor
    # (rows, 2, 6): how either side says that it ends, the own share first.
    slots: Tensor
    is_agreed: Tensor
    is_pareto: Tensor
    # (rows, 2): nothing without an agreement.
    points: Tensor

    def __len__(self) -> int:
        return len(self.contexts)

    def view(self, side: int) -> Tensor:
        """The words as a side sees them."""
        return other_view(self.words) if side else self.words

    def speakers(self) -> Tensor:
        """Which side (rows, words) each word is said by; marks of speakers count as theirs."""
        is_mark = is_speaker_mark(self.words)
        first = (self.words[:, :1] != YOU_NUMBER).long()
        return (first + is_mark.cumsum(1) - 1) % 2

    def is_said_by(self, side: int) -> Tensor:
        """Where (rows, words) a side had a choice of words."""
        is_word = ~is_speaker_mark(self.words) & (self.words != PAD_NUMBER)
        return is_word & (self.speakers() == side)

    def messages(self) -> Tensor:
        """How many messages (rows,) there were, the mark of a deal apart."""
        return (self.words == END_NUMBER).sum(1)


def play(
    sides: tuple[Negotiator, Negotiator], contexts: Tensor, dice: Generator, *, device: torch.device
) -> SelfPlayed:
    """Dialogues about pairs of contexts (rows, 2, 6); who speaks first is drawn by lot."""
    first = (torch.rand(len(contexts), generator=dice) < 0.5).long().to(device)
    contexts = contexts.to(device)
    with torch.no_grad():
        talk = LockStep(
            tuple(
                NetworkView.begin(side.network, contexts[:, n], is_second=bool(n))
                for n, side in enumerate(sides)
            ),
            WrittenWords.blank(len(contexts), _ROOM, device),
            speaker=first,
            temperatures=(sides[0].temperature, sides[1].temperature),
            dice=dice,
        )
        if any(side.rollouts for side in sides):
            _run_with_rollouts(talk, sides, contexts, dice)
        else:
            talk.run(_ROOM)
        return _settled(sides, contexts, talk)


def transcript(played: SelfPlayed, row: int, vocabulary: Vocabulary) -> list[str]:
    """A dialogue to be read: what it is about, a line for each message, and how it ended."""
    turns: list[tuple[str, list[str]]] = []
    for word in played.words[row, : int(played.lengths[row])].tolist():
        if word in (YOU_NUMBER, THEM_NUMBER):
            turns.append(("A" if word == YOU_NUMBER else "B", []))
        else:
            turns[-1][1].append(vocabulary.words[word])
    said = [f"{name}: {as_sentence(words) or '(marks the deal)'}" for name, words in turns]
    return [_told_contexts(played, row), *said, _told_end(played, row)]


def _run_with_rollouts(
    talk: LockStep, sides: Sequence[Negotiator], contexts: Tensor, dice: Generator
) -> None:
    """Go on to the end; rows that are to think wait for each other, so that they think together."""
    talk.planned = torch.full((len(contexts), MOST_WORDS), PAD_NUMBER, device=contexts.device)
    thinks = torch.tensor([side.rollouts is not None for side in sides], device=contexts.device)
    has_thought = torch.zeros_like(talk.is_over)
    while True:
        # Between two messages there is a step in which neither is so: what was thought is past.
        has_thought = has_thought & (talk.begins | (talk.said > 0))
        waiting = talk.begins & thinks[talk.speaker] & ~has_thought
        if bool((~waiting & ~talk.is_over).any()):
            talk.advance(waiting)
        elif bool(waiting.any()):
            _plan(talk, sides, contexts, waiting, dice)
            has_thought = has_thought | waiting
        else:
            return


def _plan(
    talk: LockStep,
    sides: Sequence[Negotiator],
    contexts: Tensor,
    waiting: Tensor,
    dice: Generator,
) -> None:
    """Set the messages that come next where a side has the floor and thinks."""
    for n, side in enumerate(sides):
        rows = (waiting & (talk.speaker == n)).nonzero().squeeze(1)
        if side.rollouts is None or talk.planned is None or not len(rows):
            continue
        turns = _turns_begun(talk, n, contexts, rows)
        plan = best_messages(turns, side.rollouts, temperature=side.temperature, dice=dice)
        talk.planned[rows, : plan.shape[1]] = plan


def _turns_begun(talk: LockStep, side: int, contexts: Tensor, rows: Tensor) -> TurnsBegun:
    """What a side knows in some rows, as it sees them itself."""
    view, written = talk.views[side].pick(rows), talk.written.pick(rows, room=0)
    if side:
        view.is_second = False
        written.words = other_view(written.words)
    return TurnsBegun(
        contexts=contexts[rows, side], view=view, written=written, messages=talk.messages[rows]
    )


def _settled(sides: Sequence[Negotiator], contexts: Tensor, talk: LockStep) -> SelfPlayed:
    """What the dialogues came to, once both sides have chosen."""
    words, lengths = talk.written.trimmed(), talk.written.lengths
    slots = torch.stack(
        [
            chosen_slots(side.network, contexts[:, n], other_view(words) if n else words, lengths)
            for n, side in enumerate(sides)
        ],
        dim=1,
    )
    shares, counts = slots[:, :, :3], contexts[:, 0, ::2]
    is_match = is_deal(slots[:, 0]) & is_deal(slots[:, 1]) & (shares.sum(1) == counts).all(1)
    is_agreed = talk.has_selected & is_match
    worth = torch.stack([points(shares[:, n], contexts[:, n]) for n in (0, 1)], dim=1)
    return SelfPlayed(
        contexts=contexts,
        words=words,
        lengths=lengths,
        has_selected=talk.has_selected,
        slots=slots,
        is_agreed=is_agreed,
        is_pareto=is_agreed & is_pareto_optimal(shares[:, 0], contexts[:, 0], contexts[:, 1]),
        points=worth * is_agreed[:, None],
    )


def chosen_slots(network: DealNetwork, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
    """How a network says (rows, 6) that dialogues end."""
    return torch.cat(
        [
            best_split(network.choose(contexts[part], words[part], lengths[part]), contexts[part])
            for part in torch.split(torch.arange(len(words), device=words.device), JUDGED_AT_ONCE)
        ]
    )


def _told_contexts(played: SelfPlayed, row: int) -> str:
    own, other = played.contexts[row].tolist()
    piles = zip(ITEMS, own[::2], own[1::2], other[1::2], strict=True)
    return ", ".join(
        f"{count} × {item} ({mine} to A, {theirs} to B)" for item, count, mine, theirs in piles
    )


def _told_end(played: SelfPlayed, row: int) -> str:
    if not played.has_selected[row]:
        return "No deal: it went on for too long."
    if not played.is_agreed[row]:
        return "No deal: the two marks do not fit together."
    mine, theirs = played.points[row].tolist()
    return f"A deal: {mine} points for A, {theirs} for B."
