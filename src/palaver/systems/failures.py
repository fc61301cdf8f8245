"""What leaves a predictor when no retry helps: which questions, what happened, how often tried."""

from collections.abc import Mapping, Sequence

from palaver.core.errors import SystemFailureError
from palaver.core.protocols import Reply
from palaver.core.raw_answers import RawAnswer
from palaver.core.words import counted, listed
from palaver.systems.attempt import AttemptError
from palaver.systems.registry import Question

_NAMED = 3


class QuestionFailureError(SystemFailureError):
    """One call failed for good; the text names its questions."""

    def __init__(
        self,
        error: AttemptError,
        questions: Sequence[Question],
        *,
        attempts: int,
        raw: RawAnswer | None = None,
    ) -> None:
        often = f" ({counted(attempts, 'attempt')})" if attempts > 1 else ""
        told = f"{_asked(questions)}: {error}{often}"
        super().__init__(error.kind, told, attempts=attempts, raw=raw)
        self.uids = tuple(str(question.get("uid")) for question in questions)


class BatchFailureError(SystemFailureError):
    """A batch failed, and some of its questions fail by themselves too.

    `answered` holds the replies to the others, by their place in the batch: they are good.
    """

    def __init__(
        self,
        whole: QuestionFailureError,
        failures: Sequence[QuestionFailureError],
        answered: Mapping[int, Reply],
        *,
        asked: int,
    ) -> None:
        told = " ".join(str(failure) for failure in failures[:_NAMED])
        more = len(failures) - _NAMED
        rest = f" And {counted(more, 'more question')}." if more > 0 else ""
        first = "" if answered else f"The batch failed too: {whole}"
        parts = [
            f"{told}{rest}",
            f"{len(answered)} of the {asked} questions of the batch were answered.",
            first,
        ]
        super().__init__(
            failures[0].kind,
            " ".join(filter(None, parts)),
            attempts=failures[0].attempts,
            raw=failures[0].raw,
        )
        self.uids = tuple(uid for failure in failures for uid in failure.uids)
        self.answered = dict(answered)


def _asked(questions: Sequence[Question]) -> str:
    uids = [f"'{question.get('uid')}'" for question in questions]
    if len(uids) == 1:
        return f"Question {uids[0]}"
    if len(uids) <= _NAMED:
        return f"Questions {listed(uids)}"
    return f"{len(uids)} questions, {uids[0]} to {uids[-1]}"
