"""What every network of Deal or No Deal can do, so that self-play and agents need not know which it is.

A side's view of a dialogue is a line of words with `YOU:` and `THEM:` before each message, `<eos>`
after each, and `<selection>` where somebody stops to mark the deal.
"""

from typing import Protocol

from torch import Tensor

# What is carried from word to word: tensors whose first dimension is the batch, so that rows can be
# picked, repeated and put back with `each[rows]`.
State = tuple[Tensor, ...]

# A context is count and value of book, hat and ball; six slots are what is taken of each, by the own
# side first, then by the partner.
CONTEXT = 6
SLOTS = 6
ITEMS = ("book", "hat", "ball")
# Why there is no deal: the classes of a slot that stand after the counts.
FAILURES = ("<disagree>", "<no_agreement>", "<disconnect>")
# No item of the published data has more.
MOST_ITEMS = 10
# Counts 0 to MOST_ITEMS, then the failures.
CLASSES = MOST_ITEMS + 1 + len(FAILURES)

YOU, THEM, END_OF_MESSAGE, SELECTION, PAD = "YOU:", "THEM:", "<eos>", "<selection>", "<pad>"


class DealNetwork(Protocol):
    """A language model of one side's view, with a head that says who gets what."""

    def __call__(self, contexts: Tensor, words: Tensor) -> Tensor:
        """Logits (rows, words, vocabulary): those at `n` say what word `n + 1` is.

        `contexts` is (rows, 6) whole numbers, `words` (rows, words), padded at the end.
        """
        ...

    def begin(self, contexts: Tensor) -> State:
        """The state before the first word."""
        ...

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Logits (rows, vocabulary) of the next word after one more word per row, and the new state."""
        ...

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        """Log-probabilities (rows, 6, CLASSES) of each slot after a whole dialogue."""
        ...
