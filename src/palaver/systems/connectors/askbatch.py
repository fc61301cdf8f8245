"""`kind: askbatch`: the web API of TuringAdvice models, `POST {url}/api/askbatch`.

`{"instances": [{"title", "selftext", "subreddit"}, …], "target": "advice"}` goes in, and
`{"gens": ["…", …]}` comes out, as many texts in the same order. The first servers of this kind load
their weights in every call and share files between calls, hence large batches, one at a time, and no
second call while the first may still be worked on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.core.words import counted
from palaver.systems.answers import by_order
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import PredictorOptions, Url, WebOptions
from palaver.systems.registry import Question
from palaver.systems.web.addresses import joined
from palaver.systems.web.endpoint import Endpoint, WebRespondent

_PATH = "/api/askbatch"
_LONGEST_DAY = 43_200


class AskBatchOptions(WebOptions, PredictorOptions):
    """Where the server is, and what it is sent."""

    late_is_final: ClassVar[bool] = True

    url: Url = Field(description="address of the server, with or without /api/askbatch")
    timeout: float = Field(
        default=3600.0, gt=0, le=_LONGEST_DAY, description="how many seconds one call may take"
    )
    batch: int = Field(
        default=200, ge=1, le=10_000, description="how many questions one call takes"
    )
    concurrency: int = Field(default=1, ge=1, le=1000, description="calls at the same time")
    fields: dict[str, str] = Field(
        default={"title": "title", "selftext": "situation", "subreddit": "subreddit"},
        description="field of an instance → field of the question that fills it",
    )
    target: str = Field(default="advice", description="what the model should write")
    subreddit: str = Field(
        default="Advice", description="the subreddit of a question that names none"
    )
    output: str = Field(default="advice", description="the output that the text becomes")


class AskBatch(WebRespondent):
    """A model behind askbatch."""

    options_type: ClassVar[type[PredictorOptions]] = AskBatchOptions

    def __init__(self, options: AskBatchOptions, *, folder: Path) -> None:
        self._options = options
        super().__init__(Endpoint(options.url, options))
        base = self._endpoint.url
        self._address = base if base.rstrip("/").endswith(_PATH) else joined(base, _PATH)

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        instances = [self._instance(question) for question in questions]
        body = {"instances": instances, "target": self._options.target}
        answer = await self._endpoint.ask(self._address, body)
        texts = _texts(answer, asked=len(questions), target=self._options.target)
        return by_order([{self._options.output: text} for text in texts], questions)

    def _instance(self, question: Question) -> dict[str, Any]:
        instance: dict[str, Any] = {}
        for name, source in self._options.fields.items():
            found = next((each for each in (source, name) if each in question), None)
            if found is not None:
                instance[name] = question[found]
            elif name == "subreddit":
                instance[name] = self._options.subreddit
            else:
                told = (
                    f"Option 'fields' fills '{name}' from '{source}'; "
                    f"the question has {', '.join(question)}."
                )
                raise AttemptError("refused", told, may_pass=False)
        return instance


def _texts(answer: Any, *, asked: int, target: str) -> list[Any]:
    """The texts of an answer, one per question; what is no text among them is the task's to refuse."""
    texts = answer.get("gens") if isinstance(answer, dict) else None
    if isinstance(texts, list) and len(texts) == asked:
        return texts
    if isinstance(texts, list):
        plain = (
            f"{counted(asked, 'situation')} went out and {counted(len(texts), 'text')} came back in "
            "'gens', so nobody can say which text belongs to which; none is kept. Ask fewer at once "
            "(option 'batch'; some servers need a multiple of 8), or mend the server."
        )
        raise AttemptError("garbage", plain, came=answer, is_final=True, plain=plain)
    plain = _no_texts(answer, target)
    told = f"{plain} It sent {shorten(repr(answer))}."
    raise AttemptError("garbage", told, came=answer, is_final=True, plain=plain)


def _no_texts(answer: Any, target: str) -> str:
    """Which of the known ways of saying nothing this is."""
    expected = 'Expected {"gens": ["…"]}, a list of texts.'
    known = (
        f"Servers of this kind do so for a target that they do not know; it was sent '{target}' "
        f"(option 'target'). {expected}"
    )
    if isinstance(answer, dict) and isinstance(answer.get("gens"), str):
        return f"The server answered 200 with an error inside: 'gens' is one text. {known}"
    if isinstance(answer, dict) and "gen" in answer and "gens" not in answer:
        return (
            f"The server answered as if one situation had been asked: 'gen' and no 'gens'. {known}"
        )
    return expected
