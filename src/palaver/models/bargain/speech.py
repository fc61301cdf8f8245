"""What may be said next in a bargain, and turns drawn word by word.

A turn has a word before its end, or is an answer to the partner's offer: to accept, to reject, or to
quit, and nothing else while the offer stands. An offer has a price and ends the turn. Marks are nobody's
words, and a price that is below zero on one's own scale is none.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from palaver.models.answering import check_wanted
from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    END_NUMBER,
    FIRST_PRICE,
    MARKS,
    OFFER_NUMBER,
    PAD_NUMBER,
    QUIT_NUMBER,
    REJECT_NUMBER,
)
from palaver.models.bargain.network import BargainSituation, State, WordByWord
from palaver.models.beam import best_words
from palaver.models.sampling import ChanceStream, drawn_words, nucleus, sharpened

# A turn has no more words, its end apart.
MOST_WORDS = 50
# What comes next in a turn: any word; the price of an offer; its end.
_SPEAKING, _PRICE_DUE, _OVER = range(3)
# Steps between two looks at whether all turns have come to their end.
_LOOK = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WordChoice:
    """How a side picks its words: by chance, or by a search for the likeliest turn."""

    temperature: float = 0.5
    nucleus: float = 1.0
    # Turns that are kept side by side in a search; none with fewer than two.
    beam: int = 0
    alpha: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechRoom:
    """What rules leave room for, in each row: whether the partner's offer is to be answered, and
    which prices (rows, prices) can be named."""

    answers: Tensor
    prices: Tensor

    def pick(self, rows: Tensor) -> "SpeechRoom":
        return SpeechRoom(answers=self.answers[rows], prices=self.prices[rows])


def stages(words: Tensor) -> Tensor:
    """What comes after each word (rows, words) of a turn."""
    before = torch.nn.functional.pad(words, (1, 0))[:, :-1]
    return _stage_after(words, before == OFFER_NUMBER)


def said_log_probs(
    logits: Tensor, stage: Tensor, count: Tensor, room: SpeechRoom, choice: WordChoice
) -> Tensor:
    """Log-probabilities (…, vocabulary) of what may be said next, sharpened by the temperature.

    `stage` and `count` (…) are what comes next, and how many words there are; the first dimension is
    the row, as in `room`.
    """
    between = [1] * (stage.dim() - 1)
    answers = room.answers.view(-1, *between)
    prices = room.prices.view(len(stage), *between, -1)
    speaks = (stage == _SPEAKING) & ~answers & (count < MOST_WORDS)
    is_due = stage == _PRICE_DUE
    is_first = count == 0
    allowed = speaks[..., None].expand(logits.shape).clone()
    priced = slice(FIRST_PRICE, FIRST_PRICE + room.prices.shape[1])
    allowed[..., priced] = (speaks | is_due)[..., None] & prices
    allowed[..., : len(MARKS)] = False
    allowed[..., END_NUMBER] = ~is_due & ~is_first
    allowed[..., OFFER_NUMBER] = speaks & (count < MOST_WORDS - 1)
    allowed[..., ACCEPT_NUMBER] = allowed[..., REJECT_NUMBER] = answers & is_first
    allowed[..., QUIT_NUMBER] = speaks | (answers & is_first)
    return sharpened(logits.float().masked_fill(~allowed, -math.inf), choice.temperature)


def spoken_turns(
    network: WordByWord,
    situation: BargainSituation,
    given: Tensor,
    room: SpeechRoom,
    choice: WordChoice,
    chances: ChanceStream | None,
    rows: Tensor | None = None,
) -> Tensor:
    """A turn for each row (rows, words), its end included and then padding.

    `given` (rows, 2) are the mark of the role and the category. `chances` has one for each of more
    dialogues, of which `rows` are these. Words are padding alone where a network says what is no number.
    """
    state = network.begin(situation)
    for words in given.unbind(1):
        logits, state = network.step(words, state)
    stage, count = torch.zeros_like(given[:, 0]), torch.zeros_like(given[:, 0])
    if choice.beam >= 2:
        return _searched(network, logits, (*state, stage, count), room, choice)
    said: list[Tensor] = []
    is_over = torch.zeros_like(room.answers)
    for step in range(MOST_WORDS + 1):
        check_wanted()
        log_probs = said_log_probs(logits, stage, count, room, choice)
        words = _chosen(nucleus(log_probs, choice.nucleus), chances, rows)
        words = words.masked_fill(is_over, PAD_NUMBER)
        said.append(words)
        is_over = is_over | (words == END_NUMBER) | (words == PAD_NUMBER)
        if step % _LOOK == _LOOK - 1 and bool(is_over.all()):
            break
        stage, count = _stage_after(words, stage == _PRICE_DUE), count + 1
        logits, state = network.step(words, state)
    return torch.stack(said, dim=1)


def _chosen(log_probs: Tensor, chances: ChanceStream | None, rows: Tensor | None) -> Tensor:
    if chances is None:
        # Where nothing is a number, nothing is said.
        return log_probs.argmax(1).masked_fill(log_probs.isnan().any(1), PAD_NUMBER)
    drawn = chances.next()
    return drawn_words(log_probs, drawn if rows is None else drawn[rows])


def _searched(
    network: WordByWord, logits: Tensor, state: State, room: SpeechRoom, choice: WordChoice
) -> Tensor:
    """The likeliest turns; the last three of the state are the row, the stage and the count."""
    rows = torch.arange(len(logits), device=logits.device)
    *_, stage, count = state
    plain = WordChoice(temperature=1.0)

    def step(words: Tensor, state: State) -> tuple[Tensor, State]:
        *own, stage, count, row = state
        logits, new = network.step(words, tuple(own))
        stage, count = _stage_after(words, stage == _PRICE_DUE), count + 1
        log_probs = said_log_probs(logits, stage, count, room.pick(row), plain)
        return log_probs, (*new, stage, count, row)

    first = said_log_probs(logits, stage, count, room, plain)
    found = best_words(
        first,
        (*state, rows),
        step,
        beams=choice.beam,
        most=MOST_WORDS + 1,
        end=END_NUMBER,
        padding=PAD_NUMBER,
        alpha=choice.alpha,
    )
    return found.masked_fill(first.isnan().any(1, keepdim=True), PAD_NUMBER)


def _stage_after(words: Tensor, is_price: Tensor) -> Tensor:
    """What comes after words, of which some were the price of an offer."""
    closes = (words == ACCEPT_NUMBER) | (words == REJECT_NUMBER) | (words == QUIT_NUMBER)
    after = torch.where(words == OFFER_NUMBER, _PRICE_DUE, _SPEAKING)
    return torch.where(closes | is_price, _OVER, after)
