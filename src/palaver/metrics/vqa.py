"""Accuracy against the answers of several people, as in Visual Question Answering.

An answer is compared after the normalisation of the challenge: punctuation (below), lower case, the
words none and zero to ten as digits, no articles, the apostrophe put back into contractions. Both
sides are normalised in full, as the challenge's server does; the script published first did less to
the people's answers.

S. Antol et al. (2015), VQA: Visual Question Answering, ICCV; the average over people and the
normalisation: https://visualqa.org/evaluation.html.
"""

import re
from collections.abc import Sequence

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import HUMAN_ANSWERS, TEXT

MATCHES = 3  # as many people must have said it for full marks
ARTICLES = frozenset({"a", "an", "the"})
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
DIGITS = {"none": "0"} | {word: str(n) for n, word in enumerate(NUMBERS)}
PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
# A number such as 1,000: then punctuation vanishes instead of leaving a space.
COMMA_IN_NUMBER = re.compile(r"\d,\d")
PERIOD = re.compile(r"\.(?!\d)")
CONTRACTED = """
    ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't
    haven't he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've
    might've mustn't must've needn't not've o'clock oughtn't 'ow's'at shan't should've shouldn't
    shouldn't've somebody'd've somebody'll somebody's someone'd someone'd've someone'll someone's
    something'd something'd've something'll that's there'd there'd've there're there's they'd
    they'd've they'll they're they've 'twas wasn't we've weren't what'll what're what's what've
    when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't
    would've wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've
    she'd've we'd've
"""
# Each of them with one apostrophe missing; the last entry is the challenge's own oddity.
CONTRACTIONS = {
    word[:place] + word[place + 1 :]: word
    for word in CONTRACTED.split()
    for place, letter in enumerate(word)
    if letter == "'"
} | {"somebody'd": "somebodyd"}


def normalised(answer: str) -> str:
    """An answer as the challenge compares it.

    A punctuation mark beside a space vanishes, one inside a word becomes a space; if there is a
    number such as 1,000 all marks vanish. A period vanishes unless a digit follows.

    >>> normalised("The two dogs, didnt run.")
    "2 dogs didn't run"
    >>> normalised("1,000"), normalised("red/white"), normalised("2.5")
    ('1000', 'red white', '2.5')
    """
    answer = answer.replace("\n", " ").replace("\t", " ").strip()
    words = (DIGITS.get(word, word) for word in _without_marks(answer).lower().split())
    return " ".join(CONTRACTIONS.get(word, word) for word in words if word not in ARTICLES)


def _without_marks(answer: str) -> str:
    numeric = COMMA_IN_NUMBER.search(answer) is not None
    text = answer
    for mark in PUNCTUATION:
        loose = numeric or f"{mark} " in answer or f" {mark}" in answer
        text = text.replace(mark, "" if loose else " ")
    return PERIOD.sub("", text)


def accuracy_among(matches: int, people: int) -> float:
    """The score of an answer that `matches` of `people` gave.

    Each person is left out in turn, and the answer is worth min(1, matches among the others / 3);
    the mean of these is (m min(1, (m − 1)/3) + (h − m) min(1, m/3)) / h.

    >>> [round(accuracy_among(matches, 10), 3) for matches in (0, 1, 2, 3, 4, 10)]
    [0.0, 0.3, 0.6, 0.9, 1.0, 1.0]
    """
    without_one = matches * min(1.0, max(matches - 1, 0) / MATCHES)
    others = (people - matches) * min(1.0, matches / MATCHES)
    return (without_one + others) / people


def vqa_accuracy(predictions: Sequence[str], references: Sequence[tuple[str, ...]]) -> Score:
    """The mean over questions of `accuracy_among` the people's answers."""
    values = []
    for prediction, answers in zip(predictions, references, strict=True):
        given = normalised(prediction)
        same = sum(normalised(answer) == given for answer in answers)
        values.append(accuracy_among(same, len(answers)))
    few = sum(len(answers) <= MATCHES for answers in references)
    warning = (
        f"{few} of {len(references)} questions have {MATCHES} answers or fewer; "
        "with so few, even an answer that all of them gave scores less than 1."
    )
    return Score.mean_of(values, warnings=(warning,) if few else ())


VQA_ACCURACY = Metric(
    name="vqa_accuracy",
    title="VQA accuracy",
    family="qa",
    about="Whether people gave the same answer: full marks if at least three others did.",
    paper="S. Antol et al. (2015), VQA: Visual Question Answering, ICCV; averaged over people as "
    "on visualqa.org/evaluation.",
    predictions=TEXT,
    references=HUMAN_ANSWERS,
    function=vqa_accuracy,
    example=Example(["two", "red"], [["2"] * 10, ["red", "Red.", "red", *["brown"] * 7]], 0.95),
    decomposes=True,
)
