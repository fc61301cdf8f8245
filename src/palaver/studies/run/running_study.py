"""A study while it is served: its file, its row in the store, its systems and its plans."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from palaver.annotation.plan import RatePlan, ScreenPlan
from palaver.collection.pace import Latencies
from palaver.collection.plan import ChatPlan
from palaver.core.protocols import System
from palaver.studies.file.definition import Study
from palaver.studies.intake.trainings import Training
from palaver.studies.run.writing_visit import WritingTerms


@dataclass(frozen=True, slots=True)
class RunningStudy:
    """A study with its row in the store and its systems built."""

    definition: Study
    id: int
    systems: Mapping[str, System]
    # Which version of its file this is.
    version: int = 0
    # How long they take, over all stages.
    latencies: Latencies = field(default_factory=Latencies)
    # By the stage's place in the study.
    plans: dict[int, ChatPlan] = field(default_factory=dict)
    writing: dict[int, WritingTerms] = field(default_factory=dict)
    rates: dict[int, RatePlan] = field(default_factory=dict)
    screens: dict[int, ScreenPlan] = field(default_factory=dict)
    trainings: dict[int, Training] = field(default_factory=dict)
    # Set once everything that is to be judged is in the store.
    taken_in: asyncio.Event = field(default_factory=asyncio.Event)
    # Set once it is known here that the study's rule has stopped it.
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        return self.definition.name
