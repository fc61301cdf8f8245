"""Models that advise, behind HTTP, and situations to ask them about."""

from typing import Any

from palaver.core.situations import Advice, AdvisingModel, Situation
from palaver.studies.advice.models_file import DEFAULTS, ModelEntry


def situations(count: int) -> list[Situation]:
    """Situations, each with a piece of advice."""
    return [
        Situation(
            id=f"s{n}",
            title=f"Question {n}?",
            text=f"What happened {n}.",
            subreddit="" if n == 0 else "love",
            advice=(Advice(id=f"c{n}", body=f"Talk about {n}.", score=9),),
        )
        for n in range(count)
    ]


def advising(name: str, url: str, kind: str = "askbatch", **options: Any) -> ModelEntry:
    """A model behind an address, asked without pauses."""
    given = {"url": url} if kind == "askbatch" else {}
    return ModelEntry(
        name=name,
        kind=kind,
        options={"backoff": 0.0, "retries": 0, **given, **DEFAULTS.get(kind, {}), **options},
        card=AdvisingModel(name=name, title=name.title(), team="Lab", parameters=11e9),
    )


def texts(body: dict[str, Any], word: str = "Advice on") -> dict[str, Any]:
    """What a good server answers."""
    return {"gens": [f"{word} {each['title']}" for each in body["instances"]]}
