"""The tasks that are built in: YAML files like anybody's, in the folder `library`."""

from functools import cache
from importlib.resources import files

from palaver.core.errors import UnknownNameError
from palaver.core.registry import near
from palaver.core.tasks import Task
from palaver.evaluation.tasks.definition import trusted_task
from palaver.formats.marked_yaml import parse_marked

FOLDER = files("palaver.evaluation.tasks") / "library"


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
        hint = near(name, names) or f" There are: {', '.join(names)}."
        raise UnknownNameError(f"No task '{name}' is built in.{hint}")
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
