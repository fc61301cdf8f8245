"""The home in `tests/snapshots/home`, rebuilt in a folder, and how commands are run on it."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.storage.engine.database import make_engines, migrate

MADE = Path(__file__).parent.parent / "snapshots" / "home"
TOKENS: dict[str, Any] = json.loads((MADE / "tokens.json").read_text(encoding="utf-8"))
STUDIES = sorted(path.parent.name for path in MADE.glob("*/study.yaml"))
# Of the owner, the reviewer and the viewer: olga, ruth and vera.
PASSWORD = "correct horse"
# What a user may have set that leads commands elsewhere.
SETTINGS = ("PALAVER_DATABASE_URL", "PALAVER_HOME", "PALAVER_PORT", "PALAVER_PUBLIC_URL")
_NOT_OF_THE_HOME = ("README.md", "palaver.sql", "tokens.json")


def rebuild_home(folder: Path) -> Path:
    """Make the home at `folder`, with its database."""
    shutil.copytree(MADE, folder, ignore=shutil.ignore_patterns(*_NOT_OF_THE_HOME))
    connection = sqlite3.connect(folder / "palaver.db")
    try:
        connection.executescript((MADE / "palaver.sql").read_text(encoding="utf-8"))
    finally:
        connection.close()
    # An older version wrote it.
    writing, reading = make_engines(f"sqlite:///{folder / 'palaver.db'}")
    migrate(writing)
    writing.dispose()
    reading.dispose()
    return folder


def run_palaver(*arguments: object, status: int = 0) -> str:
    """What a command prints on standard output; it must end as expected."""
    done = CliRunner().invoke(palaver, [str(each) for each in arguments])
    said = f"palaver {' '.join(map(str, arguments))}\n{done.output}\n{done.exception!r}"
    assert done.exit_code == status, said
    return done.stdout
