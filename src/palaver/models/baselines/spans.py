"""Which words of a text answer a question: a log-linear model over every run of words.

A run's score is that of its first word as a start, of its last as an end, and of every word as one
inside. The softmax goes over all runs of a text, so that they compete with each other and
nothing has to be searched.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from palaver.models.baselines.features import FeatureRow, Question
from palaver.models.baselines.layout import TaskGoal, TaskLayout
from palaver.models.baselines.parts import Chances
from palaver.models.baselines.tokens import PlacedWord, lower_words, placed_words, shape_of

# What a word is scored as.
ROLES = 3
START, INSIDE, END = range(ROLES)
# Marks after which a new sentence begins.
_SENTENCE_ENDS = frozenset(".!?。！？")
# A word that stands in a text more often than this says little of where the answer is.
_RARE = 2
# How far away a word of the question is told apart.
_NEAR = 8
_NOTHING = -1e9


class SpanPart:
    """A run of words of a text: a row per word of it, with scores for starting, staying, ending."""

    outputs = ROLES
    plain = True

    def __init__(self, layout: TaskLayout, goal: TaskGoal, *, most_words: int) -> None:
        self.goal = goal
        self.most_words = most_words
        self.asking = [each.name for each in layout.texts if each.name != goal.reference]

    def size(self, question: Question) -> int:
        return len(placed_words(self._text(question)))

    def rows(self, question: Question) -> list[FeatureRow]:
        asked = [word for name in self.asking for word in lower_words(str(question[name]))]
        return [[each] for each in word_features(placed_words(self._text(question)), asked)]

    def target(self, question: Question, gold: Mapping[str, Any]) -> Any:
        """Every run of words that is right, as places of its first and last word."""
        answers = gold[self.goal.name]
        text = self._text(question)
        words = placed_words(text)
        found = {
            run
            for answer in (answers if isinstance(answers, list) else [answers])
            for run in runs_of(answer, text, words)
            if run[1] - run[0] < self.most_words
        }
        return sorted(found) or None

    def loss(self, scores: Tensor, sizes: Sequence[int], targets: Sequence[Any]) -> Tensor:
        """−log of what all right runs have together, the mean over texts that hold one."""
        usual = [n for n, target in enumerate(targets) if target]
        if not usual:
            return scores.sum() * 0
        logs = torch.log_softmax(self._grid(scores, sizes)[usual].flatten(1), dim=1)
        places = [[self._place(run) for run in targets[n]] for n in usual]
        most = max(map(len, places))
        # A text with fewer right runs names its first one again, which then counts for nothing.
        padded = [each + each[:1] * (most - len(each)) for each in places]
        there = [[k < len(each) for k in range(most)] for each in places]
        right = logs.gather(1, torch.tensor(padded, device=scores.device))
        right = right.masked_fill(~torch.tensor(there, device=scores.device), _NOTHING)
        return -torch.logsumexp(right, dim=1).mean()

    def chances(self, scores: Tensor, sizes: Sequence[int]) -> list[Chances]:
        """Rows of first words, columns of lengths."""
        if not scores.numel():
            return [np.zeros((0, self.most_words)) for _ in sizes]
        grid = self._grid(scores.double(), sizes)
        found = torch.softmax(grid.flatten(1), dim=1).view_as(grid)
        return [each[:size].cpu().numpy() for each, size in zip(found, sizes, strict=True)]

    def values(self, chances: Chances, question: Question) -> dict[str, Any]:
        if not chances.size:
            return {self.goal.name: ""}
        first, more = divmod(int(chances.argmax()), self.most_words)
        text = self._text(question)
        words = placed_words(text)
        return {self.goal.name: text[words[first].start : words[first + more].end]}

    def shares(self, chances: Chances) -> dict[str, Any]:
        return {self.goal.name: float(chances.max(initial=0.0))}

    def _place(self, run: tuple[int, int]) -> int:
        """Where a run stands in a flattened grid."""
        first, last = run
        return first * self.most_words + last - first

    def _text(self, question: Question) -> str:
        return str(question[self.goal.reference])

    def _grid(self, scores: Tensor, sizes: Sequence[int]) -> Tensor:
        """Scores of runs: (texts, first words, further words); what is no run is out of question."""
        padded = pad_sequence(list(torch.split(scores, list(sizes))), batch_first=True)
        start, inside, end = padded.unbind(dim=-1)
        width = padded.shape[1]
        places = torch.arange(width, device=scores.device)
        lasts = places[:, None] + torch.arange(self.most_words, device=scores.device)
        within = lasts.clamp_max(width - 1)
        summed = inside.cumsum(dim=1)
        runs = (
            start[:, :, None] + end[:, within] + summed[:, within] - (summed - inside)[:, :, None]
        )
        ends = torch.tensor(list(sizes), device=scores.device)
        return runs.masked_fill(lasts[None] >= ends[:, None, None], _NOTHING)


def runs_of(answer: str, text: str, words: Sequence[PlacedWord]) -> list[tuple[int, int]]:
    """Where an answer stands in a text, as the places of its first and last word."""
    found: list[tuple[int, int]] = []
    begin = text.find(answer) if answer.strip() else -1
    while begin >= 0:
        end = begin + len(answer)
        touched = [n for n, word in enumerate(words) if word.end > begin and word.start < end]
        if touched:
            found.append((touched[0], touched[-1]))
        begin = text.find(answer, begin + 1)
    return found


def word_features(words: Sequence[PlacedWord], asked: Sequence[str]) -> list[list[str]]:
    """The features of each word of a text: itself, its neighbours, and what the question says."""
    lower = [word.text.lower() for word in words]
    shapes = ["<", *(shape_of(word.text) for word in words), ">"]
    counts = Counter(lower)
    in_question = set(asked)
    signs = [word for word in dict.fromkeys(asked) if any(letter.isalnum() for letter in word)]
    pairs = set(pairwise(asked))
    rare = [n for n, word in enumerate(lower) if word in in_question and counts[word] <= _RARE]
    ranks = _sentence_ranks(lower, in_question, counts)
    found = []
    for n, word in enumerate(lower):
        before, after = (lower[n - 1] if n else "<"), (lower[n + 1] if n + 1 < len(lower) else ">")
        shape = shapes[n + 1]
        own = [
            f"word {word}",
            f"before {before}",
            f"after {after}",
            f"shapes {shapes[n]} {shape}",
            f"shapes {shape}|{shapes[n + 2]}",
            f"sentence {ranks[n]}",
            f"sentence {ranks[n]} {shape}",
            f"left {_distance(rare, n, -1)}",
            f"right {_distance(rare, n, 1)}",
        ]
        if word in in_question:
            own.append("asked" if any(letter.isalnum() for letter in word) else "asked mark")
        if before in in_question:
            own.append(f"after asked {'rare' if counts[before] <= _RARE else 'often'}")
        if after in in_question:
            own.append(f"before asked {'rare' if counts[after] <= _RARE else 'often'}")
        if n > 1 and (lower[n - 2], before) in pairs:
            own.append("after asked pair")
        if n + 2 < len(lower) and (after, lower[n + 2]) in pairs:
            own.append("before asked pair")
        own += [f"{sign}? {shape}" for sign in signs]
        found.append(own)
    return found


def _sentence_ranks(lower: Sequence[str], asked: set[str], counts: Mapping[str, int]) -> list[str]:
    """Of each word, how its sentence compares with others in the words of the question it has."""
    sentence, place = [], 0
    for word in lower:
        sentence.append(place)
        place += word in _SENTENCE_ENDS
    found: dict[int, set[str]] = {}
    for n, word in enumerate(lower):
        found.setdefault(sentence[n], set()).update({word} & asked)
    worth = {n: sum(1 / counts[word] for word in words) for n, words in found.items()}
    order = sorted(worth, key=lambda n: (-worth[n], n))
    rank = {n: ("none" if not worth[n] else str(min(r, 3))) for r, n in enumerate(order)}
    return [rank[n] for n in sentence]


def _distance(places: Sequence[int], n: int, side: int) -> str:
    """How far the nearest of some places on one side is, in doubling steps."""
    apart = min(((p - n) * side for p in places if (p - n) * side > 0), default=_NEAR + 1)
    return "far" if apart > _NEAR else str(1 << (apart - 1).bit_length())
