"""Advice, piece by piece: drawn from the nucleus, or searched with beams.

Marks are nobody's words, and nothing ends before a letter or a digit was written, so that advice is
never empty. Chances belong to the question: whatever it is asked together with, it is answered alike.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from palaver.models.advice.inputs import AdviceQuestion
from palaver.models.advice.network import EncoderDecoder, WritingState
from palaver.models.advice.pieces import BEGIN_NUMBER, END_NUMBER, PAD_NUMBER, WordPieces
from palaver.models.answering import check_wanted
from palaver.models.beam import SearchState, best_words
from palaver.models.sampling import drawn_words, nucleus, sharpened
from palaver.models.settings import NATURAL, PROBABILITY, option

# After so many pieces without a letter the next one has one.
_LATEST_LETTER = 4
# Steps between two looks at which rows are over, for which a GPU must be waited for.
_LOOK_EVERY = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceWriting:
    """How advice is written; the defaults are those of T5 in the challenge."""

    nucleus: float = option(
        0.94,
        "pieces are drawn from the likeliest that make up this share; 1: from all",
        PROBABILITY,
    )
    temperature: float = option(1.0, "how freely they are drawn; 0: always the likeliest", NATURAL)
    beams: int = option(
        0, "search for likely advice with so many beams, without chance; 0: draw", NATURAL
    )
    measured: int = option(
        100, "situations of --dev files that are answered to measure answers; 0: none", NATURAL
    )


class PieceRules(NamedTuple):
    """Which pieces (vocabulary,) may never be written, and which have a letter or a digit."""

    banned: Tensor
    lettered: Tensor

    @classmethod
    def of(cls, pieces: WordPieces, device: torch.device) -> "PieceRules":
        contents = [pieces.content(number) for number in range(len(pieces))]
        banned = [n in (PAD_NUMBER, BEGIN_NUMBER) for n in range(len(pieces))]
        unseen = [any(byte < 0x20 or byte == 0x7F for byte in each) for each in contents]
        lettered = [any(c.isalnum() for c in each.decode(errors="ignore")) for each in contents]
        return cls(
            torch.tensor([b or u for b, u in zip(banned, unseen, strict=True)], device=device),
            torch.tensor(lettered, device=device),
        )

    def allowed(self, log_probs: Tensor, has_letter: Tensor, step: int) -> Tensor:
        """Log-probabilities (rows, vocabulary) of which what may not come next is -inf."""
        is_out = self.banned.expand_as(log_probs).clone()
        is_out[:, END_NUMBER] |= ~has_letter
        if step >= _LATEST_LETTER:
            is_out |= ~has_letter[:, None] & ~self.lettered
        return log_probs.masked_fill(is_out, -math.inf)


class AdvicePanel:
    """One network, or several whose probabilities are averaged."""

    def __init__(self, networks: Sequence[EncoderDecoder]) -> None:
        self.networks = tuple(networks)

    def read(self, sources: Tensor, targets: Tensor) -> Tensor:
        """Log-probabilities (rows, pieces, vocabulary) of the piece after each of `targets`."""
        return _mean([network(sources, targets) for network in self.networks])

    def begin(self, sources: Tensor) -> list[WritingState]:
        return [network.begin(sources) for network in self.networks]

    def step(
        self, pieces: Tensor, states: Sequence[WritingState]
    ) -> tuple[Tensor, list[WritingState]]:
        """Log-probabilities (rows, vocabulary) of the next piece, and the new states."""
        said = [
            network.step(pieces, state)
            for network, state in zip(self.networks, states, strict=True)
        ]
        return _mean([logits for logits, _ in said]), [state for _, state in said]


def question_chances(question: AdviceQuestion, most: int) -> Tensor:
    """Chances (most,) from 0 to 1 that belong to what is asked, on the CPU."""
    asked = f"{question.subreddit}\n{question.title}\n{question.text}"
    digest = hashlib.sha256(asked.encode(errors="replace")).digest()
    dice = torch.Generator().manual_seed(int.from_bytes(digest[:6], "big"))
    return torch.rand(most, generator=dice)


@torch.no_grad()
def drawn(
    panel: AdvicePanel,
    sources: Tensor,
    chances: Tensor,
    rules: PieceRules,
    settings: AdviceWriting,
) -> Tensor:
    """Pieces (rows, most) by lot, with the end mark where one was written and padding after it.

    `chances` (rows, most) are numbers from 0 to 1.
    """
    rows, most = chances.shape
    written = torch.full((rows, most), PAD_NUMBER, device=sources.device)
    going = torch.arange(rows, device=sources.device)
    states = panel.begin(sources)
    words = torch.full_like(going, BEGIN_NUMBER)
    is_over, has_letter = torch.zeros_like(going, dtype=torch.bool), rules.lettered[words]
    for step in range(most):
        if step % _LOOK_EVERY == 0:
            check_wanted()
            left = (~is_over).nonzero().squeeze(1)
            if not len(left):
                break
            if len(left) < len(going):
                states = [state.pick(left) for state in states]
                going, words, is_over = going[left], words[left], is_over[left]
                has_letter = has_letter[left]
        log_probs, states = panel.step(words, states)
        may_come = rules.allowed(log_probs, has_letter, step)
        likely = nucleus(sharpened(may_come, settings.temperature), settings.nucleus)
        words = drawn_words(likely, chances[going, step]).masked_fill(is_over, PAD_NUMBER)
        written[going, step] = words
        # A network whose numbers are not finite has nothing to say.
        is_over = is_over | (words == END_NUMBER) | (words == PAD_NUMBER)
        has_letter = has_letter | rules.lettered[words]
    return written


@torch.no_grad()
def searched(
    panel: AdvicePanel, sources: Tensor, most: int, rules: PieceRules, beams: int
) -> Tensor:
    """Pieces (rows, most at most) of the likeliest advice that so many beams find."""
    words = torch.full((len(sources),), BEGIN_NUMBER, device=sources.device)
    has_letter = rules.lettered[words]
    log_probs, begun = panel.step(words, panel.begin(sources))
    parts = [len(state.parts) for state in begun]

    def step(words: Tensor, kept: SearchState) -> tuple[Tensor, SearchState]:
        has_letter = kept[0] | rules.lettered[words]
        states = [WritingState.of(part) for part in _divided(kept[1:], parts)]
        log_probs, states = panel.step(words, states)
        return rules.allowed(log_probs, has_letter, states[0].place - 1), _kept(has_letter, states)

    return best_words(
        rules.allowed(log_probs, has_letter, 0),
        _kept(has_letter, begun),
        step,
        beams=beams,
        most=most,
        end=END_NUMBER,
        padding=PAD_NUMBER,
    )


def _kept(has_letter: Tensor, states: Sequence[WritingState]) -> SearchState:
    return (has_letter, *(part for state in states for part in state.parts))


def _divided(parts: Sequence[Tensor], counts: Sequence[int]) -> list[tuple[Tensor, ...]]:
    found = []
    for count in counts:
        found.append(tuple(parts[:count]))
        parts = parts[count:]
    return found


def _mean(logits: Sequence[Tensor]) -> Tensor:
    """The logarithm of the mean probability."""
    said = [each.float().log_softmax(-1) for each in logits]
    if len(said) == 1:
        return said[0]
    return torch.stack(said).logsumexp(0) - math.log(len(said))
