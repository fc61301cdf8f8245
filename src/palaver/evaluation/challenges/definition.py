"""The challenge file as a typed challenge: the door between YAML and everything that holds one.

`load_challenge` reads a file, the pages it names included, and gives back a `Challenge`, or raises
StudyError with every problem, its line and column. What is stored is the challenge as JSON, with its
texts; only shared files stay in the folder of the challenge.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from pydantic import ValidationError

from palaver.core.errors import InputError, StudyError
from palaver.core.evaluation.challenges import (
    PAGES,
    Challenge,
    Phase,
    Registration,
    SharedFile,
    Track,
    stored_definition,
)
from palaver.core.evaluation.dataset_names import normal_name
from palaver.evaluation.challenges.consistency import meaning_problems
from palaver.evaluation.challenges.file_parts import (
    MOST_TEXT,
    ChallengeEntry,
    PhaseEntry,
    TrackEntry,
    is_file_name,
)
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem, place_problems, pydantic_problems
from palaver.formats.marked_yaml import Marked, read_marked

__all__ = [
    "ChallengeFile",
    "challenge_digest",
    "challenge_json",
    "inside",
    "load_challenge",
    "read_challenge_file",
    "stored_definition",
]

FINAL_RUNS = 3


@dataclass(frozen=True, slots=True)
class ChallengeFile:
    """A challenge file that makes sense, and where each part of it stands."""

    challenge: Challenge
    folder: Path
    marked: Marked

    def refuse(self, problems: Iterable[KeyProblem]) -> None:
        """Raise StudyError with the places of these problems, if there are any."""
        placed = place_problems(self.marked, problems)
        if placed:
            raise StudyError(placed)


def load_challenge(file: Path) -> Challenge:
    """The challenge in a YAML file; StudyError with every problem otherwise."""
    return read_challenge_file(file).challenge


def read_challenge_file(file: Path) -> ChallengeFile:
    """The challenge in a YAML file, with the places of its parts; StudyError with every problem."""
    marked = read_marked(file)
    folder = file.resolve().parent
    try:
        entry = ChallengeEntry.model_validate(marked.data)
    except ValidationError as error:
        problems = pydantic_problems(error, ChallengeEntry)
        raise StudyError(place_problems(marked, problems)) from error
    texts = _ChallengeTexts(folder)
    challenge = _challenge(entry, texts)
    found = ChallengeFile(challenge, folder, marked)
    found.refuse(
        [*texts.problems, *_file_problems(challenge, folder), *meaning_problems(challenge)]
    )
    return found


def challenge_json(challenge: Challenge) -> str:
    """The challenge as it is stored."""
    return msgspec.json.encode(challenge).decode()


def challenge_digest(challenge: Challenge) -> str:
    """SHA-256 of what the challenge says."""
    content = msgspec.json.encode(challenge, order="deterministic")
    return hashlib.sha256(content).hexdigest()


def inside(folder: Path, path: str) -> Path | None:
    """Where a path below a folder lies; None if it leads out of it."""
    place = (folder / path).resolve()
    return place if place.is_relative_to(folder.resolve()) else None


class _ChallengeTexts:
    """Texts of a challenge: as the file says them, or out of the files that it names."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[KeyProblem] = []
        self._folder = folder

    def read(self, given: str, steps: Steps) -> str:
        """The text; what is wrong with its file is noted."""
        try:
            text = self._content(given) if is_file_name(given) else given
        except InputError as error:
            self.problems.append(KeyProblem(steps, str(error)))
            return ""
        if len(text) > MOST_TEXT:
            told = f"A text has at most {MOST_TEXT:,} characters; this one has {len(text):,}."
            self.problems.append(KeyProblem(steps, told))
        return text.replace("\r\n", "\n").strip()

    def _content(self, given: str) -> str:
        place = inside(self._folder, given.strip())
        if place is None:
            raise InputError(f"'{given}' lies outside the folder of the challenge. Move it inside.")
        try:
            return place.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"'{given}' is not UTF-8 text.") from error
        except OSError as error:
            raise InputError(
                f"There is no file '{given}' that can be read beside the challenge file "
                f"({error.strerror or error})."
            ) from error


def _challenge(entry: ChallengeEntry, texts: _ChallengeTexts) -> Challenge:
    pages = {
        name: texts.read(entry.pages[name], ("pages", name))
        for name in PAGES
        if name in entry.pages
    }
    coming = entry.registration
    return Challenge(
        name=entry.name,
        title=entry.title or entry.name,
        summary=entry.summary.strip(),
        contact=entry.contact,
        pages=pages,
        terms=texts.read(entry.terms, ("terms",)),
        registration=Registration(
            approval=coming.approval,
            opens=coming.opens,
            closes=coming.closes,
            most_members=coming.members,
        ),
        tracks=tuple(_track(name, each, entry) for name, each in entry.tracks.items()),
        phases=tuple(
            _phase(name, each, alone=len(entry.phases) == 1) for name, each in entry.phases.items()
        ),
        files=tuple(
            SharedFile(
                name=name,
                title=each.title or name,
                about=each.about,
                since=each.since,
                path=each.file,
            )
            for name, each in entry.files.items()
        ),
        most_runs=entry.runs,
        final_runs=min(FINAL_RUNS, entry.runs) if entry.final_runs is None else entry.final_runs,
    )


def _track(name: str, entry: TrackEntry, whole: ChallengeEntry) -> Track:
    data = entry.data
    by_phase = dict.fromkeys(whole.phases, data) if isinstance(data, str) else dict(data)
    return Track(
        name=name,
        title=entry.title or name,
        task=entry.task,
        language=entry.language,
        about=entry.about,
        # Under the name that the data set has or will get.
        datasets={phase: normal_name(given) or given for phase, given in by_phase.items()},
        takes=entry.takes,
        judged=dict(entry.judged),
    )


def _phase(name: str, entry: PhaseEntry, *, alone: bool) -> Phase:
    halves = entry.halves
    return Phase(
        name=name,
        title=entry.title or name,
        opens=entry.opens,
        closes=entry.closes,
        late_hours=entry.late_hours,
        most_submissions=entry.submissions,
        submission_hours=entry.hours,
        sights=entry.sights,
        public_share=0.0 if halves is None else halves.public,
        final_part="all" if halves is None else halves.final,
        is_final=alone if entry.final is None else entry.final,
        asks=entry.asks,
    )


def _file_problems(challenge: Challenge, folder: Path) -> Iterator[KeyProblem]:
    for shared in challenge.files:
        steps = ("files", shared.name, "file")
        place = inside(folder, shared.path)
        if place is None:
            told = f"'{shared.path}' lies outside the folder of the challenge. Move it inside."
            yield KeyProblem(steps, told)
        elif not place.is_file():
            yield KeyProblem(steps, f"There is no file '{shared.path}' beside the challenge file.")
