"""What can be said of written advice without a reader: its words, how varied they are, and how much of
the best advice of people comes in the same order.

Training does without `metrics`, so that ROUGE-L stands here once more; a test holds the two together.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

# As ROUGE cuts texts.
_WORD = re.compile(r"[a-z0-9]+")


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def rouge_l(said: Sequence[str], meant: Sequence[str]) -> float:
    """F1 of the longest common subsequence of words, 0 where there is none.

    C.-Y. Lin (2004), ROUGE: a package for automatic evaluation of summaries, ACL workshop.

    >>> round(rouge_l("the cat sat on the mat".split(), "the cat is on the mat".split()), 3)
    0.833
    """
    common = common_length(said, meant)
    return 2 * common / (len(said) + len(meant)) if common else 0.0


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence, a whole row of its table as the bits of a number.

    M. Crochemore et al. (2001), A fast and practical bit-vector algorithm for the longest common
    subsequence problem, Information Processing Letters 80, 279-285.
    """
    places: dict[str, int] = {}
    for n, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << n
    every = (1 << len(one)) - 1
    row = every
    for word in other:
        hits = row & places.get(word, 0)
        row = ((row + hits) | (row - hits)) & every
    return len(one) - row.bit_count()


def different(texts: Iterable[Sequence[str]], n: int) -> tuple[list[float], list[float]]:
    """Of each text the n-grams, each divided by how often it occurs in all texts; and their number.

    The sum of the first over that of the second is the share of different n-grams, distinct-n.
    """
    grams = [list(zip(*(words[k:] for k in range(n)), strict=False)) for words in texts]
    often = Counter(gram for some in grams for gram in some)
    shares = [sum(1 / often[gram] for gram in some) for some in grams]
    return shares, [float(len(some)) for some in grams]
