"""Secrets of panels: from the environment, else from one file that only its owner can read.

They stand in no study folder, in no database, in no export and in no log, and no page shows them again.
The file holds lines `NAME=value`; where it lies, `PALAVER_SECRETS` says.
"""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal

from palaver.core.errors import InputError

FILE = "PALAVER_SECRETS"
PROLIFIC_TOKEN = "PALAVER_PROLIFIC_TOKEN"
PROLIFIC_HOOK = "PALAVER_PROLIFIC_HOOK_SECRET"
# What notices by hook are signed with.
NOTICES = "PALAVER_NOTICES_SECRET"
NAMES = (PROLIFIC_TOKEN, PROLIFIC_HOOK, NOTICES)
MOST = 4096

Source = Literal["environment", "file"]


@dataclass(frozen=True, slots=True)
class KnownSecret:
    """That a secret is set, and where; never what it is."""

    name: str
    source: Source


def secrets_file() -> Path:
    """The file that holds secrets, whether it is there or not."""
    given = os.environ.get(FILE, "")
    if given:
        return Path(given).expanduser()
    config = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(config) if config else Path.home() / ".config") / "palaver" / "secrets"


def read_secret(name: str) -> str | None:
    """A secret; None if it is not set. InputError if others can read the file that holds it."""
    return os.environ.get(name) or _in_file().get(name) or None


def known_secret(name: str) -> KnownSecret | None:
    """Whether a secret is set, and where."""
    if os.environ.get(name):
        return KnownSecret(name, "environment")
    return KnownSecret(name, "file") if _in_file().get(name) else None


def write_secret(name: str, value: str) -> KnownSecret:
    """Put a secret into the file, in place of an older one; the file is closed to others.

    InputError if the environment sets it, which would win, or if the file cannot be written.
    """
    given = value.strip()
    if not given or len(given) > MOST or not given.isprintable() or " " in given:
        raise InputError(
            "A token is one word of printable characters; copy it as the panel shows it. Nothing "
            "was stored."
        )
    _check_not_set(name)
    _replace({**_in_file(), name: given})
    return KnownSecret(name, "file")


def forget_secret(name: str) -> bool:
    """Take a secret out of the file; False if it was not there.

    InputError if the environment sets it.
    """
    _check_not_set(name)
    known = _in_file()
    if name not in known:
        return False
    _replace({key: value for key, value in known.items() if key != name})
    return True


def _check_not_set(name: str) -> None:
    if os.environ.get(name):
        raise InputError(
            f"The environment variable {name} sets this, and wins over the file. Change it there. "
            "Nothing was stored."
        )


def _in_file() -> dict[str, str]:
    file = secrets_file()
    try:
        if not file.is_file():
            return {}
        _check_closed(file)
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file of secrets, {file}, cannot be read: {error}.") from error
    pairs = (line.partition("=") for line in lines if not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


def _check_closed(file: Path) -> None:
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise InputError(
            f"Others on this machine can read the file of secrets. Close it: chmod 600 {file}"
        )


def _replace(values: dict[str, str]) -> None:
    file = secrets_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made with mode 600, and in place of the old one at once.
        with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as new:
            try:
                new.writelines(f"{name}={value}\n" for name, value in values.items())
                new.flush()
                os.fsync(new.fileno())
                Path(new.name).replace(file)
            except BaseException:
                with suppress(OSError):
                    Path(new.name).unlink()
                raise
    except OSError as error:
        raise InputError(
            f"The secret was not stored: {file} cannot be written ({error.strerror}). Set {FILE} to "
            "a file that can, or set the secret in the environment."
        ) from error
