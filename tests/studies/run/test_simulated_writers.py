"""The round of the demonstration: writers and validators of whom it is known who is right."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.core.evaluation.validators import Validator
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.rounds.validators import validators
from palaver.storage import Store
from palaver.storage.evaluation.rounds import rounds_of_study
from palaver.studies.file.reader import load_study
from palaver.studies.file.starter import LOOP_SENTENCES, SHIPPED, write_loop_demonstration
from palaver.studies.run import simulated_validators, upkeep
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.simulated_validators import SimulatedValidators
from palaver.studies.run.simulated_writers import SimulatedWriters, read_drafts


@dataclass(frozen=True)
class Held:
    """What a simulated round came to."""

    round: Round
    sessions: int
    judged: int
    examples: tuple[WrittenExample, ...]
    validators: tuple[Validator, ...]


async def hold(store: Store, folder: Path) -> Held:
    """Let everybody write, and then everybody judge."""
    studies = [load_study(path) for path in write_loop_demonstration(folder)]
    quick = [
        study.model_copy(
            update={"simulated": study.simulated.model_copy(update={"per_second": 1000.0})}
        )
        for study in studies
        if study.simulated
    ]
    deployment = Deployment(store, quick, folder=folder)
    await deployment.start()
    try:
        writing, checking = deployment.studies["write"], deployment.studies["validate"]
        drafts = read_drafts(SHIPPED / LOOP_SENTENCES)
        sessions = await SimulatedWriters(deployment, writing, drafts).run()
        judged = await SimulatedValidators(deployment, checking, drafts).run()
        [held] = store.read_now(lambda c: rounds_of_study(c, writing.id))
        examples = store.read_now(lambda c: read_examples(c, held))
        return Held(held, sessions, judged, examples, validators(examples, held.terms))
    finally:
        await deployment.stop()


def test_careless_writers_are_refused_and_whoever_flags_everything_is_named(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (upkeep, simulated_validators):
        monkeypatch.setattr(module, "SWEEP_SECONDS", 0.05)

    held = asyncio.run(hold(store, tmp_path))

    truth = read_drafts(SHIPPED / LOOP_SENTENCES)
    fooling = [each for each in held.examples if each.is_fooling]
    verified = [each for each in fooling if each.is_verified]
    assert held.round.models[0].system == "overlap@1"
    assert held.sessions >= 20
    assert held.judged == held.round.terms.validators * len(fooling)
    assert all(each.standing != "waiting" for each in fooling)
    # Validators err now and then, but rarely two of three.
    honest = [truth.label_of(e.values["hypothesis"]) == e.values["label"] for e in verified]
    assert len(verified) >= 10
    assert sum(honest) >= 0.9 * len(honest)
    [named] = [each for each in held.validators if each.notes]
    assert named.flagged == named.votes
    assert "flags" in named.notes[0]
