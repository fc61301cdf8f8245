"""Thinking before speaking: try several messages, play each to the end a few times, say the best one.

As in Lewis et al. (2017) a network plays both sides in what it imagines, because it knows no partner
but the one it has learnt; and a message is worth the points that its own head expects after it, over
all ways in which the dialogue can end.
"""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from palaver.core.errors import InputError
from palaver.models.answering import check_wanted
from palaver.models.deal.lockstep import LockStep, NetworkView, WrittenWords
from palaver.models.deal.network import DealNetwork
from palaver.models.deal.speech import MOST_WORDS
from palaver.models.deal.splits import outcome_points, split_probabilities

# More imagined dialogues, or more dialogues to be judged, are taken one part after the other.
ROWS_AT_ONCE, JUDGED_AT_ONCE = 4096, 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollouts:
    """How many messages are tried, and how often each is played to the end."""

    candidates: int = 5
    continuations: int = 3
    # Words of a continuation; where they do not suffice, it is judged as it stands.
    most_words: int = MOST_WORDS

    def __post_init__(self) -> None:
        if self.candidates < 2 or self.continuations < 1 or self.most_words < 1:
            raise InputError(
                "Rollouts try 2 candidates or more, each with 1 continuation or more; got "
                f"{self.candidates} and {self.continuations}."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsBegun:
    """Rows in which the own side has the floor and has not said a word, as that side sees them."""

    contexts: Tensor
    view: NetworkView
    written: WrittenWords
    # Messages before this one.
    messages: Tensor

    def pick(self, rows: Tensor, *, room: int) -> "TurnsBegun":
        """The same of some rows, with room for so many words more."""
        return TurnsBegun(
            contexts=self.contexts[rows],
            view=self.view.pick(rows),
            written=self.written.pick(rows, room=room),
            messages=self.messages[rows],
        )


def best_messages(
    turns: TurnsBegun, rollouts: Rollouts, *, temperature: float, dice: Generator
) -> Tensor:
    """The message to say in each row (rows, words), then padding."""
    rows = torch.arange(len(turns.contexts), device=turns.contexts.device)
    each = max(1, ROWS_AT_ONCE // (rollouts.candidates * rollouts.continuations))
    parts = [
        _best_of_part(turns.pick(part, room=0), rollouts, temperature=temperature, dice=dice)
        for part in torch.split(rows, each)
    ]
    longest = max(part.shape[1] for part in parts)
    return torch.cat([_widened(part, longest) for part in parts])


def drawn_messages(
    turns: TurnsBegun, *, temperature: float, dice: Generator, times: int = 1, share: float = 1.0
) -> Tensor:
    """A message for each row, or several one after the other (rows, words), then padding; words are
    drawn from the likeliest that make up `share`."""
    rows = torch.arange(len(turns.contexts), device=turns.contexts.device)
    picked = turns.pick(rows.repeat_interleave(times), room=MOST_WORDS + 1)
    before = picked.written.lengths
    talk = _imagined(
        picked, temperature=temperature, dice=dice, ends_with_message=True, share=share
    )
    talk.run(MOST_WORDS)
    said = int((talk.written.lengths - before).max())
    places = before[:, None] + torch.arange(max(said, 1), device=before.device)
    return talk.written.words.gather(1, places.clamp(max=talk.written.words.shape[1] - 1))


def expected_points(
    network: DealNetwork, contexts: Tensor, words: Tensor, lengths: Tensor
) -> Tensor:
    """The own points (rows,) that the head expects of dialogues, over all ways to end them."""
    found = []
    for part in torch.split(torch.arange(len(words), device=words.device), JUDGED_AT_ONCE):
        check_wanted()
        log_probs = network.choose(contexts[part], words[part], lengths[part])
        chances = split_probabilities(log_probs, contexts[part])
        found.append((chances * outcome_points(contexts[part])).sum(1))
    return torch.cat(found)


def _best_of_part(
    turns: TurnsBegun, rollouts: Rollouts, *, temperature: float, dice: Generator
) -> Tensor:
    rows = torch.arange(len(turns.contexts), device=turns.contexts.device)
    candidates = drawn_messages(
        turns, temperature=temperature, dice=dice, times=rollouts.candidates
    )
    points = _points(turns, candidates, rollouts, temperature=temperature, dice=dice)
    best = points.view(len(rows), rollouts.candidates).argmax(1)
    return candidates.view(len(rows), rollouts.candidates, -1)[rows, best]


def _points(
    turns: TurnsBegun,
    candidates: Tensor,
    rollouts: Rollouts,
    *,
    temperature: float,
    dice: Generator,
) -> Tensor:
    """What each candidate is worth, on the average of its continuations."""
    times = rollouts.candidates * rollouts.continuations
    rows = torch.arange(len(turns.contexts), device=candidates.device).repeat_interleave(times)
    planned = candidates.repeat_interleave(rollouts.continuations, dim=0)
    most = candidates.shape[1] + rollouts.most_words
    points: list[Tensor] = []
    for part in torch.split(torch.arange(len(rows), device=rows.device), ROWS_AT_ONCE):
        picked = turns.pick(rows[part], room=most + 1)
        talk = _imagined(picked, temperature=temperature, dice=dice, planned=planned[part])
        talk.run(most)
        written = talk.written
        points.append(
            expected_points(
                picked.view.network, picked.contexts, written.trimmed(), written.lengths
            )
        )
    return torch.cat(points).view(-1, rollouts.continuations).mean(1)


def _imagined(
    turns: TurnsBegun,
    *,
    temperature: float,
    dice: Generator,
    planned: Tensor | None = None,
    ends_with_message: bool = False,
    share: float = 1.0,
) -> LockStep:
    """Dialogues that go on in a network's own view alone."""
    return LockStep(
        (turns.view,),
        turns.written,
        speaker=torch.zeros_like(turns.messages),
        temperatures=(temperature, temperature),
        dice=dice,
        messages=turns.messages,
        planned=planned,
        ends_with_message=ends_with_message,
        share=share,
    )


def _widened(words: Tensor, width: int) -> Tensor:
    blank = words.new_zeros(len(words), width - words.shape[1])
    return torch.cat([words, blank], dim=1)
