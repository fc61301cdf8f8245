"""How varied texts are among themselves: distinct-n and self-BLEU. There are no references."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT, one_of, yes_or_no
from palaver.metrics.text.bleu import ORDER, TOKENIZERS
from palaver.metrics.text.library import sacrebleu_metrics
from palaver.metrics.text.words import MEANINGS, ngrams, tokens_of

LI = "J. Li, M. Galley, C. Brockett, J. Gao, B. Dolan (2016), A diversity-promoting objective "
LI += "function for neural conversation models, NAACL."
TOKENS = {"tokens": f"how texts are tokenised (default 'words'): {MEANINGS}"}
_SAID = ["i do not know", "i do not think so"]


def distinct_1(predictions: Sequence[str], *, tokens: str = "words") -> Score:
    """Different words as a share of all words in all texts together."""
    return _distinct(predictions, tokens, 1)


def distinct_2(predictions: Sequence[str], *, tokens: str = "words") -> Score:
    """Different pairs of neighbouring words as a share of all pairs in all texts together."""
    return _distinct(predictions, tokens, 2)


def _distinct(predictions: Sequence[str], tokens: str, order: int) -> Score:
    """Pairs do not reach over the end of a text; texts of one word have none."""
    runs = [run for text in tokens_of(predictions, tokens) for run in ngrams(text, order)]
    if not runs:
        return Score.undefined(f"no text has {order} token{'s' if order > 1 else ''}")
    different = len(set(runs))
    return Score(value=different / len(runs), parts={"different": different, "all": len(runs)})


def self_bleu(
    predictions: Sequence[str], *, tokenize: str = "13a", lowercase: bool = False
) -> Score:
    """The mean BLEU of each text with all other texts as its references.

    Each is a BLEU of one text as sacrebleu computes it: exponential smoothing, and only the orders
    that occur in the text. Undefined for fewer than two texts.
    """
    metric = sacrebleu_metrics("Self-BLEU").BLEU(
        tokenize=one_of("tokenize", tokenize, TOKENIZERS),
        lowercase=yes_or_no("lowercase", lowercase),
        effective_order=True,
    )
    if len(predictions) < 2:
        return Score.undefined("self-BLEU compares texts with each other and needs two")
    texts = [text.lower() if lowercase else text for text in predictions]
    cut = [metric.tokenizer(text.rstrip()).split() for text in texts]
    return Score.mean_of(_against_others(metric, cut))


def _against_others(metric: Any, cut: list[list[str]]) -> list[float]:
    """BLEU of each text against the others, without going over the others for each.

    A run of words counts as often as the other text that has it most often. Over all texts but one
    that is the highest count, or the second highest for the text that holds the highest.
    """
    runs = [Counter(run for n in range(1, ORDER + 1) for run in ngrams(text, n)) for text in cut]
    highest: dict[tuple[str, ...], tuple[int, int]] = {}
    for counts in runs:
        for run, times in counts.items():
            first, second = highest.get(run, (0, 0))
            highest[run] = (max(first, times), max(second, min(first, times)))
    lengths = sorted(len(text) for text in cut)
    values = []
    for text, counts in zip(cut, runs, strict=True):
        right, total = [0] * ORDER, [0] * ORDER
        for run, times in counts.items():
            first, second = highest[run]
            total[len(run) - 1] += times
            right[len(run) - 1] += min(times, second if times == first else first)
        near = _nearest_other(lengths, len(text))
        bleu = metric.compute_bleu(right, total, len(text), near, "exp", effective_order=True)
        values.append(float(bleu.score))
    return values


def _nearest_other(lengths: list[int], own: int) -> int:
    """The length nearest to one's own among sorted lengths, one's own taken out once."""
    place = bisect_left(lengths, own)
    beside = [*lengths[max(place - 1, 0) : place], *lengths[place + 1 : place + 2]]
    return min(beside, key=lambda length: (abs(length - own), length))


DISTINCT_1 = Metric(
    name="distinct_1",
    title="Distinct-1",
    family="text",
    about="Different words as a share of all words. It falls as texts get more or longer, so "
    "compare sets of equal size only.",
    paper=LI,
    predictions=TEXT,
    options=TOKENS,
    function=distinct_1,
    example=Example(_SAID, None, 6 / 9),
)
DISTINCT_2 = Metric(
    name="distinct_2",
    title="Distinct-2",
    family="text",
    about="Different pairs of neighbouring words as a share of all pairs. It falls as texts get "
    "more or longer, so compare sets of equal size only.",
    paper=LI,
    predictions=TEXT,
    options=TOKENS,
    function=distinct_2,
    example=Example(_SAID, None, 5 / 7),
)
SELF_BLEU = Metric(
    name="self_bleu",
    title="Self-BLEU",
    family="text",
    about="How much each text repeats the others: its BLEU with all others as references.",
    direction="lower",
    unit="points",
    high=100,
    paper="Y. Zhu et al. (2018), Texygen: a benchmarking platform for text generation models, "
    "SIGIR; each BLEU by sacrebleu.",
    predictions=TEXT,
    options={
        "tokenize": f"how texts are tokenised: {', '.join(TOKENIZERS)} (default 13a)",
        "lowercase": "true: upper and lower case are the same",
    },
    function=self_bleu,
    example=Example([*_SAID, "what a day"], None, 33.074631),
    decomposes=True,
    extra="metrics",
)
