"""Whether a model was wrong about an example, by the rule of its task."""

from palaver.core.tasks import Answer, Example, Task
from palaver.metrics.qa import SQUAD_F1


def model_wrong(task: Task, answer: Answer, example: Example) -> bool | None:
    """Whether the answer counts as wrong; None where the task leaves it to people.

    `exact_match`: any of the fields is not as the gold says. `string_f1`: the SQuAD F1 of the field
    is below the threshold.
    """
    rule = task.wrong
    if rule.kind == "ask_user":
        return None
    if rule.kind == "string_f1":
        (name,) = rule.fields
        given, gold = answer.values[name], example.values[task.gold[name]]
        return SQUAD_F1.compute([given], [gold]).value < rule.threshold
    return not all(
        task.output(name).is_right(answer.values[name], example.values[task.gold[name]])
        for name in rule.fields
    )
