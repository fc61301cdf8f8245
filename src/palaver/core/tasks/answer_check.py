"""A task's own check of an answer, for what its fields cannot say.

    def verify(answer, item):
        if len(answer["summary"]) > len(item["text"]):
            return "the summary is longer than the text"

It is asked last where answers are read (`Task.read_answer`), so every door has it. It is given the
outputs by name, as they were checked, and what the model was sent: no gold, so its words tell none.
None takes the answer; a sentence, or an `assert` that does not hold, refuses it. Whatever else happens
is a fault of the check and of no answer.
"""

import ast
import linecache
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from palaver.core.errors import BrokenCheckError, InputError
from palaver.core.loading import own_function
from palaver.core.tasks.fields import shown
from palaver.core.words import shortened

LONGEST_REASON = 300


def why_refused(
    target: str, folder: str, answer: Mapping[str, Any], item: Mapping[str, Any], *, uid: str
) -> str:
    """Why the check refuses an answer, without a full stop; empty where it takes it.

    BrokenCheckError says that the check itself failed, and on which item.
    """
    try:
        check = own_function(target, folder=Path(folder or "."), what="'verify' takes")
        said = check(dict(answer), dict(item))
    except AssertionError as error:
        return _sentence(str(error) or _assertion(error))
    except InputError as error:
        raise BrokenCheckError(_broken(target, uid, str(error).rstrip("."))) from error
    except Exception as error:
        # A researcher's function may raise anything.
        what = f"it raised {type(error).__name__}: {error}"
        raise BrokenCheckError(_broken(target, uid, what)) from error
    if said is None:
        return ""
    if not isinstance(said, str) or not said.strip():
        what = (
            f"it returned {shown(said)}; expected None for an answer that is right, or a sentence"
        )
        raise BrokenCheckError(_broken(target, uid, what))
    return _sentence(said)


def _broken(target: str, uid: str, what: str) -> str:
    return (
        f"The task's own check '{target}' failed on the answer to {uid}: {what}. This is a fault of "
        "the check, not of the answer; whoever runs the task must mend it."
    )


def _sentence(said: str) -> str:
    return shortened(" ".join(said.split()), LONGEST_REASON).rstrip(".")


def _assertion(error: AssertionError) -> str:
    """The condition that does not hold, as the check writes it, where it gives no reason."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    condition = _condition(frame.f_code, line)
    return f"this does not hold: {condition}" if condition else "an assertion does not hold"


@lru_cache(maxsize=64)
def _condition(code: CodeType, line: int) -> str:
    """The condition of the assertion around a line; empty where its source cannot be read."""
    linecache.checkcache(code.co_filename)
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return ""
    around = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Assert) and each.lineno <= line <= (each.end_lineno or each.lineno)
    ]
    return ast.unparse(around[0].test) if around else ""
