"""An `app_params.json` of CoCoA becomes a study, and every key is accounted for."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.cocoa_config import import_site
from support.cocoa import FRIENDS_SCENARIO
from support.games import offer_games

SITE: dict[str, Any] = {
    "status_params": {
        "waiting": {"num_seconds": 180},
        "chat": {"num_seconds": 300},
        "finished": {"num_seconds": 15},
        "survey": {"num_seconds": -1},
    },
    "connection_timeout_num_seconds": 3,
    "idle_timeout_num_seconds": 210,
    "templates_dir": "templates",
    "instructions": "pages/how.html",
    "task_title": "Find your Friend",
    "icon": "handshake.jpg",
    "end_survey": 1,
    "quit_after": 301,
    "num_chats_per_scenario": {"human": 1, "rulebased": 2, "lstm": 3},
    "models": {
        "rulebased": {"active": True, "type": "rulebased"},
        "lstm": {"active": True, "type": "neural", "checkpoint": "m.pt"},
        "old": {"active": False, "type": "neural"},
    },
    "colour": "green",
}


@pytest.fixture(autouse=True)
def _offered(monkeypatch: pytest.MonkeyPatch) -> None:
    offer_games(monkeypatch)


def written(folder: Path, **changed: Any) -> Path:
    """The file of a site, with its instructions where CoCoA was started."""
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    (pages / "how.html").write_text("<h2>Talk</h2><p>Be <b>brief</b>.</p>", encoding="utf-8")
    (folder / "web").mkdir(exist_ok=True)
    site = {key: value for key, value in {**SITE, **changed}.items() if value is not None}
    file = folder / "web" / "app_params.json"
    file.write_text(json.dumps(site), encoding="utf-8")
    return file


def test_a_site_becomes_a_study(tmp_path: Path) -> None:
    target = tmp_path / "study"
    report = import_site(written(tmp_path), target, game="number_guess")
    study = load_study(target)
    chat = study.chat
    assert chat is not None
    assert (study.title, study.name) == ("Find your Friend", "find-your-friend")
    assert study.instructions is not None
    assert "**brief**" in study.instructions
    assert [(c.name, c.per_scenario) for c in chat.conditions] == [
        ("rulebased", 2),
        ("lstm", 3),
        ("people", 1),
    ]
    limits = chat.limits
    assert (limits.waiting, limits.dialogue, limits.idle, limits.message) == (180, 300, 210, 210)
    assert limits.disconnect == 3
    assert (chat.arrangement, chat.partner_leaves, chat.game.name) == (
        "people",
        "again",
        "number_guess",
    )
    assert study.systems["rulebased"].options["class"] == "number_guess.bots:Teller"
    assert study.systems["lstm"].kind == "unconfigured"
    assert [stage.kind for stage in study.stages] == ["chat", "rate"]
    assert ["lstm" in line for line in report.unconfigured] == [True]
    lost = {key for key, _ in report.without}
    assert {"status_params.finished", "status_params.survey", "icon", "quit_after"} <= lost
    assert {"templates_dir", "colour"} <= lost
    assert (target / "import-report.md").read_text(encoding="utf-8") == report.text()


@pytest.mark.parametrize(("written_as", "each"), [(3, 3), (None, 1)])
def test_the_legacy_shapes_of_the_quota(tmp_path: Path, written_as: object, each: int) -> None:
    models = {"rulebased": {"active": True, "type": "rulebased"}}
    file = written(tmp_path, num_chats_per_scenario=written_as, models=models, end_survey=0)
    import_site(file, tmp_path / "study", game="number_guess")
    study = load_study(tmp_path / "study")
    assert study.chat is not None
    assert [(c.name, c.per_scenario) for c in study.chat.conditions] == [("rulebased", each)]
    assert (study.chat.arrangement, len(study.stages)) == ("system", 1)


def test_a_limit_of_minus_one_is_none(tmp_path: Path) -> None:
    file = written(tmp_path, status_params={"chat": {"num_seconds": -1}})
    import_site(file, tmp_path / "study", game="number_guess")
    chat = load_study(tmp_path / "study").chat
    assert chat is not None
    assert chat.limits.dialogue is None


def test_what_is_missing_stops_the_server_and_not_the_import(tmp_path: Path) -> None:
    import_site(written(tmp_path, instructions="gone.html"), tmp_path / "s", game="number_guess")
    told = [problem.message for problem in check_study(tmp_path / "s")]
    assert any("put a system of your own here" in message for message in told)
    assert any("'per_scenario' needs scenarios" in message for message in told)
    report = (tmp_path / "s" / "import-report.md").read_text(encoding="utf-8")
    assert "there is no gone.html beside the file or above it" in report


@pytest.mark.parametrize(
    ("site", "said"),
    [
        ("[]", "expected one JSON object"),
        ("{", "is not JSON"),
        ('{"instructions": "a.html"}', "task_title"),
        ('{"task_title": "T", "instructions": "a", "models": {"x": 3}}', "models"),
        ('{"task_title": "T", "instructions": "a", "num_chats_per_scenario": -1}', "num_chats"),
    ],
)
def test_a_file_that_is_no_site_is_refused(tmp_path: Path, site: str, said: str) -> None:
    file = tmp_path / "app_params.json"
    file.write_text(site, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        import_site(file, tmp_path / "study", game="number_guess")
    assert not (tmp_path / "study").exists()


def test_the_game_must_be_known(tmp_path: Path) -> None:
    file = written(tmp_path)
    with pytest.raises(InputError, match="--scenarios FILE"):
        import_site(file, tmp_path / "study")
    with pytest.raises(UnknownNameError, match="Near: 'number_guess'"):
        import_site(file, tmp_path / "study", game="number_gues")
    scenarios = tmp_path / "scenarios.json"
    scenarios.write_text(json.dumps([FRIENDS_SCENARIO]), encoding="utf-8")
    with pytest.raises(InputError, match="has scenarios of 'mutual_friends'"):
        import_site(file, tmp_path / "study", scenarios=scenarios, game="number_guess")
