"""Who is to be told: what a study file may say of it, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from palaver.studies.file.reader import read_study
from support.recruiting import write_study


def problems(folder: Path, **notify: Any) -> list[str]:
    """What is wrong with a study file that says this, warnings left out."""
    write_study(folder)
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("notify:\n" + "".join(f"  {key}: {value}\n" for key, value in notify.items()))
    return [str(each) for each in read_study(folder).problems if not each.warning]


def test_letters_and_a_hook_are_taken(tmp_path: Path) -> None:
    hook = "https://lab.example/x?key=1"
    assert problems(tmp_path, mail="[ada@example.org]", hook=hook, of="[money]") == []


def test_a_hook_without_a_secret_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
    write_study(tmp_path)
    with (tmp_path / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("notify: {hook: 'https://lab.example/x'}\n")
    (warning,) = (each for each in read_study(tmp_path).problems if "secret" in each.message)
    assert warning.warning
    monkeypatch.setenv("PALAVER_NOTICES_SECRET", "a-word")
    assert not any("secret" in each.message for each in read_study(tmp_path).problems)


@pytest.mark.parametrize(
    ("notify", "words"),
    [
        ({"of": "[money]"}, "Nobody is told"),
        ({"mail": "[ada]"}, "A mail address looks like name@example.org"),
        ({"mail": "['ada@example.org\\nBcc: bob@example.org']"}, "A mail address looks like"),
        ({"hook": "ftp://lab.example"}, "'hook' takes an address such as"),
        ({"hook": "https://ada:word@lab.example"}, "without a user"),
        ({"hook": "https://lab.example/\u202e"}, "'hook' takes an address such as"),
        ({"mail": "[ada@example.org]", "of": "[weather]"}, "weather"),
        ({"mail": "[ada@example.org]", "of": "[]"}, "Nothing is told"),
        ({"mail": "[ada@example.org]", "stuck_hours": 0}, "stuck_hours"),
    ],
)
def test_what_tells_nobody_or_somebody_else_is_refused(
    tmp_path: Path, notify: dict[str, Any], words: str
) -> None:
    assert words in " ".join(problems(tmp_path, **notify))
