"""What a command was pointed at: a table, a study with its home, or a bundle."""

import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from palaver.analysis.behaviour import Flag
from palaver.core.errors import InputError, StudyError
from palaver.core.garbage import uncollected
from palaver.core.questions.question import Question
from palaver.core.registry import near
from palaver.core.studies.progress import StoredStudy
from palaver.reports.opened_bundle import open_bundle
from palaver.storage import Store
from palaver.storage.people.rater_work import raters_of
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study, study_files
from palaver.studies.home import existing_home
from palaver.studies.recruiting.money.costs import StudyCosts, read_costs
from palaver.studies.review.behaviour import flagged_raters
from palaver.studies.review.evidence import (
    RATING_COLUMNS,
    Asked,
    StudyEvidence,
    study_evidence,
)
from palaver.studies.review.outcomes import StudyOutcomes, study_outcomes
from palaver.studies.review.questions import stored_questions
from palaver.studies.review.raters import RaterList, kind_of, rater_overviews


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study and its store; `definition` is None where its file is not here or cannot be read."""

    store: Store
    stored: StoredStudy
    definition: Study | None
    folder: Path

    @property
    def questions(self) -> dict[str, Question]:
        """The questions by name: as they were served, and as the file has them now."""
        served = stored_questions(self.stored.definition)
        return served if self.definition is None else served | self.definition.questions

    def raters(self, *, raters: str = "all") -> RaterList:
        """Who judged, all or one kind of them, with what they did and what stands out."""
        questions = self.questions
        return RaterList(
            self.store.read_now(
                lambda c: rater_overviews(c, self.stored.id, questions, raters=raters)
            )
        )

    def rater_names(self) -> dict[str, str]:
        """What people call each rater of the study, by key."""
        known = self.store.read_now(lambda c: raters_of(c, self.stored.id))
        return {rater.key: rater.name for rater in known.values()}

    def flagged(self) -> dict[str, tuple[Flag, ...]]:
        """Those who count although something stands out in how they worked, and what."""
        questions = self.questions
        with uncollected():
            return self.store.read_now(lambda c: flagged_raters(c, self.stored.id, questions))

    def costs(self) -> StudyCosts | None:
        """What the study cost; None where its file is not here, or says nothing of pay."""
        study = self.definition
        if study is None:
            return None
        return self.store.read_now(lambda c: read_costs(c, self.stored.id, study))

    def outcomes(self) -> StudyOutcomes:
        """Who talked in the dialogues that the study held or judges, and what came of them."""
        return self.store.read_now(lambda c: study_outcomes(c, self.stored.id))

    def evidence(
        self,
        *,
        raters: str = "all",
        sections: Sequence[str] = (),
        asked: Asked | None = None,
        columns: Collection[str] = RATING_COLUMNS,
    ) -> StudyEvidence:
        """The answers that count, of all raters or of one kind (`person`, `model`, …).

        `sections` leaves those of some sections of released data, `asked` those to some questions,
        `columns` some columns of ratings: see `study_evidence`.
        """
        questions = self.questions
        with uncollected():
            return self.store.read_now(
                lambda connection: study_evidence(
                    connection,
                    study_id=self.stored.id,
                    name=self.stored.name,
                    questions=questions,
                    kind=kind_of(raters),
                    sections=sections,
                    asked=asked,
                    columns=columns,
                )
            )


def is_study(path: Path) -> bool:
    """Whether a path is a study, a folder of studies, a home or a bundle, and not a table."""
    return path.is_dir() or path.suffix in {".yaml", ".yml"} or is_bundle(path)


def is_bundle(path: Path) -> bool:
    return path.is_file() and zipfile.is_zipfile(path)


@contextmanager
def opened_study(
    path: Path, *, study: str | None = None, home: Path | None = None
) -> Iterator[OpenStudy]:
    """The study at `path`: its folder or file, a folder of studies or a home, or a bundle."""
    if is_bundle(path):
        with tempfile.TemporaryDirectory(prefix="palaver-open-") as folder:
            database = open_bundle(path, Path(folder) / "bundle")
            with opened_store(f"sqlite:///{database}", database.parent / "studies", study) as found:
                yield found
        return
    if not path.exists():
        raise InputError(f"There is nothing at {path}; give a study, a bundle or a table.")
    with opened_store(existing_home(path, home).database_url, path, study) as found:
        yield found


@contextmanager
def opened_store(url: str, folder: Path, study: str | None) -> Iterator[OpenStudy]:
    """A study of the store at a database's address; its definition lies in `folder`, if anywhere."""
    definitions = {definition.name: definition for definition in _definitions(folder)}
    store = Store(url, read_only=url.startswith("sqlite"))
    try:
        known = {each.name: each for each in store.read_now(list_studies)}
        wanted = study or _only(known, definitions)
        if wanted not in known:
            hint = near(wanted, known) or f" Known: {', '.join(known) or 'none'}."
            raise InputError(f"There is no study '{wanted}' in this store.{hint}")
        yield OpenStudy(store, known[wanted], definitions.get(wanted), folder)
    finally:
        store.close()


def _only(known: dict[str, StoredStudy], definitions: dict[str, Study]) -> str:
    named = [name for name in definitions if name in known] or list(known)
    if len(named) == 1:
        return named[0]
    if not named:
        raise InputError("Nothing has been stored here yet: the store has no study.")
    raise InputError(f"There are several studies here; name one with --study: {', '.join(named)}.")


def _definitions(folder: Path) -> Iterator[Study]:
    """The studies that lie here and can be read."""
    try:
        files = study_files(folder)
    except StudyError:
        return
    for file in files:
        try:
            yield load_study(file)
        except StudyError:
            continue
