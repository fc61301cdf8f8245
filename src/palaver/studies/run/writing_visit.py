"""Where a writer stands: which text this is, how many in a row fooled the model, what may be skipped.

All of it is folded from the sessions of the visit; nothing is counted twice, and nothing is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from palaver.collection.limits import HELD
from palaver.core.evaluation.rounds import RoundTerms
from palaver.games.model_in_the_loop.moves import SKIPPED
from palaver.games.model_in_the_loop.writing import fold_writing
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.studies.stages.write import WriteStage


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingTerms:
    """What is behind a write stage while it is served: its task's words, and its rounds by number."""

    content_warning: str = ""
    instructions: str = ""
    rounds: Mapping[int, RoundTerms] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingVisit:
    """A visit to a write stage so far; `number` is the text that is, or was last, written about."""

    number: int = 1
    texts: int = 1
    finished: int = 0
    fooled: int = 0
    # How many of the last texts in a row fooled the model.
    streak: int = 0
    skips_left: int = 0


def writing_visit(stage: WriteStage, sessions: Sequence[StoredDialogue]) -> WritingVisit:
    """How far a visit is, from its sessions of this stage, oldest first."""
    fooled = [has_fooled(each) for each in sessions if is_written(each)]
    skipped = sum(each.dialogue.reason == SKIPPED for each in sessions)
    return WritingVisit(
        number=min(len(fooled) + 1, stage.per_visit),
        texts=stage.per_visit,
        finished=len(fooled),
        fooled=sum(fooled),
        streak=sum(1 for _ in takewhile(bool, reversed(fooled))),
        skips_left=max(0, stage.skips - skipped),
    )


def is_written(session: StoredDialogue) -> bool:
    """Whether a session was brought to its end, kept or not."""
    return session.dialogue.is_over and session.dialogue.reason in HELD


def has_fooled(session: StoredDialogue) -> bool:
    """Whether a session ended with a try that the writer stands by, still."""
    writing = fold_writing(session.dialogue)
    return writing.kept is not None and writing.kept not in writing.retracted
