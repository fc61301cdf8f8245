"""`palaver study` on a home: with a server or without one, the store decides."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.study.study_command import command
from palaver.core.errors import ConflictError, InputError
from palaver.storage import Store
from palaver.studies.file.reader import load_study
from palaver.studies.run.registered import register
from support.databases import new_sqlite
from support.seeding import NOW, STUDY


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a study that was served once."""
    folder = tmp_path / "pilot"
    folder.mkdir()
    text = "# ours\n" + STUDY.format(name="pilot", title="Pilot", needed=60)
    (folder / "study.yaml").write_text(text)
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    study = load_study(folder)
    store.write_now(lambda c: register(c, study, now=NOW))
    store.close()
    return tmp_path


def run(home: Path, *words: str) -> Result:
    name, *rest = words
    given = [name, str(home / "pilot"), *rest, "--home", str(home)]
    return CliRunner().invoke(command, given, catch_exceptions=False)


def test_a_study_is_paused_and_resumed(home: Path) -> None:
    assert "state    open" in run(home, "show").output
    assert "'pilot' is paused since" in run(home, "pause", "--reason", "budget").output
    shown = json.loads(run(home, "show", "--json").output)
    assert (shown["life"]["state"], shown["life"]["reason"]) == ("paused", "budget")
    assert run(home, "resume").output == "'pilot' is open.\n"
    with pytest.raises(ConflictError, match="Only a closed study"):
        run(home, "reopen")
    assert json.loads(run(home, "close", "--json").output)["state"] == "closed"


def test_small_edits_make_versions(home: Path) -> None:
    assert "Version 2 is served" in run(home, "places", "terse|chatty=80", "--note", "more").output
    made = run(home, "dates", "--closes", "2099-01-01 10:00", "--zone", "Europe/Berlin")
    assert "Version 3" in made.output
    text = (home / "pilot" / "study.yaml").read_text()
    assert text.startswith("# ours\n")
    assert "needed: 80" in text
    assert text.endswith("dates: {closes: 2099-01-01 10:00, zone: Europe/Berlin}\n")
    assert "more" in run(home, "versions").output
    assert "needed: 60 → 80" in run(home, "diff", "1", "2").output
    assert "Version 4" in run(home, "dates", "--closes", "").output
    assert "Version 5" in run(home, "apply", "--back-to", "1").output
    with pytest.raises(InputError, match="hands out no sheets"):
        run(home, "raters", "3", "--stage", "2")
    assert run(home, "places", "terse").exit_code == 2


def test_an_edited_file_is_applied_after_a_look(home: Path) -> None:
    file = home / "pilot" / "study.yaml"
    file.write_text(file.read_text().replace("needed: 60", "needed: 61"))
    looked = run(home, "apply", "--dry-run").output
    assert "needed: 60 → 61" in looked
    assert looked.endswith("This can be applied.\n")
    with pytest.raises(ConflictError, match="was edited on disk"):
        run(home, "places", "terse|chatty=70")
    assert "Version 2" in run(home, "apply", "--note", "one more").output
    assert "served already" in run(home, "apply", "--dry-run").output
    file.write_text("title: [")
    assert "study.yaml:1" in run(home, "apply", "--dry-run", "--study", "pilot").output
