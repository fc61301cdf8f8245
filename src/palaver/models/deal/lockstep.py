"""Many dialogues at once, a word of each at a time, whoever speaks in it.

Words are kept as the first side sees them: `YOU:` is the first side, `THEM:` the second. A row whose
dialogue is over, or that waits, hears padding, which a network passes over. Nothing here asks the
device for an answer but `run`, every few steps.
"""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from palaver.models.answering import check_wanted
from palaver.models.deal.network import DealNetwork, State
from palaver.models.deal.speech import (
    LEAST_MESSAGES,
    MOST_MESSAGES,
    MOST_WORDS,
    word_log_probs,
)
from palaver.models.deal.words import (
    END_NUMBER,
    PAD_NUMBER,
    SELECTION_NUMBER,
    THEM_NUMBER,
    YOU_NUMBER,
)
from palaver.models.sampling import ChanceStream, drawn_words, nucleus


def other_view(words: Tensor) -> Tensor:
    """The same words as the other side sees them."""
    swapped = torch.where(words == YOU_NUMBER, THEM_NUMBER, words)
    return torch.where(words == THEM_NUMBER, YOU_NUMBER, swapped)


def is_speaker_mark(words: Tensor) -> Tensor:
    """Where it is said who speaks."""
    return (words == YOU_NUMBER) | (words == THEM_NUMBER)


@dataclass(slots=True)
class NetworkView:
    """What a network has heard of each row, as its own side sees it, and what it expects next."""

    network: DealNetwork
    state: State
    logits: Tensor | None = None
    is_second: bool = False

    @classmethod
    def begin(
        cls, network: DealNetwork, contexts: Tensor, *, is_second: bool = False
    ) -> "NetworkView":
        return cls(network, network.begin(contexts), is_second=is_second)

    def hear(self, words: Tensor) -> None:
        """One more word (rows,), or padding, which changes nothing."""
        logits, self.state = self.network.step(
            other_view(words) if self.is_second else words, self.state
        )
        if self.logits is not None:
            logits = torch.where((words == PAD_NUMBER)[:, None], self.logits, logits)
        self.logits = logits

    def pick(self, rows: Tensor) -> "NetworkView":
        """The same of some rows, each as often as it is named."""
        logits = None if self.logits is None else self.logits[rows]
        state = tuple(each[rows] for each in self.state)
        return NetworkView(self.network, state, logits, self.is_second)


@dataclass(slots=True, kw_only=True)
class WrittenWords:
    """The words of each row (rows, room), as the first side sees them; padding follows."""

    words: Tensor
    lengths: Tensor

    @classmethod
    def blank(cls, rows: int, room: int, device: torch.device) -> "WrittenWords":
        words = torch.full((rows, room), PAD_NUMBER, device=device)
        return cls(words=words, lengths=words.new_zeros(rows))

    def add(self, words: Tensor) -> None:
        """One more word each; padding adds nothing."""
        self.words.scatter_(1, self.lengths[:, None], words[:, None])
        self.lengths = self.lengths + (words != PAD_NUMBER)

    def pick(self, rows: Tensor, *, room: int) -> "WrittenWords":
        """The same of some rows, with so much room after the longest."""
        kept = self.trimmed()[rows]
        blank = kept.new_full((len(rows), room), PAD_NUMBER)
        return WrittenWords(words=torch.cat([kept, blank], dim=1), lengths=self.lengths[rows])

    def trimmed(self) -> Tensor:
        """The words as far as the longest row goes."""
        return self.words[:, : int(self.lengths.max())]


class LockStep:
    """Dialogues in which words are drawn from what the views expect: one view, or one of each side."""

    def __init__(
        self,
        views: tuple[NetworkView, ...],
        written: WrittenWords,
        *,
        speaker: Tensor,
        temperatures: tuple[float, float],
        dice: Generator,
        messages: Tensor | None = None,
        planned: Tensor | None = None,
        ends_with_message: bool = False,
        share: float = 1.0,
    ) -> None:
        rows, device = len(speaker), speaker.device
        nowhere = torch.zeros(rows, dtype=torch.bool, device=device)
        self.views, self.written = views, written
        # 0 or 1 in each row; of the words in its message, and the messages before it.
        self.speaker = speaker
        self.said = torch.zeros_like(speaker)
        self.messages = torch.zeros_like(speaker) if messages is None else messages
        # Where the next word says who speaks: everywhere if nothing was heard yet.
        self.is_mark_due = ~nowhere if views[0].logits is None else nowhere.clone()
        self.is_over, self.has_selected = nowhere.clone(), nowhere.clone()
        # Words of the message at hand that are no matter of chance (rows, words), then padding.
        self.planned = planned
        self._ends_with_message = ends_with_message
        # Words are drawn from the likeliest that make up this share.
        self._share = share
        self._temperatures = torch.tensor(temperatures, device=device)
        self._chances = ChanceStream(dice, rows, device)

    @property
    def begins(self) -> Tensor:
        """Where a speaker has the floor and has not said a word."""
        return (self.said == 0) & ~self.is_mark_due & ~self.is_over

    def run(self, most: int) -> None:
        """Go on until all are over, or for so many words."""
        for step in range(most):
            if step % ChanceStream.STEPS == 0 and bool(self.is_over.all()):
                break
            self.advance()

    def advance(self, waiting: Tensor | None = None) -> None:
        """One more word in each row that is not over and does not wait."""
        check_wanted()
        pauses = self.is_over if waiting is None else self.is_over | waiting
        words = self._next_words().masked_fill(pauses, PAD_NUMBER)
        self.written.add(words)
        for view in self.views:
            view.hear(words)
        self._note(words, pauses)

    def _next_words(self) -> Tensor:
        mark = torch.where(self.speaker == 0, YOU_NUMBER, THEM_NUMBER)
        chances = self._chances.next()
        logits = self._logits()
        if logits is None:
            return mark
        log_probs = word_log_probs(
            logits,
            self.said == 0,
            self.messages >= LEAST_MESSAGES,
            self._temperatures[self.speaker],
        )
        words = drawn_words(nucleus(log_probs, self._share), chances)
        if self.planned is not None:
            at = self.said.clamp(max=self.planned.shape[1] - 1)[:, None]
            planned = self.planned.gather(1, at).squeeze(1)
            is_planned = (planned != PAD_NUMBER) & (self.said < self.planned.shape[1])
            words = torch.where(is_planned, planned, words)
        return torch.where(self.is_mark_due, mark, words)

    def _logits(self) -> Tensor | None:
        first, *others = (view.logits for view in self.views)
        if first is None or not others or others[0] is None:
            return first
        return torch.where((self.speaker == 0)[:, None], first, others[0])

    def _note(self, words: Tensor, pauses: Tensor) -> None:
        """Keep count of who speaks, how long, and what is over."""
        ends, selects = words == END_NUMBER, words == SELECTION_NUMBER
        is_word = ~is_speaker_mark(words) & ~pauses
        self.said = torch.where(ends, 0, self.said + is_word)
        self.messages = self.messages + ends
        self.has_selected = self.has_selected | selects
        self.is_mark_due = (self.is_mark_due & pauses) | ends
        self.speaker = torch.where(ends, 1 - self.speaker, self.speaker)
        # A network whose numbers are not finite has nothing to say.
        is_spoilt = (self.said >= MOST_WORDS) | (self.messages >= MOST_MESSAGES)
        is_mute = (words == PAD_NUMBER) & ~pauses
        self.is_over = self.is_over | selects | is_spoilt | is_mute
        if self._ends_with_message:
            self.is_over = self.is_over | ends
        if self.planned is not None:
            self.planned = self.planned.masked_fill(ends[:, None], PAD_NUMBER)
