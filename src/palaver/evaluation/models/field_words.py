"""What a kind of field holds, said in words and written in Python: for starters and for advice."""

from functools import singledispatch
from pprint import pformat

from palaver.core.tasks import (
    ContextStringSelection,
    Field,
    Image,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Turns,
)

# How many characters of its context a starter selects.
SELECTED = 20


@singledispatch
def described(field: Field) -> str:
    """What the field holds, in a few words."""
    return f"a value of kind {field.kind}"


@described.register
def _(field: String) -> str:
    return "a text"


@described.register
def _(field: Image) -> str:
    return "an image: its bytes in base64"


@described.register
def _(field: Turns) -> str:
    return "a list of turns, each with 'speaker' and 'text'"


@described.register
def _(field: Multiclass) -> str:
    return f"one of: {', '.join(field.labels)}"


@described.register
def _(field: Multilabel) -> str:
    return f"a list of any of: {', '.join(field.labels)}"


@described.register
def _(field: Prob) -> str:
    if field.single:
        return "a number from 0 to 1"
    return f"a probability for each of: {', '.join(field.labels)}; they sum to 1"


@described.register
def _(field: ContextStringSelection) -> str:
    return f"a text that appears word for word in '{field.reference}'"


@singledispatch
def source_of_answer(field: Field) -> str:
    """Python for a value that the field takes; it may use `question`."""
    return pformat(field.sample({}), width=70, sort_dicts=False)


@source_of_answer.register
def _(field: ContextStringSelection) -> str:
    return f"str(question[{field.reference!r}])[:{SELECTED}]"


@singledispatch
def advice(field: Field) -> str:
    """How to mend a value that the field refused."""
    return f"'{field.name}' takes {described(field)}."


@advice.register
def _(field: Multiclass) -> str:
    return (
        f"Return one of the task's labels, written exactly like this: {', '.join(field.labels)}. "
        "If the model knows them by other names or by numbers, translate before answering."
    )


@advice.register
def _(field: Prob) -> str:
    if field.single:
        return "Return one number from 0 to 1, not a percentage and not a logit."
    return (
        "Return a dictionary with exactly the task's labels as keys "
        f"({', '.join(field.labels)}) and probabilities that add up to 1: softmax, not logits."
    )


@advice.register
def _(field: ContextStringSelection) -> str:
    return (
        f"Copy the characters out of '{field.reference}' exactly as they are: the same case, no "
        "added or lost spaces, no text put together from word pieces. An empty text is accepted."
    )
