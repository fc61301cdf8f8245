"""A starter for a model of one's own, written from the fields of a task; it runs as it is."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.tasks import Field, Task
from palaver.evaluation.models.advice import described, source_of_answer
from palaver.evaluation.models.files import FILE

HANDLER = "handler.py"
WIDTH = 96

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
        outputs="\n".join(_output(output) for output in task.outputs),
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


def _output(field: Field) -> str:
    comment = textwrap.fill(
        described(field), WIDTH, initial_indent=" " * 12 + "# ", subsequent_indent=" " * 12 + "# "
    )
    entry = f"{field.name!r}: {source_of_answer(field)},"
    if '"' not in entry:
        entry = entry.replace("'", '"')
    return f"{comment}\n            {textwrap.indent(entry, ' ' * 16).strip()}"


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'").strip().rstrip(".")
