"""A small round of advice that simulated raters have judged, in a home of its own."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.situations import AdvisingModel
from palaver.evaluation.home import EvaluationHome, evaluation_home
from palaver.formats.advice.answers import write_models
from palaver.storage import Store
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.intake import take_in
from palaver.studies.intake.materials import load_material
from palaver.studies.run.registered import register
from palaver.studies.run.simulated_raters import SimulatedRaters
from support.advice import write_round

NOW = 1_800_000_000.0
# Heron is always preferred to people, snipe never.
STRENGTHS = {"people": 4, "people-2": 4, "heron": 4e6, "snipe": 1e-6}
MODELS = (
    AdvisingModel(
        name="heron",
        title="Heron <b>",
        team="Otters & co",
        parameters=11e9,
        link="https://example.org/heron",
    ),
    AdvisingModel(name="snipe", date="2026-11-01"),
)


@dataclass(frozen=True, slots=True)
class JudgedRound:
    """A round in a store."""

    home: EvaluationHome
    study: Study
    study_id: int

    @property
    def store(self) -> Store:
        return self.home.store

    def simulate(self) -> None:
        """Let simulated raters judge what is left."""
        SimulatedRaters(self.store, self.study, self.study_id, 0).run()


def open_round(
    store: Store, folder: Path, count: int = 3, *, public: bool = True, name: str = "round"
) -> JudgedRound:
    """A round whose rating is open; nobody has judged anything."""
    given: dict[str, Any] = {
        "name": name,
        "board": {"public": public},
        "simulated": {"visitors": 4, "strengths": STRENGTHS, "seed": 3},
    }
    write_round(folder, count, study=given)
    write_models(folder / "answers", MODELS)
    study = load_study(folder)
    study_id = store.write_now(lambda c: register(c, study, now=NOW))
    asyncio.run(take_in(store, study_id, load_material(study), now=NOW))
    return JudgedRound(evaluation_home(folder, store), study, study_id)


def judged_round(store: Store, folder: Path, count: int = 3, **given: Any) -> JudgedRound:
    """A round that is judged to its end."""
    opened = open_round(store, folder, count, **given)
    opened.simulate()
    return opened
