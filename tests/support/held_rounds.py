"""A round against the built-in model, opened in the home of a desk as a server opens one."""

from collections.abc import Sequence
from typing import Any

from palaver.core.audit import SERVER
from palaver.core.evaluation.rounds import Round, RoundContext, RoundTerms
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds.opening import open_round
from support.written_rounds import CONTEXT, NOW, RoundDesk


class HeldRound(RoundDesk):
    """A round with one context, and what people wrote in it."""

    def __init__(self, home: EvaluationHome, **given: Any) -> None:
        self.home = home
        super().__init__(home.store, **given)

    def open(self, terms: RoundTerms, models: Sequence[str] = ()) -> Round:
        """The next round."""
        return open_round(
            self.home,
            task="nli",
            study_id=self.study_id,
            stage=0,
            terms=terms,
            models=["overlap"],
            contexts=[RoundContext(id="c1", values={"context": CONTEXT}, tag="trains")],
            now=NOW,
            by=SERVER,
        )
