"""The board of a track that people judge: that of the study which the phase names.

Who may see it when is decided as for scores: before its date nothing of the study is on the page.
"""

from dataclasses import dataclass

from palaver.core.evaluation.challenges import Phase, Track
from palaver.evaluation.challenges.entry_list import withheld
from palaver.studies.advice.kept_board import read_kept_board
from palaver.studies.advice.kept_rounds import closed_round
from palaver.web.challenges.access import ChallengeVisit
from palaver.web.desk.accounts import deployment_of, root_of


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBoard:
    """Where the judgements of a phase stand; without addresses, why they are not shown.

    `answer` is what the board said last, empty where nobody has looked at it or may; `results_url` is
    empty until the round is closed.
    """

    board_url: str = ""
    results_url: str = ""
    answer: str = ""
    withheld: str = ""


def judged_board(found: ChallengeVisit, track: Track, phase: Phase) -> JudgedBoard | None:
    """The board of the study that judges a track in a phase; None where nobody judges it."""
    study = track.judged.get(phase.name)
    if study is None:
        return None
    if found.person is None and phase.audience(found.now) != "everybody":
        return JudgedBoard(withheld=withheld(phase, "everybody", found.now))
    address = f"{root_of(found.request)}/boards/{study}"
    deployment = deployment_of(found.request)
    served = deployment.studies.get(study)
    closed = found.home.store.read_now(lambda c: closed_round(c, study))
    if served is not None:
        public = served.definition.board.public
    else:
        public = closed is not None and closed.public
    if found.person is None and not public and not deployment.store.read_only:
        return JudgedBoard(
            withheld="The organisers have not made the board of this round public yet."
        )
    if closed is None:
        return JudgedBoard(board_url=address, answer=_answer(found, study))
    answer = closed.answer if public else ""
    return JudgedBoard(board_url=address, results_url=f"{address}/results/", answer=answer)


def _answer(found: ChallengeVisit, study: str) -> str:
    """What the public board of a study said last."""
    served = deployment_of(found.request).studies.get(study)
    if served is None or not served.definition.board.public:
        return ""
    kept = found.home.store.read_now(
        lambda c: read_kept_board(c, served.id, served.definition, "all")
    )
    return kept.board.answer if kept.board else ""
