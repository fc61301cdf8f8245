"""Closing a round: its verified examples become data sets, and every model is evaluated on them.

The files of the data sets come first and one transaction comes last: it registers the data sets, plans
their runs, closes the round with what came of it, and records who did that. A process that dies on the
way leaves a round that is not closed, with files that nothing points at; closing again writes the same
files. What is written or judged meanwhile makes everything be computed again.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.dataset_names import checked_name
from palaver.core.evaluation.datasets import Access, Dataset
from palaver.core.evaluation.rounds import (
    ClosedRound,
    Earned,
    Round,
    RoundResult,
    WrittenExample,
)
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import encode, extended
from palaver.core.tasks import Task
from palaver.core.words import counted
from palaver.evaluation.datasets.registration import (
    PreparedDataset,
    prepare_dataset,
    store_prepared,
)
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds.bonuses import earned_in
from palaver.evaluation.rounds.examples import read_written
from palaver.evaluation.rounds.loop_models import leading_model
from palaver.evaluation.rounds.opening import label_changes
from palaver.evaluation.rounds.pseudonyms import writer_pseudonym
from palaver.evaluation.rounds.selection import Selection, in_order, item_record, sort_out
from palaver.evaluation.rounds.splits import (
    DEV,
    SHARES,
    SPLITS,
    TEST,
    TRAIN,
    Splitting,
    checked_shares,
    split_examples,
)
from palaver.evaluation.runs.plans import plan_for_dataset
from palaver.evaluation.tasks import stored_task
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.rounds import (
    RoundMark,
    count_erased,
    find_round,
    hold_round,
    round_mark,
    set_round,
)
from palaver.storage.evaluation.runs import hold_task, list_runs

ACCESS: Mapping[str, Access] = {TRAIN: "standard", DEV: "scoring", TEST: "scoring"}
# How often everything is computed anew because somebody wrote or judged meanwhile.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingOptions:
    """How a round is closed."""

    shares: Mapping[str, float] = field(default_factory=lambda: dict(SHARES))
    access: Mapping[str, Access] = field(default_factory=lambda: dict(ACCESS))
    # Whether contexts, too, are in one split alone.
    contexts_apart: bool = False
    # Whether examples that the model got right and people found correct are used for training.
    right: bool = False
    # What was noticed of an example and does not leave it out.
    noted: tuple[str, ...] = ()
    # Whether to close while examples wait for judgements.
    anyway: bool = False
    # What the data sets are called, before the name of the split.
    prefix: str = ""
    # What decides by lot; the round's own secret where there is none.
    seed: str = ""


def close_round(
    home: EvaluationHome,
    task_row: StoredTask,
    round_: Round,
    *,
    options: ClosingOptions | None = None,
    by: Actor,
    now: float,
) -> ClosedRound:
    """Close a round and make data sets of what was verified; one that is closed stays as it is.

    InputError while examples wait for judgements, unless the options say to close anyway; and if a
    data set of a name that is needed is there already.
    """
    options = options or ClosingOptions()
    checked_shares(options.shares)
    task = stored_task(task_row)
    for _ in range(ATTEMPTS):
        state = home.store.read_now(lambda c: _state(c, round_, task))
        if state.round.state == "closed":
            break
        plan = plan_closing(
            state.round,
            state.examples,
            task,
            options,
            erased=state.erased,
            changes=state.changes,
        )
        names = _names(task_row, state.round, plan, options)
        if home.store.read_now(lambda c: not _are_free(c, state.round, names)):  # noqa: B023
            break
        prepared = _prepare(home, task_row, state.round, plan, names, options)
        done = home.store.write_now(
            lambda c: _close(c, home, task_row, state, plan, prepared, by=by, now=now)  # noqa: B023
        )
        if done is not None:
            return home.store.read_now(lambda c: _told(c, task_row, done))  # noqa: B023
    return home.store.read_now(lambda c: _closed_before(c, task_row, round_))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingPlan:
    """What closing a round will make: which example goes where, and the result but for names."""

    items: Mapping[str, tuple[Mapping[str, object], ...]]
    result: RoundResult


def plan_closing(
    round_: Round,
    examples: Sequence[WrittenExample],
    task: Task,
    options: ClosingOptions,
    *,
    erased: int = 0,
    changes: str = "",
) -> ClosingPlan:
    """What closing makes of these examples; nothing is stored.

    `erased` tries are gone because their writers left; `changes` says how the task's labels differ
    from those of the round.

    InputError while examples wait, unless the options say to close anyway.
    """
    selection = sort_out(examples, task, noted=options.noted, right=options.right)
    if selection.waiting and not options.anyway:
        raise InputError(
            f"{counted(selection.waiting, 'example')} of round {round_.number} of '{round_.task}' "
            f"{'waits' if selection.waiting == 1 else 'wait'} for judgements. Have them judged, or "
            f"leave them out: palaver round close {round_.task} --anyway"
        )
    splitting = split_examples(
        selection.taken,
        shares=options.shares,
        seed=options.seed or round_.secret,
        apart=options.contexts_apart,
    )
    chosen, reasons = _with_right(selection, splitting)
    counts: dict[str, int] = {"withdrawn": erased}
    for reason in reasons.values():
        counts[reason] = counts.get(reason, 0) + 1
    items = {split: tuple(_items(round_, chosen[split], task)) for split in SPLITS if chosen[split]}
    result = RoundResult(
        examples={split: len(found) for split, found in items.items()},
        left_out=in_order(counts),
        shared_contexts=splitting.shared_contexts,
        writers={split: len({each.writer for each in chosen[split]}) for split in items},
        notes=tuple(_notes(changes, splitting, chosen)),
    )
    return ClosingPlan(items=items, result=result)


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """A round as it is, with what it closes on."""

    round: Round
    examples: tuple[WrittenExample, ...] = ()
    earned: Earned = field(default_factory=dict)
    mark: RoundMark | None = None
    erased: int = 0
    changes: str = ""


def _state(connection: Connection, round_: Round, task: Task) -> _State:
    held = find_round(connection, round_.task_id, round_.number)
    if held.state == "closed":
        return _State(round=held)
    # The mark comes first: what is committed while the rest is read changes it.
    mark = round_mark(connection, held)
    written = read_written(connection, held)
    return _State(
        round=held,
        mark=mark,
        examples=written.examples,
        earned=earned_in(written.examples, held.terms, judged_before=written.judged_before),
        erased=count_erased(connection, held),
        changes=label_changes(connection, held, task),
    )


def _with_right(
    selection: Selection, splitting: Splitting
) -> tuple[dict[str, list[WrittenExample]], dict[str, str]]:
    """The examples of each split; those for training alone only where that leaks no writer."""
    chosen: dict[str, list[WrittenExample]] = {split: [] for split in SPLITS}
    place: dict[str, str] = {}
    for example in selection.taken:
        place[example.writer] = splitting.splits[example.uid]
        chosen[place[example.writer]].append(example)
    reasons = dict(selection.reasons)
    for example in selection.right:
        if place.get(example.writer, TRAIN) == TRAIN:
            chosen[TRAIN].append(example)
        else:
            reasons[example.uid] = "other split"
    return chosen, reasons


def _items(
    round_: Round, examples: Sequence[WrittenExample], task: Task
) -> Sequence[Mapping[str, object]]:
    return [
        item_record(
            example,
            task,
            round=round_.number,
            writer=writer_pseudonym(round_, example.writer),
            context=example.context,
            model=example.model,
            fooled=example.is_fooling,
        )
        for example in examples
    ]


def _notes(
    changes: str, splitting: Splitting, chosen: Mapping[str, Sequence[WrittenExample]]
) -> list[str]:
    nothing = "" if any(chosen.values()) else "Nothing was verified, so there is no data set."
    return [note for note in (*splitting.notes, changes, nothing) if note]


def _names(
    task_row: StoredTask, round_: Round, plan: ClosingPlan, options: ClosingOptions
) -> dict[str, str]:
    """What the data set of each split is called."""
    prefix = options.prefix or f"{task_row.name}-r{round_.number}"
    return {split: checked_name(f"{prefix}-{split}") for split in plan.items}


def _are_free(connection: Connection, round_: Round, names: Mapping[str, str]) -> bool:
    """Whether data sets can be called that; False where the round was closed, which made them.

    InputError where another data set has such a name.
    """
    if find_round(connection, round_.task_id, round_.number).state == "closed":
        return False
    for name in names.values():
        try:
            known = find_dataset(connection, round_.task_id, name)
        except UnknownNameError:
            continue
        raise InputError(
            f"'{round_.task}' has a data set '{known.name}' already. Choose another name: "
            f"palaver round close {round_.task} --prefix NAME"
        )
    return True


def _prepare(
    home: EvaluationHome,
    task_row: StoredTask,
    round_: Round,
    plan: ClosingPlan,
    names: Mapping[str, str],
    options: ClosingOptions,
) -> dict[str, PreparedDataset]:
    """Put the items of each split into the object store, where nothing points at them yet."""
    with tempfile.TemporaryDirectory(prefix="palaver-round-") as folder:
        return {
            split: _prepared(home, task_row, round_, plan, split, name, options, Path(folder))
            for split, name in names.items()
        }


def _prepared(
    home: EvaluationHome,
    task_row: StoredTask,
    round_: Round,
    plan: ClosingPlan,
    split: str,
    name: str,
    options: ClosingOptions,
    folder: Path,
) -> PreparedDataset:
    file = folder / f"{name}.jsonl"
    file.write_bytes(b"".join(encode(item) + b"\n" for item in plan.items[split]))
    writers = counted(plan.result.writers[split], "writer")
    return prepare_dataset(
        home,
        task_row,
        stored_task(task_row),
        name=name,
        source=str(file),
        reader="palaver",
        access=options.access.get(split, ACCESS[split]),
        about=f"Round {round_.number}, {split}: verified examples by {writers}.",
        sent_as=f"round {round_.number}",
        round=round_.number,
    )


def _close(
    connection: Connection,
    home: EvaluationHome,
    task_row: StoredTask,
    state: _State,
    plan: ClosingPlan,
    prepared: Mapping[str, PreparedDataset],
    *,
    by: Actor,
    now: float,
) -> ClosedRound | None:
    """Register, plan and close, if nothing has changed since; None where something has."""
    hold_round(connection, state.round.id)
    # Whoever adds a data set at this moment plans its runs, too: the name is free, or is not.
    hold_task(connection, task_row.id)
    names = {split: each.name for split, each in prepared.items()}
    held = find_round(connection, state.round.task_id, state.round.number)
    if held.state == "closed" or round_mark(connection, held) != state.mark:
        return None
    _are_free(connection, held, names)
    added = {
        split: store_prepared(
            connection,
            home,
            task_row,
            each,
            now=now,
            plan=_unplanned if split == TRAIN else plan_for_dataset,
        )
        for split, each in prepared.items()
    }
    result = replace(plan.result, datasets=names, earned=state.earned)
    closed = set_round(connection, held.id, state="closed", result=result, now=now)
    record(
        connection,
        "loop.close",
        by=by,
        now=now,
        subject=f"{task_row.name} r{held.number}",
        study_id=held.study_id,
        detail={
            "datasets": dict(result.datasets),
            "examples": dict(result.examples),
            "left_out": dict(result.left_out),
        },
    )
    due = tuple(run for each in added.values() for run in each.due)
    return extended(closed, ClosedRound, runs=tuple(run.key for run in due), due=due)


def _told(connection: Connection, task_row: StoredTask, closed: ClosedRound) -> ClosedRound:
    """A closed round with who leads now: read apart, because a board takes longer than a lock may."""
    first = leading_model(connection, task_row)
    return replace(closed, leader=first.name if first else "")


def _closed_before(connection: Connection, task_row: StoredTask, round_: Round) -> ClosedRound:
    """A round that was closed before, with the runs on its data sets that are not over yet.

    InputError where it is not closed, because more was written each time that it was tried.
    """
    held = find_round(connection, round_.task_id, round_.number)
    if held.state != "closed":
        raise InputError(
            f"People kept writing in round {round_.number} of '{round_.task}' while its data sets "
            f"were made. Stop it first: palaver round stop {round_.task}"
        )
    names = set() if held.result is None else set(held.result.datasets.values())
    waiting = list_runs(connection, task_id=task_row.id, states=["waiting", "answering", "scoring"])
    due = tuple(run for run in waiting if run.dataset in names)
    runs = tuple(run.key for run in due)
    return _told(
        connection, task_row, extended(held, ClosedRound, is_new=False, runs=runs, due=due)
    )


def _unplanned(
    connection: Connection, task_row: StoredTask, dataset: Dataset, *, now: float
) -> list[Run]:
    """No run: what models are trained on says nothing of them."""
    return []
