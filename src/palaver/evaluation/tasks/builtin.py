"""The tasks that are built in: YAML files like anybody's, in the folder `library`.

A first file of one's own is a commented one, or a built-in one under a new name.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.registry import near
from palaver.core.tasks import Task
from palaver.evaluation.tasks.definition import parse_task, trusted_task
from palaver.formats.marked_yaml import parse_marked

FOLDER = files("palaver.evaluation.tasks") / "library"
STARTER = files("palaver.evaluation.tasks") / "starter.yaml"


@cache
def builtin_names() -> tuple[str, ...]:
    """The names of the built-in tasks, sorted."""
    entries = (each.name for each in FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in entries if name.endswith(".yaml")))


@cache
def builtin_task(name: str) -> Task:
    """The built-in task of that name; UnknownNameError names what is near."""
    marked = parse_marked(builtin_text(name).encode(), file=f"{name}.yaml")
    return trusted_task(marked.data, folder="")


def builtin_text(name: str) -> str:
    """The file of a built-in task, to copy and change."""
    if name not in builtin_names():
        names = builtin_names()
        hint = near(name, names) or f" Built in: {', '.join(names)}."
        raise UnknownNameError(f"No task '{name}' is built in.{hint}")
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def write_starter(name: str, file: Path, *, like: str | None = None) -> None:
    """Write a task file called `name`; InputError if that is not a name or the file is there."""
    text = builtin_text(like) if like else STARTER.read_text(encoding="utf-8")
    old = f"name: {like or 'NAME'}\n"
    content = text.replace(old, f"name: {name}\n", 1)
    parse_task(content.encode(), folder="", file=str(file))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as out:
            out.write(content)
    except FileExistsError:
        raise InputError(f"{file} would be overwritten. Name another with -o.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error
