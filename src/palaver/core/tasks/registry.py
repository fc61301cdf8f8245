"""Kinds of fields by name; one of another package registers under the entry point `palaver.fields`."""

from palaver.core.registry import Registry
from palaver.core.tasks.fields import Field

FIELDS: Registry[type[Field]] = Registry(
    "kind of field",
    "palaver.fields",
    {
        "context_string_selection": "palaver.core.tasks.fields:ContextStringSelection",
        "image": "palaver.core.tasks.fields:Image",
        "multiclass": "palaver.core.tasks.labelled:Multiclass",
        "multilabel": "palaver.core.tasks.labelled:Multilabel",
        "prob": "palaver.core.tasks.labelled:Prob",
        "string": "palaver.core.tasks.fields:String",
        "turns": "palaver.core.tasks.fields:Turns",
    },
    see=" See docs/tasks.md.",
)
