"""Signatures of answers: proof that a model's answer to an input was not changed on its way.

A signature is the SHA-1, in hexadecimal, of the secret, the task's name, the inputs in the order of
their names and the outputs in the order of theirs, each value as Python's `str` writes it. So a
dictionary signs as its Python text, in its own order: only Python can check it, and only with the
very values that were sent. Two dialects exist. `signature` covers all outputs; the older `signed`
covers the first target alone (the label or the answer), and the translation tasks all sign as
`flores`.
"""

import hashlib
import hmac
import os
from collections.abc import Mapping
from typing import Any

from palaver.core.tasks import Task

SECRET_VARIABLE = "MY_SECRET"
_FLORES = "flores"


def secret_of_environment() -> str | None:
    """The secret that this process was given; None if it was given none."""
    return os.environ.get(SECRET_VARIABLE) or None


def sign(secret: str, task: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """The signature of one answer.

    >>> sign("s", "nli", {"b": 1, "a": 2}, {}) == sign("s", "nli", {"a": 2, "b": 1}, {})
    True
    """
    digest = hashlib.sha1(secret.encode(), usedforsecurity=False)
    digest.update(task.encode())
    for values in (inputs, outputs):
        for name in sorted(values):
            digest.update(str(values[name]).encode())
    return digest.hexdigest()


def verify(
    signature: str, secret: str, task: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> bool:
    """Whether `signature` is that of this answer; compared in constant time."""
    return hmac.compare_digest(signature.encode(), sign(secret, task, inputs, outputs).encode())


def signature_of(
    secret: str, task: Task, question: Mapping[str, Any], record: Mapping[str, Any]
) -> str:
    """What belongs into `signature`: over all fields asked and every output given."""
    outputs = task.answers.found(record, [output.name for output in task.outputs])
    return sign(secret, task.name, _inputs(task, question), outputs)


def signed_of(
    secret: str, task: Task, question: Mapping[str, Any], record: Mapping[str, Any]
) -> str:
    """What belongs into the older `signed`: over all fields asked and the first target alone."""
    target = next((output.name for output in task.outputs if output.name in task.gold), None)
    outputs = {} if target is None else task.answers.found(record, [target])
    name = _FLORES if task.name.startswith(_FLORES) else task.name
    return sign(secret, name, _inputs(task, question), outputs)


def signature_holds(
    secret: str, task: Task, question: Mapping[str, Any], record: Mapping[str, Any]
) -> bool | None:
    """Whether the signature in a record is right; None if it carries none.

    Under `signature` only the newer dialect counts; `signed` was written in both.
    """
    full = signature_of(secret, task, question, record)
    if record.get("signature"):
        return hmac.compare_digest(str(record["signature"]).encode(), full.encode())
    if record.get("signed"):
        known = (full, signed_of(secret, task, question, record))
        given = str(record["signed"]).encode()
        return any(hmac.compare_digest(given, each.encode()) for each in known)
    return None


def _inputs(task: Task, question: Mapping[str, Any]) -> dict[str, Any]:
    return {each.name: question[each.name] for each in task.asked}
