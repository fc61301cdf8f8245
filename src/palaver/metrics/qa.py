"""Short answers to questions, against one or several right ones: SQuAD's F1 and exact match.

An answer is compared after SQuAD's normalisation: lower case, ASCII punctuation removed, the words
a, an and the removed, white space made single. References that are empty after it are dropped; a
question without any left has no answer, and the right prediction is one that is empty as well.

P. Rajpurkar, J. Zhang, K. Lopyrev, P. Liang (2016), SQuAD: 100,000+ questions for machine
comprehension of text, EMNLP; questions without an answer: P. Rajpurkar, R. Jia, P. Liang (2018),
Know what you don't know, ACL.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import ANSWERS, TEXT

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)
PAPER = (
    "P. Rajpurkar, J. Zhang, K. Lopyrev, P. Liang (2016), SQuAD, EMNLP; questions without an "
    "answer: P. Rajpurkar, R. Jia, P. Liang (2018), ACL."
)


def normalised(answer: str) -> str:
    """An answer as SQuAD compares it.

    >>> normalised("The  U.S. Army, (an army)")
    'us army army'
    """
    return " ".join(ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split())


def exact_match(predictions: Sequence[str], references: Sequence[tuple[str, ...]]) -> Score:
    """The share of questions whose prediction equals one of the right answers."""
    return _best(predictions, references, lambda given, right: float(given == right))


def token_f1(predictions: Sequence[str], references: Sequence[tuple[str, ...]]) -> Score:
    """The mean over questions of the best F1 of words against any right answer.

    With m words in common (a word twice on both sides counts twice), of g words given and r right:
    2 m / (g + r). If either side has no word, it is 1 if neither has and 0 otherwise.
    """
    return _best(predictions, references, _f1)


def _f1(given: str, right: str) -> float:
    words, wanted = given.split(), right.split()
    if not words or not wanted:
        return float(words == wanted)
    return 2 * (Counter(words) & Counter(wanted)).total() / (len(words) + len(wanted))


def _best(
    predictions: Sequence[str],
    references: Sequence[tuple[str, ...]],
    compare: Callable[[str, str], float],
) -> Score:
    """The best value over the right answers, averaged; also for questions with and without one."""
    values: list[float] = []
    answered: list[float] = []
    unanswerable: list[float] = []
    for prediction, answers in zip(predictions, references, strict=True):
        right = [each for each in map(normalised, answers) if each]
        values.append(max(compare(normalised(prediction), each) for each in right or [""]))
        (answered if right else unanswerable).append(values[-1])
    groups = {"with_answer": answered, "without_answer": unanswerable}
    parts = {name: _group(group) for name, group in groups.items() if group}
    return Score.mean_of(values, parts=parts if unanswerable else {})


def _group(values: list[float]) -> dict[str, float | int]:
    return {"value": sum(values) / len(values), "n": len(values)}


SQUAD_F1 = Metric(
    name="squad_f1",
    title="SQuAD F1",
    family="qa",
    about="How many words a short answer shares with the best of the right answers.",
    paper=PAPER,
    predictions=TEXT,
    references=ANSWERS,
    function=token_f1,
    example=Example(["the red car", ""], [["a car", "red"], []], 5 / 6),
    decomposes=True,
)
SQUAD_EM = Metric(
    name="squad_em",
    title="SQuAD exact match",
    family="qa",
    about="The share of short answers that equal a right one, but for case, articles, punctuation.",
    paper=PAPER,
    predictions=TEXT,
    references=ANSWERS,
    function=exact_match,
    example=Example(["The Red Car!", "blue"], [["red car"], ["green", "grey"]], 0.5),
    decomposes=True,
)
