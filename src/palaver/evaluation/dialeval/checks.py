"""Whether a submission would be taken, which needs the dialogues and no labels of them."""

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import CheckedFile
from palaver.evaluation.dialeval.gold import CountedGold
from palaver.evaluation.dialeval.predictions import read_predictions
from palaver.formats.submissions import Task


def check_submission(
    content: bytes, gold: CountedGold, *, task: Task | None = None, name: str = "submission.json"
) -> CheckedFile:
    """What is wrong with a submission for these dialogues, and which tasks it holds."""
    try:
        found = read_predictions(content, gold, task=task, name=name)
    except InputError as error:
        return CheckedFile(file=name, track=task or "", items=len(gold), problems=(str(error),))
    return CheckedFile(
        file=name,
        track=", ".join(found.tasks),
        items=len(gold),
        problems=tuple(str(fault) for fault in found.faults),
    )
