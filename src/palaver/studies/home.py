"""The home: the folder that holds a deployment's state.

It is `--home`, else `PALAVER_HOME`, else the nearest folder at or above the study that is one, else
the study's own folder. `PALAVER_DATABASE_URL` puts the state into PostgreSQL instead.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError

DATABASE = "palaver.db"


@dataclass(frozen=True, slots=True)
class Home:
    """Where state is kept: a folder, and the address of its database."""

    folder: Path
    database_url: str

    def describe(self) -> str:
        """Where things are stored, in words; without passwords."""
        if self.database_url.startswith("sqlite"):
            return str(self.folder / DATABASE)
        scheme, _, rest = self.database_url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    @property
    def exists(self) -> bool:
        """Whether something has been stored here."""
        return not self.database_url.startswith("sqlite") or (self.folder / DATABASE).exists()


def find_home(start: Path, given: Path | None = None) -> Home:
    """The home for what lies at `start`."""
    folder = given or _from_environment() or _nearest(start) or _folder_of(start)
    url = os.environ.get("PALAVER_DATABASE_URL") or f"sqlite:///{folder.resolve() / DATABASE}"
    return Home(folder, url)


def existing_home(start: Path, given: Path | None = None) -> Home:
    """The home for what lies at `start`; InputError if nothing was stored there yet."""
    home = find_home(start, given)
    if not home.exists:
        raise InputError(
            f"Nothing is stored at {home.describe()} yet. Serve the study first "
            f"(palaver serve {start}), or name the home with --home."
        )
    return home


def _from_environment() -> Path | None:
    given = os.environ.get("PALAVER_HOME")
    return Path(given) if given else None


def _nearest(start: Path) -> Path | None:
    here = _folder_of(start).resolve()
    return next((f for f in (here, *here.parents) if (f / DATABASE).is_file()), None)


def _folder_of(start: Path) -> Path:
    return start if start.is_dir() or not start.exists() else start.parent
