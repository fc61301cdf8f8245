"""A first study to copy and change, one for each kind that there is; and the demonstration."""

import itertools
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.registry import near
from palaver.core.words import shortened
from palaver.games.game import GAMES, Game

STUDY_FILE = "study.yaml"
STARTER_FILES = (STUDY_FILE, "exchanges.jsonl")
# The study of which a new one is made where nobody says otherwise.
USUAL = "compare"
COMPARE = "people chat with two systems, blind, and say which is better"
LONGEST_TITLE = 200
# Each is a folder beside that of the first.
STARTERS = {
    "one-system": "people chat with one system and rate it",
    "people": "two people talk with each other and say how it was",
    "judging": "people judge conversations from a file, with a hidden check",
    "annotation": "people practise a label, and who passes annotates conversations turn by turn",
    "responses": "people judge what systems said next in the same contexts",
}
ROUND_FILES = (STUDY_FILE, "models.yaml", "situations.jsonl", "training.jsonl")
ROUND = "models advise people in real situations, and raters compare it with people's advice"
LOOP_FILES = ("write/study.yaml", "write/contexts.jsonl", "validate/study.yaml")
LOOP = "people write what a model gets wrong, and others check it: two studies in one folder"
# The game that the demonstration offers, by its template; another one where it is not installed.
DEMONSTRATED = "deal"


@dataclass(frozen=True, slots=True)
class Template:
    """A study to start from: what `--list` says of it, and its files by name."""

    about: str
    files: Callable[[], dict[str, bytes]]
    # The command that takes the study on, once it is checked.
    then: str = "serve"

    @property
    def studies(self) -> list[str]:
        """The study files, as they lie in the folder."""
        return [name for name in self.files() if Path(name).name == STUDY_FILE]


def templates() -> dict[str, Template]:
    """The studies to start from, by name, one for each kind of study."""
    games = {
        name: Template(f"two people play the game {game.name}", partial(_game_files, game))
        for name, game in games_with_studies().items()
    }
    return {
        USUAL: Template(COMPARE, _usual_files),
        **{name: Template(about, partial(_starter, name)) for name, about in STARTERS.items()},
        **games,
        "advice": Template(ROUND, _round_files, then="advice run"),
        "loop": Template(LOOP, _loop_files),
    }


def games_with_studies() -> dict[str, Game]:
    """The games that have a study to start from, by the name of it."""
    games = (GAMES.get(name) for name in GAMES.names())
    return {game.starter: game for game in games if game.starter and _study_of(game).is_file()}


def find_template(name: str) -> Template:
    """The template of this name; UnknownNameError with those that there are."""
    known = templates()
    if name not in known:
        hint = near(name, known) or f" Known: {', '.join(known)}."
        raise UnknownNameError(f"No template '{name}'.{hint} See: palaver init --list")
    return known[name]


def write_starter(
    folder: Path, template: str | None = None, *, title: str | None = None
) -> list[Path]:
    """The files of a new study, written into `folder`; InputError if one is there already.

    `template` names the kind of study; UnknownNameError where there is none. With a `title` the first
    study of it is called that.
    """
    contents = find_template(template or USUAL).files()
    return _write(folder, contents if title is None else titled(contents, title))


def titled(contents: Mapping[str, bytes], title: str) -> dict[str, bytes]:
    """The files of a new study, the first of which has this title."""
    told = title.strip()
    if not told or len(told) > LONGEST_TITLE or not told.isprintable():
        raise InputError(
            f"A title has 1 to {LONGEST_TITLE} characters on one line; got '{shortened(told, 40)}'."
        )
    first = next(name for name in contents if Path(name).name == STUDY_FILE)
    text = contents[first].decode()
    line = f"title: {json.dumps(told, ensure_ascii=False)}"
    return {**contents, first: re.sub(r"(?m)^title:.*$", lambda _: line, text, count=1).encode()}


def _usual_files() -> dict[str, bytes]:
    shipped = files("palaver.studies") / "starter"
    return {name: (shipped / name).read_bytes() for name in STARTER_FILES}


def _starter(name: str) -> dict[str, bytes]:
    """The files of one of the kinds, by where they lie in its folder."""
    folder = Path(str(files("palaver.studies"))) / "starter" / name
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _round_files() -> dict[str, bytes]:
    shipped = files("palaver.studies") / "advice" / "demo"
    return {name: (shipped / name).read_bytes() for name in ROUND_FILES}


def _loop_files() -> dict[str, bytes]:
    shipped = files("palaver.studies") / "loop"
    return {name: shipped.joinpath(*name.split("/")).read_bytes() for name in LOOP_FILES}


def _study_of(game: Game) -> Path:
    return game.material / STUDY_FILE


def _game_files(game: Game) -> dict[str, bytes]:
    """The study of a game, and the files of its material that the study names."""
    study = _study_of(game).read_text(encoding="utf-8")
    others = sorted(p for p in game.material.rglob("*") if p.is_file() and p.name != STUDY_FILE)
    named = {path.relative_to(game.material).as_posix(): path for path in others}
    return {
        STUDY_FILE: study.encode(),
        **{name: path.read_bytes() for name, path in named.items() if name in study},
    }


def _write(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    paths = [folder / name for name in contents]
    there = [str(path) for path in paths if path.exists()]
    if there:
        raise InputError(
            f"{' and '.join(there)} would be overwritten. Choose another folder, or move it away."
        )
    try:
        for path, content in zip(paths, contents.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(f"A study cannot be written to {folder}: {error.strerror}.") from error
    return paths


SHIPPED = Path(__file__).parents[1] / "demo"
FILES = ("study.yaml", "exchanges.jsonl", "patterns.yaml", "guide.jsonl", "visitors.yaml")
# What the demonstration of a game keeps of its chat stage.
GAME_KEYS = ("game", "limits", "pace")
# What the simulated writers of a round know to say, and how many they and those who check are.
LOOP_SENTENCES = "writers.yaml"
LOOP_WRITERS = {"visitors": 20, "per_second": 0.5}
LOOP_CHECKERS = {"visitors": 5, "per_second": 0.5}
# More than the shipped pairs need, so that visitors meet the system they came to see.
NEEDED = 100


def write_demonstration(folder: Path, further: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write the demonstration study into a folder; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(SHIPPED / name, folder / name)
    if further:
        _add_systems(folder / "study.yaml", further)
    return folder


def write_game_demonstration(folder: Path) -> Path | None:
    """Write a study in which one plays a game against its bot; None where no game has one.

    It has no consent: whoever tries it out is a click away from playing.
    """
    known = {name: game for name, game in games_with_studies().items() if game.bots}
    if not known:
        return None
    game = known.get(DEMONSTRATED, next(iter(known.values())))
    _write_anew(folder, _game_files(game))
    yaml = YAML()
    study = yaml.load((folder / STUDY_FILE).read_text(encoding="utf-8"))
    chat = next(
        stage["chat"]
        for stage in study["stages"]
        if "chat" in stage and not stage["chat"].get("practice")
    )
    kept = {key: chat[key] for key in GAME_KEYS if key in chat}
    played = {**kept, "arrangement": "system", "conditions": [{"systems": ["partner"]}]}
    bot = next(iter(game.bots.values()))
    rated: list[dict[str, Any]] = [{"rate": {}}] if game.survey else []
    shown = {
        **{key: study[key] for key in ("title", "language", "instructions") if key in study},
        "name": "game",
        "minutes": 5,
        "pay": {"amount": 0.0, "currency": "EUR"},
        "crowd": {"kind": "link", "link_hours": 24},
        "systems": {"partner": {"kind": "python", "class": bot}},
        "stages": [{"chat": played}, *rated],
    }
    with (folder / STUDY_FILE).open("w", encoding="utf-8") as out:
        yaml.dump(shown, out)
    return folder


def write_loop_demonstration(folder: Path, further: Sequence[str] = ()) -> tuple[Path, Path]:
    """Write a study of writing against the built-in model, and one that checks what was written.

    Simulated writers know some of the texts; only those are kept. Neither has a consent: whoever tries
    it out is a click away. `further` names models that sit in the loop beside the first.
    """
    _write_anew(folder, _loop_files())
    writing, checking = folder / "write", folder / "validate"
    shutil.copyfile(SHIPPED / LOOP_SENTENCES, writing / LOOP_SENTENCES)
    known = YAML(typ="safe").load((SHIPPED / LOOP_SENTENCES).read_text(encoding="utf-8"))
    contexts = writing / "contexts.jsonl"
    lines = contexts.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["id"] in known]
    contexts.write_text("".join(kept), encoding="utf-8")
    for file, crowd in (
        (writing / STUDY_FILE, LOOP_WRITERS),
        (checking / STUDY_FILE, LOOP_CHECKERS),
    ):
        yaml = YAML()
        study = yaml.load(file.read_text(encoding="utf-8"))
        study.pop("consent")
        study["pay"] = {"amount": 0.0, "currency": "EUR"}
        study["crowd"] = {"kind": "link", "link_hours": 24}
        study["simulated"] = {"strengths": {}, **crowd}
        if "write" in study["stages"][0]:
            stage = study["stages"][0]["write"]
            stage.pop("bonus")
            stage["models"] = [*stage["models"], *further]
            stage["per_context"] = 3
        with file.open("w", encoding="utf-8") as out:
            yaml.dump(study, out)
    return writing, checking


def _write_anew(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files over what an earlier demonstration left there."""
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _add_systems(file: Path, further: Mapping[str, Mapping[str, Any]]) -> None:
    yaml = YAML()
    study = yaml.load(file.read_text(encoding="utf-8"))
    shipped = list(study["systems"])
    conditions = study["stages"][0]["chat"]["conditions"]
    for name, options in further.items():
        if name in study["systems"]:
            raise InputError(
                f"The demonstration already has a system '{name}'. Choose another name."
            )
        study["systems"][name] = dict(options)
    pairs = [
        *itertools.product(further, shipped),
        *itertools.combinations(further, 2),
    ]
    conditions.extend({"systems": list(pair), "needed": NEEDED} for pair in pairs)
    # Simulated visitors leave the new systems to people; the board waits for these, too.
    study["board"]["votes"] += NEEDED * len(pairs)
    with file.open("w", encoding="utf-8") as out:
        yaml.dump(study, out)
