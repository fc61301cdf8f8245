"""Labels in the words of models that write text: which label a text stands for."""

import re
from collections.abc import Mapping, Sequence

# What models like to put around a label.
_DECORATION = " \t\r\n\"'`*_“”‘’«»()[]<>"


def by_text(labels: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Text → label, of labels that stand for themselves or of such a mapping."""
    return dict(labels) if isinstance(labels, Mapping) else {label: label for label in labels}


def label_in(text: str, labels: Mapping[str, str]) -> str:
    """The label that a text stands for: as it is, in any case, or as its first words; else the text.

    >>> label_in("Entailed. The street is wet.", {"entailed": "entailed", "neutral": "neutral"})
    'entailed'
    """
    bare = text.strip().strip(_DECORATION)
    if bare in labels:
        return labels[bare]
    folded = {name.casefold(): label for name, label in labels.items()}
    said = bare.casefold()
    if said.rstrip(".!,;:") in folded:
        return folded[said.rstrip(".!,;:")]
    for name in sorted(folded, key=len, reverse=True):
        if re.match(rf"{re.escape(name)}(?![\w-])", said):
            return folded[name]
    return text


def one_of(texts: Sequence[str]) -> str:
    """A GBNF grammar in which a model can say one of these texts and nothing else.

    >>> one_of(["entailed", 'the "other"'])
    'root ::= "entailed" | "the \\\\"other\\\\""'
    """
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "root ::= " + " | ".join(f'"{text}"' for text in quoted)
