"""The agents of a project: `internal:<bot>` in ParlAI's options is a class in `parlai_internal`.

ParlAI finds it in `parlai_internal/agents/<bot>/<bot>.py` as `<Bot>Agent`; `internal:<bot>:<Class>`
names the class itself. The file is read, never run: what it imports says where it can run.
"""

import ast
import importlib.util
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.chateval.located import read_text
from palaver.formats.chateval.project import Project

PACKAGE = "parlai_internal"
_MODEL = re.compile(r"(?:^|\s)(?:-m|--model)[\s=]+internal:(?P<bot>\w+)(?::(?P<name>\w+))?(?=\s|$)")


@dataclass(frozen=True, slots=True)
class InternalAgent:
    """A class of the project: the file, the folder to import from, and what is not installed here."""

    file: Path
    folder: Path
    target: str
    missing: tuple[str, ...] = ()

    def entry(self, flags: str) -> dict[str, Any]:
        """The agent as a system of a study file.

        Where it needs packages that are not here, its own environment runs it, by ParlAI's options.
        """
        if self.missing:
            need = f"the Python of the environment that has {', '.join(self.missing)}"
            return {
                "kind": "agent",
                "flags": flags,
                "path": str(self.folder),
                "python": {"unconfigured": need},
            }
        made = {"kind": "agent", "class": self.target, "path": str(self.folder)}
        return {**made, "opt": _opt(flags)}


def internal_agent(project: Project, flags: str) -> InternalAgent | None:
    """The class that ParlAI's options name; None where they name none of the project's.

    InputError where the file is not there, or has no such class.
    """
    named = _MODEL.search(flags)
    if named is None:
        return None
    bot = named["bot"]
    inside = Path(PACKAGE, "agents", bot, f"{bot}.py")
    folders = (project.folder, project.folder.parent)
    folder = next((each for each in folders if (each / inside).is_file()), None)
    if folder is None:
        raise InputError(f"{inside} is not in the project.")
    tree = _parsed(folder / inside)
    wanted = named["name"] or _class_name(bot)
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    agents = [name for name in classes if name.endswith("Agent")]
    found = wanted if wanted in classes else (agents[0] if len(agents) == 1 else None)
    if found is None:
        raise InputError(f"{inside} has no class '{wanted}'.")
    module = ".".join(inside.with_suffix("").parts)
    return InternalAgent(
        folder / inside, folder.resolve(), f"{module}:{found}", tuple(_missing(tree))
    )


def _class_name(bot: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in bot.split("_")) + "Agent"


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(read_text(file))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{file.name} is not Python that can be read: {error}.") from error


def _missing(tree: ast.Module) -> Iterator[str]:
    """The packages that a file imports and that are not installed here, by name."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    for name in sorted(names - {PACKAGE}):
        if importlib.util.find_spec(name) is None:
            yield name


def _opt(flags: str) -> dict[str, Any]:
    """Options as ParlAI would name them: '--beam-size 3' is {"beam_size": "3"}."""
    words = shlex.split(flags)
    opt: dict[str, Any] = {}
    for n, word in enumerate(words):
        if word.startswith("-"):
            name, _, value = word.lstrip("-").partition("=")
            following = words[n + 1] if n + 1 < len(words) else "-"
            given = value or (following if not following.startswith("-") else True)
            opt[name.replace("-", "_")] = given
    return opt
