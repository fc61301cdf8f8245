"""Taking in what people wrote against models, with its hidden checks; loaded for such stages alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import Round
from palaver.core.logs import get_log
from palaver.core.questions import Question
from palaver.storage import Store
from palaver.studies.intake.example_gold import GoldIntake
from palaver.studies.intake.written_examples import ExampleIntake, Write, take_in_examples
from palaver.studies.stages import RateStage

log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class WrittenIntake:
    """What the rounds of one study have for those who judge it; files lie in `folder`."""

    store: Store
    write: Write
    rounds: Sequence[Round]
    folder: Path | None

    async def take_in(
        self,
        study_id: int,
        index: int,
        stage: RateStage,
        questions: Sequence[Question],
        *,
        limit: int,
        now: float,
    ) -> int:
        """Make sheets of the examples and checks that a stage has not got yet; how many examples."""
        secret = self.store.lasting_secret()
        examples = ExampleIntake(secret, study_id, index, stage, questions, now)
        taken = await take_in_examples(self.store, self.write, examples, self.rounds, limit=limit)
        await self._take_in_gold(examples)
        return taken

    async def _take_in_gold(self, examples: ExampleIntake) -> None:
        """Take in the hidden checks as the newest round has them."""
        gold = examples.stage.gold
        if gold is None or not (gold.records or gold.verdicts):
            return
        file = None if gold.records is None else (self.folder or Path()) / gold.records
        try:
            await self.write(partial(GoldIntake(examples, file).store, round_=self.rounds[-1]))
        except (InputError, OSError) as error:
            log.error("checks_not_taken_in", stage=examples.index, error=str(error))
