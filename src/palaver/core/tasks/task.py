"""A task: what a model is given, what it answers, and how the answers are measured.

Everything that evaluates asks the task: which fields travel to the model (`question`), whether an
answer is one (`read_answer`), whether an item of a data set is one (`read_example`), what is gold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from palaver.core.errors import AnswerError, InputError
from palaver.core.tasks.example import Answer, Example
from palaver.core.tasks.fields import Field

IDS = ("uid", "id")
# What may stand in an answer beside its outputs.
BESIDE = frozenset({"id", "uid", "signed", "signature"})

Wrong = Literal["exact_match", "string_f1", "ask_user"]


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
    # The outputs for which a data set holds gold, and the name of the gold field where it differs.
    gold: Mapping[str, str]
    metrics: tuple[MetricChoice, ...]  # the first is the performance metric
    deltas: tuple[str, ...] = ()  # kinds of perturbed sets that count: fairness, robustness
    weights: Mapping[str, float] = field(default_factory=dict)
    wrong: WrongRule = field(default_factory=WrongRule)
    # Old codes of labels, read as the labels of today: {"e": "entailed"}.
    codes: Mapping[str, str] = field(default_factory=dict)
    # A researcher's own evaluation, "module:function" (see docs/tasks.md), and where it lies.
    function: str = ""
    folder: str = ""
    # Which fields of an example perturbations may change.
    perturbed: tuple[str, ...] = ()
    content_warning: str = ""
    instructions: str = ""

    @property
    def performance(self) -> MetricChoice:
        """The metric that ranks."""
        return self.metrics[0]

    @property
    def asked(self) -> tuple[Field, ...]:
        """The fields that travel to a model: context and inputs that are no targets."""
        return tuple(each for each in (*self.context, *self.inputs) if each.name not in self.gold)

    def question(self, example: Example) -> dict[str, Any]:
        """What a model is sent: the uid, context and inputs; no gold, no tags."""
        names = (each.name for each in self.asked)
        return {"uid": example.uid, **{name: example.values[name] for name in names}}

    def read_example(self, record: Mapping[str, Any]) -> Example:
        """An item of a data set, checked; InputError says which field of which uid is wrong."""
        uid = next((record[key] for key in IDS if record.get(key) not in (None, "")), None)
        if uid is None:
            raise InputError("The item has no 'uid' (or 'id').")
        values = {each.name: self._checked(each, record, f"Item {uid}") for each in self.asked}
        for each in self.outputs:
            if each.name in self.gold:
                values[self.gold[each.name]] = self._gold(each, record, f"Item {uid}")
        tags = record.get("tags") or ()
        if isinstance(tags, str) or not all(isinstance(tag, str) for tag in tags):
            raise InputError(f"Item {uid}: 'tags' must be a list of texts; got {tags!r:.60}.")
        given = record.get("input_id")
        return Example(
            uid=str(uid),
            values=values,
            tags=tuple(tags),
            input_id=None if given is None else str(given),
        )

    def read_answer(
        self, record: Any, example: Example, *, strict: bool = False, uploaded: bool = False
    ) -> Answer:
        """A model's answer to `example`, checked; AnswerError says what is wrong with it.

        Targets are needed, other outputs are taken where they are given. With `strict` a field
        nobody asked for is refused. An uploaded prediction need not stand in its context.
        """
        where = f"Answer to {example.uid}"
        if not isinstance(record, Mapping):
            raise AnswerError(f"{where}: expected a JSON object; got {record!r:.80}.")
        given = next((record[key] for key in ("id", "uid") if key in record), None)
        if given is None:
            raise AnswerError(f"{where}: it has no 'id'; expected '{example.uid}'.")
        if str(given) != example.uid:
            raise AnswerError(f"{where}: its 'id' is '{given}'; expected '{example.uid}'.")
        known = {each.name for each in self.outputs} | BESIDE
        extra = sorted(str(key) for key in record if key not in known)
        if strict and extra:
            raise AnswerError(
                f"{where}: nobody asked for {', '.join(extra)}; "
                f"expected {', '.join(each.name for each in self.outputs)}."
            )
        values: dict[str, Any] = {}
        beside = {**example.values, **record}
        for each in self.outputs:
            if each.name not in record:
                if each.name in self.gold:
                    raise AnswerError(f"{where}: it has no '{each.name}'.")
                continue
            try:
                value = self._decoded(record[each.name])
                values[each.name] = (
                    value
                    if uploaded and each.kind == "context_string_selection"
                    else each.check(value, beside)
                )
            except ValueError as error:
                raise AnswerError(f"{where}: '{each.name}': {error}.") from None
        signature = record.get("signature") or record.get("signed") or ""
        return Answer(uid=example.uid, values=values, signature=str(signature))

    def gold_of(self, example: Example, output: str) -> Any:
        """The gold value of an output."""
        return example.values[self.gold[output]]

    def _gold(self, output: Field, record: Mapping[str, Any], where: str) -> Any:
        name = self.gold[output.name]
        if name not in record and output.name in record:
            name = output.name
        if name not in record:
            raise InputError(f"{where} has no '{name}', which holds the gold '{output.name}'.")
        value = record[name]
        decoded = (
            [self._decoded(each) for each in value]
            if isinstance(value, list)
            else self._decoded(value)
        )
        try:
            return output.check_gold(decoded, record)
        except ValueError as error:
            raise InputError(f"{where}: '{name}': {error}.") from None

    def _checked(self, each: Field, record: Mapping[str, Any], where: str) -> Any:
        if each.name not in record:
            raise InputError(f"{where} has no '{each.name}'.")
        try:
            return each.check(record[each.name], record)
        except ValueError as error:
            raise InputError(f"{where}: '{each.name}': {error}.") from None

    def _decoded(self, value: Any) -> Any:
        """A label by its name of today."""
        return self.codes.get(value, value) if isinstance(value, str) else value
