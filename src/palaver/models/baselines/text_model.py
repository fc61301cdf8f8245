"""A network over counted words with all that stands around it: from questions to answers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from palaver.models.baselines.bags import Bagger, BagTable
from palaver.models.baselines.features import Question
from palaver.models.baselines.layout import TaskLayout
from palaver.models.baselines.network import AveragedVectors, LinearScores
from palaver.models.baselines.parts import Chances, ModelPart, QuestionPart, TurnPart
from palaver.models.baselines.spans import SpanPart

# As many questions are answered at once.
AT_ONCE = 64
Scores = LinearScores | AveragedVectors


class TextModel:
    """The parts of a model, each with what turns its rows into bags, and the network over them."""

    def __init__(
        self,
        layout: TaskLayout,
        parts: Sequence[ModelPart],
        baggers: Sequence[Bagger],
        networks: Sequence[Scores],
        device: torch.device,
    ) -> None:
        self.layout = layout
        self.parts = list(parts)
        self.baggers = list(baggers)
        self.networks = list(networks)
        self.network = nn.ModuleList(networks).to(device)
        self.device = device

    def scores(self, part: int, table: BagTable, rows: Any) -> Tensor:
        """What the network says of some rows of a part."""
        found: Tensor = self.networks[part](table.picked(rows, self.device))
        return found

    @torch.no_grad()
    def chances(self, questions: Sequence[Question]) -> list[list[Chances]]:
        """The probabilities of each part for each of a few questions."""
        found: list[list[Chances]] = [[] for _ in questions]
        for number, part in enumerate(self.parts):
            rows = [part.rows(question) for question in questions]
            sizes = [len(own) for own in rows]
            table = BagTable.of((row for own in rows for row in own), self.baggers[number])
            scores = self.scores(number, table, np.arange(len(table)))
            for own_chances, chances in zip(found, part.chances(scores, sizes), strict=True):
                own_chances.append(chances)
        return found


def parts_of(layout: TaskLayout, *, longest: int, most_words: int) -> list[ModelPart]:
    """The parts that the goals of a task take."""
    whole = [goal for goal in layout.goals if goal.kind in ("one", "several", "shares", "share")]
    parts: list[ModelPart] = [QuestionPart(layout, whole, longest=longest)] if whole else []
    for goal in layout.goals:
        if goal.kind == "turns":
            parts.append(TurnPart(goal, longest=longest))
        elif goal.kind == "span":
            parts.append(SpanPart(layout, goal, most_words=most_words))
    return parts


def answers_of(models: Sequence[TextModel], questions: Sequence[Question]) -> list[dict[str, Any]]:
    """What models answer together, by output: their probabilities are averaged first."""
    found: list[dict[str, Any]] = []
    for start in range(0, len(questions), AT_ONCE):
        few = questions[start : start + AT_ONCE]
        members = [model.chances(few) for model in models]
        for n, question in enumerate(few):
            found.append(_answer(models[0], [each[n] for each in members], question))
    return found


def _answer(
    model: TextModel, members: Sequence[Sequence[Chances]], question: Question
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    shares: dict[str, Any] = {}
    for part, *own in zip(model.parts, *members, strict=True):
        chances: Chances = np.mean(own, axis=0)
        values |= part.values(chances, question)
        shares |= part.shares(chances)
    return values | beside(model.layout, shares)


def beside(layout: TaskLayout, shares: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs that say how sure an answer is, from how probable the answers to its goal are."""
    found: dict[str, Any] = {}
    for each in layout.companions:
        if each.goal not in shares:
            continue
        own = shares[each.goal]
        if isinstance(own, Mapping):
            found[each.name] = max(own.values()) if each.is_single else dict(own)
        elif each.is_single:
            found[each.name] = own
    return found
