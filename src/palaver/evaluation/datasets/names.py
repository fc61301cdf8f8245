"""What a data set that is added is called here, and what its name says it is a variant of.

Every door adds by `add_dataset`, so a name becomes the same at all of them, and is told the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.core.evaluation.dataset_names import checked_name, variants_named
from palaver.core.evaluation.datasets import Dataset
from palaver.core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledName:
    """The name, the original and the kind of variants that it stands for, and what to say of it."""

    name: str
    parent: str | None
    kind: str | None
    notes: tuple[str, ...] = ()


def settle_name(
    given: str,
    stored: Mapping[str, Dataset],
    task: Task,
    *,
    sources: Sequence[str],
    parent: str | None,
    kind: str | None,
) -> SettledName:
    """The name in its normal form; InputError where it is another data set's then.

    `sources` are where the items come from: what was added from there before is the same data set.
    A new set called KIND-ORIGINAL is that original's variants, unless `parent` or `kind` is given.
    """
    name = checked_name(given)
    _check_clash(given, name, stored, task, sources)
    notes = [] if name == given else [f"The name '{given}' became '{name}'."]
    if name not in stored and parent is None and kind is None:
        found = variants_named(name, stored, kinds=task.deltas)
        if found is not None and stored[found[1]].parent_id is None:
            kind, parent = found
            notes.append(f"By its name it holds {kind} variants of '{parent}'.")
    return SettledName(name=name, parent=parent, kind=kind, notes=tuple(notes))


def _check_clash(
    given: str, name: str, stored: Mapping[str, Dataset], task: Task, sources: Sequence[str]
) -> None:
    same = stored.get(name)
    if same is not None and name != given and same.source != ", ".join(sources):
        raise InputError(
            f"'{given}' becomes '{name}', and task '{task.name}' has a data set '{name}' from "
            f"elsewhere. Write '{name}' to add a version of that one, or choose another name."
        )
    alike = (each for each in stored if each.casefold() == name.casefold())
    other = None if same is not None else next(alike, None)
    if other is not None:
        raise InputError(
            f"'{name}' differs from the data set '{other}' of task '{task.name}' in capitals alone. "
            f"Write '{other}' to add a version of that one, or choose another name."
        )
