"""A first task file to copy and change: a commented one, or a built-in one under a new name."""

from importlib.resources import files
from pathlib import Path

from palaver.core.errors import InputError
from palaver.evaluation.tasks.builtin import builtin_text
from palaver.evaluation.tasks.definition import parse_task


def write_starter(name: str, file: Path, *, like: str | None = None) -> None:
    """Write a task file called `name`; InputError if the name is none or the file is there."""
    starter = files("palaver.evaluation.tasks") / "starter.yaml"
    text = builtin_text(like) if like else starter.read_text(encoding="utf-8")
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
