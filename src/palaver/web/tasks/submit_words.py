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
    return (("With curl", _curl(server, sets)), ("From Python", _python(server, sets)))


def _curl(server: str, sets: tuple[str, ...]) -> str:
    token = '-H "Authorization: Bearer $TOKEN"'
    questions = [
        f"curl {token} {server}/api/v1/submissions/questions/{name} -o {name}-questions.jsonl"
        for name in sets
    ]
    files = [f"  -F {name}=@{name}.jsonl \\" for name in sets]
    return "\n".join(
        [
            "# What a model is asked, one JSON object per line:",
            *questions,
            "# Its answers, a file per data set:",
            f"curl {token} -F name=my-model \\",
            *files,
            f"  {server}/api/v1/submissions/predictions",
            "# Or an endpoint:",
            f"curl {token} --json \\",
            """  '{"name": "my-model", "kind": "http", "options": {"url": "https://…"}}' \\""",
            f"  {server}/api/v1/submissions/endpoint",
            "# Its progress:",
            f"curl {token} {server}/api/v1/submissions",
        ]
    )


def _python(server: str, sets: tuple[str, ...]) -> str:
    files = ", ".join(f'"{name}": "{name}.jsonl"' for name in sets)
    return "\n".join(
        [
            "from palaver.client import Client",
            "",
            f'client = Client("{server}", token)',
            f'client.submit_predictions("my-model", {{{files}}})',
            "client.submissions()",
        ]
    )
