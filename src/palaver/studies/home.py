"""The home: the folder that holds a deployment's state.

A command is told a path (what it is about) and `--home` (where the state is). The home is `--home`;
else the path, if that is a folder with state and without a study; else `PALAVER_HOME`; else the
nearest folder at or above the path that is one; else the path's own folder. Where a command takes no
path the current folder stands for it. `PALAVER_DATABASE_URL` puts the state into PostgreSQL instead.

A process that serves a home writes down in it at which address.
"""

import fcntl
import os
import shlex
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError
from palaver.evaluation.home import FILE as SETTINGS
from palaver.storage.audit.checkpoints import KEY_FILE

DATABASE = "palaver.db"
STUDY_FILE = "study.yaml"
# One for each port: on PostgreSQL several processes may serve one home.
ADDRESS = "palaver.lock-"


@dataclass(frozen=True, slots=True)
class Home:
    """Where state is kept: a folder, and the address of its database."""

    folder: Path
    database_url: str

    def describe(self) -> str:
        """Where things are stored, in words; without passwords."""
        if self.is_file:
            return str(self.folder / DATABASE)
        scheme, _, rest = self.database_url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    @property
    def is_file(self) -> bool:
        """Whether the state is one file, which one process serves at a time."""
        return self.database_url.startswith("sqlite")

    @property
    def exists(self) -> bool:
        """Whether something has been stored here."""
        return not self.is_file or (self.folder / DATABASE).exists()

    def make(self) -> None:
        """Make the folder, closed to others, if it is not there."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def exposure(self) -> str:
        """What of this home others on this machine can read, and how to close it; "" if nothing."""
        exposed = [path for path in _state_files(self.folder) if _is_open(path)]
        if not exposed:
            return ""
        names = " ".join(shlex.quote(str(path)) for path in exposed)
        return (
            f"Others on this machine can read what is stored in {self.folder} (and could act for "
            f"anybody with its keys). Close it: chmod -R go-rwx {names}"
        )

    @contextmanager
    def served_at(self, address: str, port: int) -> Iterator[None]:
        """Write down that this home is served at an address, for as long as it is.

        Where nothing can be written, as beside studies that are mounted for reading, it goes unsaid.
        """
        file = self.folder / f"{ADDRESS}{port}"
        with ExitStack() as held:
            with suppress(OSError):
                note = held.enter_context(file.open("a+", encoding="utf-8"))
                # Held until the process ends, however it ends: a note without a lock is an old one.
                fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
                note.truncate(0)
                note.write(address)
                note.flush()
                held.callback(file.unlink, missing_ok=True)
            yield

    def addresses(self) -> list[str]:
        """The addresses at which this home is being served, the newest first."""
        notes = sorted(self.folder.glob(f"{ADDRESS}*"), key=_changed, reverse=True)
        return [address for note in notes if (address := _address_in(note))]


def find_home(path: Path | None, given: Path | None = None) -> Home:
    """The home for what lies at `path`, or for the current folder; `given` is what `--home` says.

    InputError where path and `--home` are two homes, or where a home is a file.
    """
    own = path if path is not None and is_bare_home(path) else None
    if own is not None and given is not None and own.resolve() != given.resolve():
        raise InputError(
            f"{own} is a home, but --home names another one, {given}. Leave one of them out."
        )
    start = path or Path.cwd()
    folder = given or own or _from_environment() or _nearest(start) or _folder_of(start)
    if folder.is_file():
        raise InputError(f"A home is a folder; {folder} is a file.")
    url = os.environ.get("PALAVER_DATABASE_URL") or f"sqlite:///{folder.resolve() / DATABASE}"
    return Home(folder, url)


def existing_home(path: Path | None, given: Path | None = None, *, first: str = "") -> Home:
    """The home for what lies at `path`; InputError if nothing was stored there yet.

    `first` says what stores something there.
    """
    home = find_home(path, given)
    if not home.exists:
        advice = first or f"Serve the study first (palaver serve {path})"
        raise InputError(
            f"Nothing is stored at {home.describe()} yet. {advice}, or name the home with --home."
        )
    return home


def is_bare_home(path: Path) -> bool:
    """Whether a folder holds state or settings of a home, and no study."""
    if not path.is_dir() or any(path.glob(STUDY_FILE)) or any(path.glob(f"*/{STUDY_FILE}")):
        return False
    return (path / SETTINGS).is_file() or (path / DATABASE).is_file()


def _state_files(folder: Path) -> list[Path]:
    """What of a home others must not read: its files, and the folder where it holds nothing else."""
    files = [*folder.glob(f"{DATABASE}*"), *folder.glob("palaver-*.db"), folder / KEY_FILE]
    found = [path for path in (*files, folder / "objects") if path.exists()]
    return [folder] if found and is_bare_home(folder) and _is_open(folder) else found


def _is_open(path: Path) -> bool:
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:
        return False


def _address_in(note: Path) -> str:
    """The address in a note; nothing if whoever wrote it is gone."""
    try:
        with note.open(encoding="utf-8") as written:
            try:
                fcntl.flock(written, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return written.read().strip()
    except OSError:  # it went away meanwhile, or belongs to somebody else
        pass
    return ""


def _changed(note: Path) -> float:
    try:
        return note.stat().st_mtime
    except OSError:
        return 0.0


def _from_environment() -> Path | None:
    given = os.environ.get("PALAVER_HOME")
    return Path(given) if given else None


def _nearest(start: Path) -> Path | None:
    here = _folder_of(start).resolve()
    return next((f for f in (here, *here.parents) if (f / DATABASE).is_file()), None)


def _folder_of(start: Path) -> Path:
    return start if start.is_dir() or not start.exists() else start.parent
