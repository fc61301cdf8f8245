"""A folder to start a challenge from: a commented file with dates to come, and its pages."""

from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

from palaver.core.deadlines import AOE
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.evaluation.challenges.definition import load_challenge
from palaver.evaluation.challenges.file_parts import part_name
from palaver.evaluation.tasks import builtin_names

FOLDER = files("palaver.evaluation.challenges") / "starter"
FILE = "challenge.yaml"
# In how many days from today each date of the file is, and at what time.
DATES = {
    "REGISTRATION": (60, "23:59"),
    "PRACTICE_OPENS": (7, "00:00"),
    "PRACTICE_CLOSES": (59, "23:59"),
    "FINAL_OPENS": (60, "00:00"),
    "FINAL_CLOSES": (74, "23:59"),
    "RESULTS": (81, "00:00"),
    "PUBLISHED": (88, "00:00"),
}


def write_starter(name: str, folder: Path, *, task: str, now: float) -> list[Path]:
    """Write the files of a challenge called `name`; InputError if that is no name, or they are there."""
    try:
        part_name(name)
    except ValueError as error:
        raise InputError(str(error)) from None
    if task not in builtin_names() and near(task, builtin_names()):
        raise InputError(f"No task '{task}' is built in.{near(task, builtin_names())}")
    texts = {each.name: each.read_text(encoding="utf-8") for each in FOLDER.iterdir()}
    texts[FILE] = _filled(texts[FILE], name=name, task=task, now=now)
    places = [folder / each for each in sorted(texts, key=lambda each: (each != FILE, each))]
    for place in places:
        if place.exists():
            raise InputError(f"{place} would be overwritten. Name another folder with -o.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place in places:
            place.write_text(texts[place.name], encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.") from error
    load_challenge(folder / FILE)
    return places


def _filled(text: str, *, name: str, task: str, now: float) -> str:
    today = datetime.fromtimestamp(now, AOE)
    for word, (days, clock) in DATES.items():
        day = today + timedelta(days=days)
        text = text.replace(f"{word} AoE", f"{day:%Y-%m-%d} {clock} AoE")
    return text.replace("name: NAME", f"name: {name}").replace("task: TASK", f"task: {task}")
