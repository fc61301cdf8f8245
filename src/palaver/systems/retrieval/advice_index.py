"""Situations with the advice that each is answered with, and the one that is nearest to a question.

Only situations that got advice are stored. What is stored is arrays alone, so that a set of hundreds
of thousands opens at once from the files of an earlier start.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from palaver.core.numeric import Numbers, np
from palaver.core.situations import Situation
from palaver.systems.retrieval.nearest import NearestTexts
from palaver.systems.retrieval.weighting import NOISE, Method, question_weights, weigh
from palaver.systems.retrieval.word_counts import WordCounter

Words = Callable[[str], Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class IndexPlan:
    """What is stored and how: the same plan makes the same index of the same file.

    `legacy` answers with the first comment that is stored and not with the best one, and it may be
    that of the very situation that is asked about. No `splits` means all of them. Words that occur
    fewer than `least` times are unknown.
    """

    method: Method = "tfidf"
    legacy: bool = False
    splits: tuple[str, ...] = ()
    least: int = 10


class AdviceIndex:
    """Answers questions with the advice of the nearest situation."""

    def __init__(
        self, arrays: Mapping[str, Numbers], plan: IndexPlan, words: Words, *, seed: int = 1
    ) -> None:
        self.arrays = arrays
        self._plan, self._cut = plan, words
        self._texts = NearestTexts(arrays)
        if plan.method == "tfidf":
            self._texts.add_noise(NOISE, seed)
        spelled = msgspec.json.decode(arrays["vocabulary"].tobytes(), type=list[str])
        self._numbers = {word: number for number, word in enumerate(spelled)}

    def __len__(self) -> int:
        return len(self._texts)

    def nearest(self, title: str, text: str, *, ids: Collection[str] = ()) -> int | None:
        """The number of the nearest situation; None if there is no other than this one."""
        found = Counter(self._numbers.get(word, 0) for word in self._cut(_joined(title, text)))
        numbers = np.array(sorted(found), dtype=np.int64)
        times = np.array([found[number] for number in numbers.tolist()], dtype=np.int64)
        factors = self.arrays["factors"][numbers]
        weights = question_weights(self._plan.method, factors, times)
        same = None if self._plan.legacy else self._same(title, text, ids)
        nearest = self._texts.find(numbers, weights, without=same)
        return None if nearest is None else nearest.row

    def advice(self, number: int) -> str:
        """What a stored situation is answered with."""
        begin, end = self.arrays["advice_ends"][number : number + 2]
        return self.arrays["advice"][begin:end].tobytes().decode()

    def _same(self, title: str, text: str, ids: Collection[str]) -> Numbers:
        """The stored situations that are the one asked about."""
        same = self.arrays["marks"] == _mark(_joined(title, text))
        for id in ids:
            same |= self.arrays["ids"] == _mark(id)
        return np.flatnonzero(same)


def index_arrays(
    situations: Iterable[Situation], plan: IndexPlan, words: Words
) -> dict[str, Numbers] | None:
    """What an index is made of, situations read one by one; None if none of them can answer."""
    counter, blob, ends = WordCounter(), bytearray(), [0]
    ids: list[int] = []
    marks: list[int] = []
    for situation in situations:
        given = _answer(situation, plan)
        if not given:
            continue
        counter.add(words(_joined(situation.title, situation.text)))
        blob += given.encode("utf-8", "replace")
        ends.append(len(blob))
        ids.append(_mark(situation.id))
        marks.append(_mark(_joined(situation.title, situation.text)))
    if not len(counter):
        return None
    own: dict[str, Numbers] = {
        "advice": np.frombuffer(bytes(blob), dtype=np.uint8),
        "advice_ends": np.array(ends, dtype=np.int64),
        "ids": np.array(ids, dtype=np.uint64),
        "marks": np.array(marks, dtype=np.uint64),
    }
    return own | _searched(counter, plan)


def _searched(counter: WordCounter, plan: IndexPlan) -> dict[str, Numbers]:
    counts = counter.counts(least=plan.least)
    weighting = weigh(counts, plan.method)
    texts = NearestTexts.of(counts.table, weighting.values, weighting.divisors)
    spelled = msgspec.json.encode(counts.words)
    return texts.arrays | {
        "factors": weighting.factors,
        "vocabulary": np.frombuffer(spelled, dtype=np.uint8),
    }


def _answer(situation: Situation, plan: IndexPlan) -> str:
    """What a situation is answered with; empty if it is not to be stored."""
    if plan.splits and situation.more.get("split") not in plan.splits:
        return ""
    if plan.legacy:
        return situation.advice[0].body if situation.advice else ""
    return next((each.body for each in situation.ranked if each.body.strip()), "")


def _joined(title: str, text: str) -> str:
    return f"{title} {text}"


def _mark(text: str) -> int:
    """64 bits that stand for a text, whatever its case and its spaces are."""
    plain = " ".join(text.split()).casefold().encode("utf-8", "replace")
    return int.from_bytes(blake2b(plain, digest_size=8).digest(), "little")
