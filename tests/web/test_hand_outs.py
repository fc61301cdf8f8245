"""How long an answer took, by the server's clock alone."""

import pytest

from palaver.storage.judging.labels import StoredAnswer
from palaver.studies.run.work import Work
from palaver.web.participant.rating.hand_outs import LONGEST_SECONDS, HandOut

NOW = 1_700_000_000.0


def work(*answered: float) -> Work:
    """Work of which answers were stored at these moments from now."""
    answers = {("unit", f"q{n}"): StoredAnswer(1, NOW + time) for n, time in enumerate(answered)}
    return Work(name="sheet-1", stage=0, screens=(), answers=answers)


@pytest.mark.parametrize(
    ("shown", "answered", "seconds"),
    [
        (-10.0, (), 10.0),
        # Another screen was sent meanwhile: its time is not counted here once more.
        (-10.0, (-7.0, -3.0), 3.0),
        # This screen was shown after the last answer.
        (-2.0, (-7.0, -3.0), 2.0),
        (0.0, (), 0.0),
        # A clock that was set back, and a page that was left open.
        (1.0, (), None),
        (-LONGEST_SECONDS - 1, (), None),
    ],
)
def test_time_runs_from_the_last_thing_that_happened(
    shown: float, answered: tuple[float, ...], seconds: float | None
) -> None:
    assert HandOut(0, NOW + shown).seconds(work(*answered), NOW) == seconds
