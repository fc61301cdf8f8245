"""Fields and commands in words, for whoever submits a model."""

from palaver.core.tasks import Field
from palaver.web.tasks.access import Visit


def field_words(each: Field) -> str:
    """What a field holds: its kind's own sentence, and the labels where it has some."""
    sentence = (type(each).__doc__ or "").strip().split(".")[0]
    labels = getattr(each, "labels", ())
    told = sentence[:1].lower() + sentence[1:]
    return f"{told}: {', '.join(labels)}" if labels else told


def commands(found: Visit, sets: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """How programs submit: a title and the lines to type."""
    server = str(found.request.base_url).rstrip("/")
    return (("With curl", _curl(server, found.row.name, sets)),)


def _curl(server: str, task: str, sets: tuple[str, ...]) -> str:
    files = " \\\n".join(f'  -F "file:{name}=@{name}.jsonl"' for name in sets)
    return (
        f'curl -H "Authorization: Bearer $TOKEN" \\\n  -F name=my-model \\\n{files} \\\n'
        f"  {server}/api/v1/tasks/{task}/submissions/predictions"
    )
