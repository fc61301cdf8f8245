"""`kind: advice_retrieval`: answers with the advice that people gave in the nearest situation.

The situations are a JSONL file as `palaver advice prepare` writes it. With `cache`, what is made of
them is kept in a folder, under a digest of the file and of the options, and opened at once by the
next start; the first start answers like every other.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, model_validator

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers
from palaver.formats.advice.situations import read_situations
from palaver.formats.advice.words import lemmas, word_engine
from palaver.systems.answers import by_order
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CodeOptions, PredictorOptions, find_file
from palaver.systems.registry import Question
from palaver.systems.retrieval.advice_index import AdviceIndex, IndexPlan, index_arrays
from palaver.systems.retrieval.kept_arrays import digest_of, keep_arrays, kept_arrays
from palaver.systems.retrieval.weighting import Method
from palaver.systems.threads import Lazy, in_thread

# Raised when other arrays are made of the same file.
_VERSION = 1
_LEAST: dict[Method, int] = {"tfidf": 10, "bm25": 1}
_TEXT_FIELDS = ("situation", "selftext")
_log = logging.getLogger(__name__)


class AdviceRetrievalOptions(CodeOptions):
    """Which situations, how they are compared, and which of their comments is the answer."""

    file: Path = Field(description="JSONL file of situations with their comments, packed or not")
    method: Method = Field(default="tfidf", description="how likeness is measured: tfidf or bm25")
    legacy: bool = Field(
        default=False,
        description="the published baseline: the first stored comment, whatever its score, and "
        "situations that are asked about themselves are not left out",
    )
    seed: int = Field(default=1, ge=0, description="decides between situations that are as near")
    splits: list[str] = Field(
        default=[], description="which splits of the file answers come from; empty: all"
    )
    least: int | None = Field(
        default=None,
        ge=1,
        description="words that occur less often in all are unknown; none: 10 for tfidf, 1 for bm25",
    )
    cache: Path | None = Field(
        default=None,
        description="folder in which the index is kept between starts; none: made at each start",
    )
    output: str = Field(default="advice", description="the output that the text becomes")
    batch: int = Field(default=50, ge=1, le=10_000, description="how many questions one call takes")
    start_timeout: float = Field(
        default=3600.0, gt=0, le=86_400, description="how many seconds loading may take"
    )

    @model_validator(mode="after")
    def _all_splits(self) -> "AdviceRetrievalOptions":
        if self.legacy and self.splits:
            raise ValueError("'legacy' answers from all splits; leave out 'splits' or 'legacy'")
        return self

    @property
    def plan(self) -> IndexPlan:
        """What the index is made by."""
        return IndexPlan(
            method=self.method,
            legacy=self.legacy,
            splits=tuple(sorted(set(self.splits))),
            least=_LEAST[self.method] if self.least is None else self.least,
        )


class AdviceRetrieval:
    """A model that looks advice up."""

    options_type: ClassVar[type[PredictorOptions]] = AdviceRetrievalOptions

    def __init__(self, options: AdviceRetrievalOptions, *, folder: Path) -> None:
        self._options = options
        self._index: Lazy[AdviceIndex] = Lazy(lambda: _opened(options, folder))
        self.ready = False

    async def start(self) -> None:
        await self._index.get()
        self.ready = True

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        index = await self._index.get()
        records = await in_thread(lambda: [self._record(index, each) for each in questions])
        return by_order(records, questions)

    def memory(self) -> None:
        """Not known: the process holds other things too."""

    async def close(self) -> None:
        self.ready = False
        self._index.forget()

    def _record(self, index: AdviceIndex, question: Question) -> dict[str, str]:
        title = _field(question, ("title",))
        text = _field(question, _TEXT_FIELDS)
        ids = [str(question[name]) for name in ("uid", "id") if name in question]
        number = index.nearest(title, text, ids=ids)
        if number is None:
            told = f"'{self._options.file}' holds no situation other than the one asked about."
            raise AttemptError("refused", told, may_pass=False)
        return {self._options.output: index.advice(number)}


def _field(question: Question, names: Sequence[str]) -> str:
    found = next((question[name] for name in names if name in question), None)
    if isinstance(found, str):
        return found
    told = (
        f"Expected a text in the field {' or '.join(map(repr, names))}; "
        f"the question has {', '.join(question)}."
    )
    raise AttemptError("refused", told, may_pass=False)


def _opened(options: AdviceRetrievalOptions, folder: Path) -> AdviceIndex:
    try:
        path = find_file(options.file, folder=folder, option="file")
        arrays = _arrays(path, options, folder)
    except InputError as error:
        raise AttemptError("refused", str(error), may_pass=False) from error
    return AdviceIndex(arrays, options.plan, lemmas, seed=options.seed)


def _arrays(path: Path, options: AdviceRetrievalOptions, folder: Path) -> dict[str, Numbers]:
    """The arrays of the index: those that are kept, or new ones, which are kept if they can be."""
    plan = options.plan
    if options.cache is None:
        return _made(path, plan)
    place = folder / options.cache.expanduser() / digest_of(path, _VERSION, plan, word_engine())
    kept = kept_arrays(place)
    if kept is not None:
        return kept
    arrays = _made(path, plan)
    try:
        keep_arrays(place, arrays)
    except OSError as error:
        _log.warning("The index of %s is not kept in %s: %s.", path, options.cache, error)
        return arrays
    return kept_arrays(place) or arrays


def _made(path: Path, plan: IndexPlan) -> dict[str, Numbers]:
    arrays = index_arrays(read_situations(path), plan, lemmas)
    if arrays is None:
        of = f" of split {' or '.join(map(repr, plan.splits))}" if plan.splits else ""
        raise InputError(f"{path}: no situation{of} has advice to answer with.")
    return arrays
