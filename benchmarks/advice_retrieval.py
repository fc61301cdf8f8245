"""Advice by retrieval beside the published algorithm in plain NumPy, and scikit-learn's pipeline.

The situations are drawn: lengths are log-normal from 60 to 1,280 words, about 250 in the mean, and
words follow Zipf's law over 60,000 of them, independently of each other, so that no text is much
nearer than the next and little can be ruled out. Questions are drawn the same way and are not stored.
All sides that compute the same scores must give the same answers.
"""

import asyncio
import json
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.statistics_measuring import extrapolated, memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.systems.build import build_predictor
from palaver.systems.retrieval.kept_arrays import kept_arrays
from palaver.systems.retrieval.weighting import NOISE, Method, question_weights

HERE = __name__
WORDS, SEED = 60_000, 1
PUBLISHED = 188_620
# As many for every side, since the best of them counts.
ROUNDS = 3
METHODS: tuple[Method, ...] = ("tfidf", "bm25")


def run(*, situations: int, questions: int, plain: int) -> tuple[list[Figure], Any]:
    """Answers per second; the other sides answer fewer questions, and the rest is extrapolated."""
    figures: list[Figure] = []
    measured: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="palaver-advice-") as folder:
        side(f"{HERE}:written", folder=folder, situations=situations)
        for method in METHODS:
            size: dict[str, Any] = {"folder": folder, "method": method, "questions": questions}
            first = side(f"{HERE}:first_start", folder=folder, method=method)
            ours = side(f"{HERE}:ours", **size)
            floor = side(f"{HERE}:plain_numpy", **size, done=plain)
            if floor.pop("answers") != ours.pop("answers")[:plain]:
                raise RuntimeError(f"{method}: the answers are not those of the plain algorithm")
            measured[method] = {"first_start": first, "ours": ours, "plain": floor}
            figures += _figures(method, situations, questions, measured[method])
        theirs = side(f"{HERE}:scikit_learn", folder=folder, questions=questions, done=plain)
        measured["scikit_learn"] = theirs
    mine = measured["tfidf"]["ours"]
    name = f"tfidf (floor: scikit-learn, {plain} questions)"
    figures.append(speed(name, questions, "/s", mine, theirs))
    figures.append(Figure("scikit-learn: peak memory", theirs["peak_mb"], None, "MB"))
    return figures, measured


def _figures(
    method: Method, situations: int, questions: int, found: dict[str, Any]
) -> list[Figure]:
    ours, floor, first = found["ours"], found["plain"], found["first_start"]
    what = f"{method}, {situations:,} situations"
    name = f"{what} (floor: plain NumPy, {floor['measured']} questions)"
    # With few situations there is little to leave out: the goal is for the published baseline.
    least = 20 if method == "tfidf" and situations >= PUBLISHED else None
    return [
        speed(name, questions, "/s", ours, floor, least=least),
        seconds(f"{what}: first answer after loading", {"seconds": ours["first"]}, most=1),
        seconds(f"{what}: loading what was kept", {"seconds": ours["load"]}),
        memory(f"{what}: peak memory, loading and answering", ours),
        seconds(f"{what}: the start that makes the index", first),
        memory(f"{what}: peak memory of that start", first),
    ]


def written(*, folder: str, situations: int) -> dict[str, Any]:
    """Write the situations, each with advice of its own."""
    words, dice = _words(), np.random.default_rng(SEED)
    with (Path(folder) / "situations.jsonl").open("w", encoding="ascii") as out:
        for number in range(situations):
            drawn = _drawn(words, dice)
            advice = f"Advice {number}. " + "Talk to them before you decide anything. " * 12
            line = {
                "id": f"s{number}",
                "title": " ".join(drawn[:10]),
                "selftext": " ".join(drawn[10:]),
                "subreddit": "Advice",
                "good_comments": [{"id": f"c{number}", "body": advice, "score": 30}],
            }
            out.write(json.dumps(line) + "\n")
    return {}


def first_start(*, folder: str, method: Method) -> dict[str, Any]:
    """Read, count, weigh and keep."""
    return timed(lambda: asyncio.run(_model(folder, method).start()))


def ours(*, folder: str, method: Method, questions: int) -> dict[str, Any]:
    """Open what was kept, and answer from texts to texts."""
    asked = _questions(questions + 1)
    model = _model(folder, method)
    answers: list[str] = []

    async def answer(some: list[dict[str, str]]) -> None:
        replies = await model.predict(some)
        answers[:] = [reply.record["advice"].split(".")[0] for reply in replies]

    async def work() -> dict[str, Any]:
        began = time.perf_counter()
        await model.start()
        load = time.perf_counter() - began
        began = time.perf_counter()
        await answer(asked[-1:])
        return {"load": load, "first": time.perf_counter() - began}

    with asyncio.Runner() as runner:
        begun = runner.run(work())
        found = timed(lambda: runner.run(answer(asked[:-1])), rounds=ROUNDS)
    return {**found, **begun, "answers": answers}


def plain_numpy(*, folder: str, method: Method, questions: int, done: int) -> dict[str, Any]:
    """The dot product of each question with all stored rows, as the published server has it.

    The time is that of 32 bits, which are faster; the answers are those of 64, which are exact.
    """
    [place] = Path(folder, f"kept-{method}").iterdir()
    arrays = kept_arrays(place)
    assert arrays is not None
    starts, words = arrays["row_starts"][:-1], np.array(arrays["row_words"])
    norms, values = np.array(arrays["divisors"]), arrays["row_values"].astype(np.float32)
    noise = (NOISE if method == "tfidf" else 0.0) * np.random.default_rng(SEED).random(len(norms))
    vocabulary = {word: n for n, word in enumerate(json.loads(arrays["vocabulary"].tobytes()))}

    def nearest(asked: dict[str, str], kind: Any) -> int:
        text = f"{asked['title']} {asked['situation']}".split(" ")
        numbers = [vocabulary.get(word, 0) for word in text]
        found, times = np.unique(numbers, return_counts=True)
        question = np.zeros(len(vocabulary), dtype=kind)
        question[found] = question_weights(method, arrays["factors"][found], times)
        dots = np.add.reduceat(values * question[words], starts)
        return int(np.argmax((dots + noise) / norms))

    asked = _questions(done)
    exact = [f"Advice {nearest(each, np.float64)}" for each in asked]
    found = timed(lambda: [nearest(each, np.float32) for each in asked], rounds=ROUNDS)
    return {**extrapolated(found, done=done, wanted=questions), "answers": exact}


def scikit_learn(*, folder: str, questions: int, done: int) -> dict[str, Any]:
    """`TfidfVectorizer` and `linear_kernel`; its tf-idf is another one, so answers differ."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import linear_kernel

    vectorizer = TfidfVectorizer(analyzer=str.split, min_df=10, dtype=np.float32)
    with (Path(folder) / "situations.jsonl").open(encoding="ascii") as lines:
        records = map(json.loads, lines)
        stored = vectorizer.fit_transform(f"{each['title']} {each['selftext']}" for each in records)
    asked = [f"{each['title']} {each['situation']}" for each in _questions(done)]

    def work() -> None:
        for text in asked:
            linear_kernel(vectorizer.transform([text]), stored).argmax()

    return extrapolated(timed(work, rounds=ROUNDS), done=done, wanted=questions)


def _model(folder: str, method: Method) -> Any:
    options = {"file": "situations.jsonl", "method": method, "cache": f"kept-{method}"}
    options |= {"seed": str(SEED), "batch": "1000"}
    return build_predictor("advice_retrieval", options, folder=Path(folder))


def _questions(number: int) -> list[dict[str, str]]:
    words, dice = _words(), np.random.default_rng(SEED + 1)
    texts = [_drawn(words, dice) for _ in range(number)]
    return [
        {"uid": f"q{n}", "title": " ".join(text[:10]), "situation": " ".join(text[10:])}
        for n, text in enumerate(texts)
    ]


def _drawn(words: tuple[list[str], Any], dice: np.random.Generator) -> list[str]:
    spelled, shares = words
    length = int(np.clip(np.exp(dice.normal(np.log(210), 0.6)), 60, 1280))
    return [spelled[number] for number in np.searchsorted(shares, dice.random(length)).tolist()]


def _words() -> tuple[list[str], Any]:
    """Words that are their own lemmas, and what share of all words they and those before them are."""
    syllables = ["".join(pair) for pair in product("bdfgklmnprtvz", "aiou")]
    spelled = ["".join(parts) for parts in product(syllables, repeat=3)][:WORDS]
    shares = np.cumsum(np.arange(1.0, WORDS + 1) ** -1.1)
    return spelled, shares / shares[-1]
