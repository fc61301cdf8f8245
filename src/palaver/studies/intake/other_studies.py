"""What a rate stage judges `from` another study: what was held there, and what was imported into it.

A stage whose source has nothing, and will have nothing, would send every rater away unheard;
`palaver check` warns of it, and `palaver serve` does not start.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.collection.limits import HELD
from palaver.core.dialogue import IMPORTED
from palaver.core.errors import Problem, StudyError
from palaver.core.evaluation.rounds import Round
from palaver.core.registry import near
from palaver.core.studies.progress import StoredStudy
from palaver.formats.key_problems import KeyProblem, place_problems
from palaver.formats.marked_yaml import parse_marked, read_marked
from palaver.storage.evaluation.rounds import rounds_of_study
from palaver.storage.judging.sheets import count_sheets
from palaver.storage.studies.imports import finished_groups
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.stages import ChatStage, RateStage, WriteStage

# Endings after which a dialogue can be judged.
JUDGED = HELD | {IMPORTED}
# Stages in which dialogues are held.
COLLECTING = frozenset({ChatStage.kind, WriteStage.kind})
# A stage that no study has: none of its sheets shows anything yet.
_NOWHERE = (-1, -1)


def source_rounds(connection: Connection, study: str) -> list[Round]:
    """The rounds of a study by its name; none where nobody writes there."""
    ids = [each.id for each in list_studies(connection) if each.name == study]
    return rounds_of_study(connection, ids[0]) if ids else []


def placed_source_problems(
    connection: Connection, study: Study, served: Mapping[str, Study]
) -> list[Problem]:
    """The same as `source_problems`, with their lines in the study's file."""
    found = list(source_problems(connection, study, served))
    return place_problems(read_marked(study.file), found) if found else []


def source_problems(
    connection: Connection, study: Study, served: Mapping[str, Study]
) -> Iterator[KeyProblem]:
    """A warning for every stage that judges a study in which there is nothing to judge.

    `served` are the studies that are served together.
    """
    stored = {each.name: each for each in list_studies(connection)}
    for index, stage in enumerate(study.stages):
        if not isinstance(stage, RateStage) or stage.source is None:
            continue
        own = stored.get(study.name)
        if own and count_sheets(connection, own.id, index, "real"):
            continue  # it had something to judge, and that is still to be seen
        nothing = _Nothing(connection, stored, served)
        if message := nothing.words(stage.source, compares=_compares(study, stage)):
            yield KeyProblem(("stages", index, "rate", "from"), message, warning=True)


@dataclass(frozen=True, slots=True)
class _Nothing:
    """Why a study gives nothing to judge, neither now nor later."""

    connection: Connection
    stored: Mapping[str, StoredStudy]
    served: Mapping[str, Study]

    def words(self, name: str, *, compares: bool) -> str:
        """The reason in a sentence; empty if there is something, or will be."""
        if name not in self.served and name not in self.stored:
            hint = near(name, [*self.served, *self.stored])
            return (
                f"No study '{name}' is served together with this one or stored in this home, so "
                f"there is nothing to judge.{hint}"
            )
        if self._collects(name) or self._holds(name, compares):
            return ""
        what = "two conversations of one person to compare" if compares else "conversation to judge"
        return (
            f"The study '{name}' holds no {what} and has no chat stage to collect one. Import "
            "dialogues into it (palaver import), or name their file with 'data'."
        )

    def _collects(self, name: str) -> bool:
        if name in self.served:
            return any(isinstance(stage, ChatStage) for stage in self.served[name].stages)
        return _is_written_to_collect(self.stored[name].definition)

    def _holds(self, name: str, compares: bool) -> bool:
        return bool(
            finished_groups(
                self.connection,
                study=name,
                judged_in=_NOWHERE,
                reasons=JUDGED,
                together=compares,
                limit=1,
            )
        )


def _compares(study: Study, stage: RateStage) -> bool:
    return any(study.questions[name].about == "pair" for name in stage.ask)


def _is_written_to_collect(definition: str) -> bool:
    """Whether the stored file of a study has a stage that collects: another process may serve it."""
    try:
        stages = parse_marked(definition.encode(), file="study").data.get("stages")
    except StudyError:
        return False
    entries = stages if isinstance(stages, list) else []
    return any(isinstance(entry, dict) and COLLECTING & entry.keys() for entry in entries)
