"""A task: what a model is given, what it answers, and how the answers are measured.

Everything that evaluates asks the task: which fields travel to the model (`question`), whether an
answer is one (`read_answer`), whether an item of a data set is one (`read_example`), what was
predicted and what is gold, as metrics take it (`predicted`, `gold_of`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from palaver.core.characters import NULL
from palaver.core.errors import AnswerError, InputError
from palaver.core.tasks.answer_check import why_refused
from palaver.core.tasks.answer_forms import BESIDE, AnswerForm
from palaver.core.tasks.fields import MISSING, Field, shown


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a data set: its fields, the gold ones among them.

    `input_id` is the uid of the original where the item is a variant of one. `metadata` is whatever
    else its file says of it; no model and no public page sees it.
    """

    uid: str
    values: dict[str, Any]
    tags: tuple[str, ...] = ()
    input_id: str | None = None
    # Left out of the lines of a data set where there is none, so that their digest stays.
    metadata: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET

    @property
    def record(self) -> dict[str, Any]:
        """The record of a data set that it is."""
        return {"uid": self.uid, **self.values, "tags": list(self.tags)}


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered to one example, checked: a value per output field."""

    uid: str
    values: dict[str, Any]
    signature: str = ""


Wrong = Literal["exact_match", "string_f1", "ask_user"]
# What a board is sorted by: the weighed sum of several metrics, or the performance metric alone.
Ranking = Literal["dynascore", "measure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChoice:
    """A metric of the registry on one output (or the mean over several), with its options."""

    metric: str
    fields: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def key(self) -> str:
        """What its scores are stored under: a name of its own, else the metric's."""
        return self.name or self.metric


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRule:
    """When a model counts as fooled: any of `fields` differs, F1 below `threshold`, or ask."""

    kind: Wrong = "ask_user"
    fields: tuple[str, ...] = ()
    threshold: float = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task. A name in both inputs and outputs is a target: gold, and hidden from the model."""

    name: str
    title: str
    about: str = ""
    context: tuple[Field, ...] = ()
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    # The outputs for which a data set holds gold, and the name of the field that holds it.
    gold: Mapping[str, str]
    metrics: tuple[MetricChoice, ...]  # the first is the performance metric
    deltas: tuple[str, ...] = ()  # kinds of perturbed sets that count: fairness, robustness
    weights: Mapping[str, float] = field(default_factory=dict)
    wrong: WrongRule = field(default_factory=WrongRule)
    # Old codes of labels, read as the labels of today: {"e": "entailed"}.
    codes: Mapping[str, str] = field(default_factory=dict)
    # How answers are written, where not as the outputs: for all doors alike.
    answers: AnswerForm = field(default_factory=AnswerForm)
    ranking: Ranking = "dynascore"
    # Whether answers that were made elsewhere may be handed in. What was not run here has neither
    # throughput nor memory, so these do not decide then unless somebody gives them a weight.
    takes_predictions: bool = True
    # A researcher's own evaluation, "module:function" (see docs/tasks.md), and where it lies.
    function: str = ""
    # A check of answers of the task's own, "module:function", for what fields cannot say.
    verify: str = ""
    folder: str = ""
    # Which fields of an example perturbations may change.
    perturbed: tuple[str, ...] = ()
    # Questions of the task's own that models are tried with: the fields that are asked, by name.
    probes: tuple[Mapping[str, Any], ...] = ()
    content_warning: str = ""
    instructions: str = ""
    # Context and inputs without gold: what travels to a model.
    asked: tuple[Field, ...] = field(init=False, repr=False, compare=False)
    # The outputs with gold.
    targets: tuple[Field, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the fields once; a data set asks for them a million times."""
        hidden = {*self.gold, *self.gold.values()}
        given = (*self.context, *self.inputs)
        asked = tuple(each for each in given if each.name not in hidden)
        targets = tuple(output for output in self.outputs if output.name in self.gold)
        object.__setattr__(self, "asked", asked)
        object.__setattr__(self, "targets", targets)

    @property
    def performance(self) -> MetricChoice:
        """The metric that ranks."""
        return self.metrics[0]

    @property
    def _output_names(self) -> list[str]:
        return [output.name for output in self.outputs]

    def output(self, name: str) -> Field:
        return next(output for output in self.outputs if output.name == name)

    def question(self, example: Example) -> dict[str, Any]:
        """What a model is sent: the uid, context and inputs; no gold, no tags."""
        return {"uid": example.uid, **{each.name: example.values[each.name] for each in self.asked}}

    def read_example(self, record: Mapping[str, Any]) -> Example:
        """An item of a data set, checked; InputError says which field of which uid is wrong."""
        uid = _uid(record)
        values: dict[str, Any] = {}
        name = ""
        try:
            for each in self.asked:
                name = each.name
                given = record[name] if name in record else each.absent()
                values[name] = each.check(given, record)
            for target in self.targets:
                kept = self.gold[target.name]
                name = target.name if kept not in record and target.name in record else kept
                if name not in record:
                    raise ValueError(MISSING)
                values[kept] = target.check_gold(target.named(record[name], self.codes), record)
        except ValueError as error:
            raise InputError(f"Item {uid}: '{name}': {error}.") from None
        origin = record.get("input_id")
        return Example(
            uid=uid,
            values=values,
            tags=_tags(record, uid),
            input_id=None if origin is None else str(origin),
            metadata=_metadata(record),
        )

    def read_answer(
        self, record: Any, example: Example, *, strict: bool = False, uploaded: bool = False
    ) -> Answer:
        """A model's answer to `example`, checked; AnswerError says what is wrong with it.

        Targets are needed, other outputs are taken where they are given. With `strict` a field
        nobody asked for is refused. An uploaded prediction need not stand in its context. The task's
        own check comes last; BrokenCheckError if that fails itself.
        """
        where = f"Answer to {example.uid}"
        if not isinstance(record, Mapping):
            raise AnswerError(f"{where}: expected a JSON object; got {shown(record)}.")
        self._check_id(record, example, where)
        try:
            record = self.answers.read(record, self._output_names, folder=self.folder)
        except AnswerError as error:
            raise AnswerError(f"{where}: {error}.") from None
        if strict:
            self._check_names(record, where)
        given = {
            output.name: record[output.name] for output in self.outputs if output.name in record
        }
        # A span must stand in the context that was sent, whatever context the answer claims.
        beside = {**example.values, **given}
        values: dict[str, Any] = {}
        for output in self.outputs:
            if output.name not in given:
                continue
            value = output.named(given[output.name], self.codes)
            check = output.check_uploaded if uploaded else output.check
            try:
                values[output.name] = check(value, beside)
            except ValueError as error:
                name = self.answers.name(output.name)
                raise AnswerError(f"{where}: '{name}': {error}.") from None
        for target in self.targets:
            if target.name not in values:
                raise AnswerError(f"{where}: it has no '{self.answers.name(target.name)}'.")
        self._check_further(values, example, where)
        signature = record.get("signature") or record.get("signed") or ""
        return Answer(uid=example.uid, values=values, signature=str(signature))

    def gold_of(self, example: Example, output: str) -> Any:
        """The gold value of an output, as metrics take it."""
        return self.output(output).measured(example.values[self.gold[output]])

    def predicted(self, answer: Answer, output: str) -> Any:
        """What was answered for an output, as metrics take it; None where it was left out."""
        if output not in answer.values:
            return None
        return self.output(output).measured(answer.values[output])

    def _check_id(self, record: Mapping[str, Any], example: Example, where: str) -> None:
        given = next((record[key] for key in ("id", "uid") if key in record), None)
        if given is None:
            raise AnswerError(f"{where}: it has no 'id'; expected '{example.uid}'.")
        if str(given) != example.uid:
            raise AnswerError(f"{where}: its 'id' is '{given}'; expected '{example.uid}'.")

    def _check_further(self, values: Mapping[str, Any], example: Example, where: str) -> None:
        """Ask the task's own check, if it has one."""
        if not self.verify:
            return
        item = self.question(example)
        reason = why_refused(self.verify, self.folder, values, item, uid=example.uid)
        if reason:
            raise AnswerError(f"{where}: {reason.replace(NULL, '')}.")

    def _check_names(self, record: Mapping[str, Any], where: str) -> None:
        wanted = self._output_names
        extra = sorted(str(key) for key in record if key not in wanted and key not in BESIDE)
        if extra:
            raise AnswerError(
                f"{where}: unexpected {', '.join(extra)}; expected {', '.join(wanted)}."
            )


def _uid(record: Mapping[str, Any]) -> str:
    uid = record.get("uid")
    if uid is None or uid == "":
        uid = record.get("id")
    if uid is None or uid == "":
        raise InputError("The item has no 'uid' (or 'id').")
    if isinstance(uid, bool) or not isinstance(uid, str | int):
        raise InputError(f"A 'uid' must be a text or a whole number; got {shown(uid)}.")
    return str(uid)


def _tags(record: Mapping[str, Any], uid: str) -> tuple[str, ...]:
    tags = record.get("tags") or ()
    if not isinstance(tags, list | tuple) or any(not isinstance(tag, str) for tag in tags):
        raise InputError(f"Item {uid}: 'tags' must be a list of texts; got {shown(tags)}.")
    return tuple(tags)


def _metadata(record: Mapping[str, Any]) -> dict[str, Any] | msgspec.UnsetType:
    """What else the file says of an item; of a table, where it is a text, nothing."""
    given = record.get("metadata")
    return dict(given) if isinstance(given, Mapping) and given else msgspec.UNSET
