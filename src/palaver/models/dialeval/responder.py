"""What answers the questions of the DialEval tasks from checkpoints, and writes submissions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.dialeval.answers import judged, records
from palaver.models.dialeval.dialogues import HelpDialogue, asked_dialogue, read_dialogues
from palaver.models.dialeval.kinds import judge_of


class DialEvalResponder:
    """The average of one or more trained networks.

    A record is in the form of the shared task, `id`, `nugget` and `quality`, of which the tasks
    `dialogue-nugget` and `dialogue-quality` read their own part each.
    """

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        if not checkpoints:
            raise InputError("No checkpoint was given; expected one or more.")
        self._judges = [judge_of(each, device) for each in _members(checkpoints)]
        self._device = device

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A record per question, in their order."""
        return self.judge([asked_dialogue(question) for question in questions])

    def judge(self, dialogues: Sequence[HelpDialogue]) -> list[dict[str, Any]]:
        """A record per dialogue, in their order."""
        if not dialogues:
            return []
        return records(dialogues, judged(self._judges, dialogues, self._device))

    def submission(self, file: Path) -> list[dict[str, Any]]:
        """A record for each dialogue of a file, which may have labels or not."""
        return self.judge(read_dialogues(file))


def write_predictions(
    checkpoints: Sequence[Checkpoint], data_file: Path, *, device: torch.device | None = None
) -> list[dict[str, Any]]:
    """The submission for the dialogues of a file, which may have labels or not."""
    responder = DialEvalResponder(checkpoints, device or torch.device("cpu"))
    return responder.submission(data_file)


def _members(checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
    """All that hold weights: the members of ensembles in their places."""
    return [member for each in checkpoints for member in each.all]
