"""A starter for a model of one's own, written from the fields of a task; it runs as it is."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.tasks import Field, Task
from palaver.evaluation.models.advice import described, source_of_answer
from palaver.evaluation.models.files import FILE

HANDLER = "handler.py"
WIDTH = 96
# Where the entries of an answer begin, and how much further those inside a part.
INDENT = 12
STEP = 4

_HANDLER = '''\
"""A model for the task {task}: {title}.

It answers every question with the same thing. Replace `initialize` and `answer`; then

    palaver model test {folder}
    palaver model add {task} {name} {folder}
"""


class Handler:
    """Made once; then asked question after question."""

    def initialize(self, context=None):
        """Load weights and vocabularies here: it is called once and is not timed as answering."""

    def answer(self, question):
        """The answer to one question: a dictionary with the outputs of the task.

        The question is a dictionary with
{asked}
        """
        return {{
{outputs}
        }}
'''

_DESCRIPTION = """\
# How Palaver reaches this model. Every kind and option is explained in docs/models.md.
task: {task}
kind: handler
handler: handler:Handler    # file:class, in this folder
concurrency: 1              # questions answered at the same time, each on a thread of its own
# process: true             # run it in a process of its own: its memory can then be measured
"""


def write_starter(name: str, task: Task, folder: Path, *, named: str = "") -> list[Path]:
    """The files of a new model, written into `folder`; InputError if one is there already.

    `named` is how `model.yaml` names the task: a name, or the path of its file.
    """
    content = {
        folder / HANDLER: handler_source(name, task, folder),
        folder / FILE: _DESCRIPTION.format(task=named or task.name),
    }
    there = [str(path) for path in content if path.exists()]
    if there:
        raise InputError(
            f"{' and '.join(there)} would be overwritten. Choose another folder, or move it away."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in content.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"A model cannot be written to {folder}: {error.strerror}.") from error
    return list(content)


def handler_source(name: str, task: Task, folder: Path) -> str:
    """The Python of a handler that answers the task's questions."""
    return _HANDLER.format(
        task=task.name,
        title=_in_docstring(task.title),
        name=name,
        folder=_in_docstring(str(folder)),
        asked=_asked(task.asked),
        outputs="\n".join(_outputs(task)),
    )


def _asked(fields: Sequence[Field]) -> str:
    width = max(len(field.name) for field in fields) + 2
    lines = [f"{'uid':{width}}its id"]
    lines += [f"{field.name:{width}}{_in_docstring(described(field))}" for field in fields]
    return "\n".join(
        textwrap.fill(
            line,
            WIDTH,
            initial_indent=" " * 10,
            subsequent_indent=" " * (10 + width),
            break_on_hyphens=False,
        )
        for line in lines
    )


def _outputs(task: Task) -> Iterator[str]:
    """The entries of the answer; outputs of one part of it stand together."""
    fields = {task.answers.name(output.name): output for output in task.outputs}
    part = ""
    for path in sorted(fields, key=lambda path: list(fields).index(path)):
        above, _, last = path.rpartition(".")
        if above != part:
            yield from _closed(part)
            yield from _opened(above)
            part = above
        yield _output(fields[path], last, depth=len(above.split(".")) if above else 0)
    yield from _closed(part)


def _opened(part: str) -> Iterator[str]:
    for depth, step in enumerate(part.split(".") if part else ()):
        yield f'{" " * (INDENT + STEP * depth)}"{step}": {{'


def _closed(part: str) -> Iterator[str]:
    for depth in reversed(range(len(part.split(".")) if part else 0)):
        yield f"{' ' * (INDENT + STEP * depth)}}},"


def _output(field: Field, name: str, *, depth: int) -> str:
    margin = " " * (INDENT + STEP * depth)
    comment = textwrap.fill(
        described(field), WIDTH, initial_indent=f"{margin}# ", subsequent_indent=f"{margin}# "
    )
    entry = f"{name!r}: {source_of_answer(field)},"
    if '"' not in entry:
        entry = entry.replace("'", '"')
    first, *more = entry.split("\n")
    rest = "".join(f"\n{margin}{line}" for line in more)
    return f"{comment}\n{margin}{first}{rest}"


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'").strip().rstrip(".")
