"""What is counted of a question, and of each of its turns: words by where they stand, and overlap.

A row holds groups of features; each group is weighed by itself, so that three numbers on overlap are
not drowned by three hundred words.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from palaver.models.baselines.layout import TaskLayout
from palaver.models.baselines.tokens import lower_words, word_runs

Question = Mapping[str, Any]
# Groups of features; one that occurs twice stands there twice.
FeatureRow = list[list[str]]

# Of more texts than these not every two are compared.
MOST_COMPARED = 3
# Numbers of turns and places are told apart up to this.
MOST_PLACES = 5


def question_row(layout: TaskLayout, question: Question, *, longest: int) -> FeatureRow:
    """The features of a whole question: words of each field, words in common, shape."""
    texts = {each.name: lower_words(str(question[each.name])) for each in layout.texts}
    words = [f"{name}|{run}" for name, own in texts.items() for run in word_runs(own, longest)]
    common: list[str] = []
    shape = [f"{name} {size_of(own)}" for name, own in texts.items()]
    for part in layout.dialogues:
        own_words, own_common, own_shape = _dialogue(part.name, question[part.name], longest)
        words, common, shape = words + own_words, common + own_common, shape + own_shape
    for one, other in combinations(list(texts)[:MOST_COMPARED], 2):
        own_common, own_shape = _compared(one, texts[one], other, texts[other])
        common, shape = common + own_common, shape + own_shape
    return [words, common, shape + _told(layout, question)]


def turn_rows(dialogue: Sequence[Mapping[str, str]], *, longest: int) -> list[FeatureRow]:
    """The features of each turn: its words by speaker, those of the turn before, its place."""
    words = [lower_words(turn["text"]) for turn in dialogue]
    rows: list[FeatureRow] = []
    for n, turn in enumerate(dialogue):
        speaker = turn["speaker"]
        own = [f"{speaker}|{run}" for run in word_runs(words[n], longest)]
        before = [f"{speaker} after|{word}" for word in words[n - 1]] if n else []
        place = [
            f"place {min(n, MOST_PLACES)}",
            f"left {min(len(dialogue) - 1 - n, MOST_PLACES)}",
            f"words {size_of(words[n])}",
            f"new {said_before(words, n)}",
            *([f"same as before {share_in(words[n], words[n - 1])}"] if n else []),
        ]
        rows.append([own, before, [f"{speaker} {each}" for each in place]])
    return rows


def size_of(words: Sequence[Any]) -> str:
    """About how many words there are, as a feature: the power of two.

    >>> [size_of(["so"] * n) for n in (0, 1, 5, 100)]
    ['0', '1', '4', '64']
    """
    return str(1 << (len(words).bit_length() - 1)) if words else "0"


def share_in(words: Sequence[str], others: Sequence[str]) -> str:
    """The share of different words that stand among others, in tenths.

    >>> share_in(["no", "light", "no"], ["red", "light"])
    '5'
    """
    here = set(words)
    return str(10 * len(here & set(others)) // len(here)) if here else "-"


def said_before(words: Sequence[Sequence[str]], n: int) -> str:
    """The largest share of a turn's words that any turn before it has, in tenths."""
    shares = [share_in(words[n], words[k]) for k in range(n)]
    return max((each for each in shares if each != "-"), key=int, default="-")


def _dialogue(
    name: str, turns: Sequence[Mapping[str, str]], longest: int
) -> tuple[list[str], list[str], list[str]]:
    """Words by speaker, those of the last turn once more, and how it stands to what was said."""
    words = [lower_words(turn["text"]) for turn in turns]
    found = [
        f"{name}/{turn['speaker']}|{run}"
        for turn, own in zip(turns, words, strict=True)
        for run in word_runs(own, longest)
    ]
    if not turns:
        return found, [], [f"{name} 0 turns"]
    last = words[-1]
    found += [f"{name} last|{run}" for run in word_runs(last, longest)]
    earlier = {word for own in words[:-1] for word in own}
    common = [f"{name} again|{word}" for word in dict.fromkeys(last) if word in earlier]
    shape = [
        f"{name} {size_of(turns)} turns",
        f"{name} last by {turns[-1]['speaker']}",
        f"{name} last {size_of(last)} words",
        f"{name} said before {said_before(words, len(words) - 1)}",
    ]
    if len(words) > 1:
        shape.append(f"{name} as the turn before {share_in(last, words[-2])}")
    return found, common, shape


def _compared(
    one: str, ones: Sequence[str], other: str, others: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Which words of the second text the first has and which not, and how many of either."""
    known = set(ones)
    common = [
        f"{other} {'as' if word in known else 'beside'} {one}|{word}"
        for word in dict.fromkeys(others)
    ]
    runs, other_runs = word_runs(ones, 2)[len(ones) :], word_runs(others, 2)[len(others) :]
    shape = [
        f"{other} in {one} {share_in(others, ones)}",
        f"{one} in {other} {share_in(ones, others)}",
        f"pairs of {other} in {one} {share_in(other_runs, runs)}",
    ]
    return common, shape


def _told(layout: TaskLayout, question: Question) -> list[str]:
    """What is asked besides texts: labels and numbers as they are. Images are not looked at."""
    found: list[str] = []
    for part in layout.asked:
        value: Any = question.get(part.name)
        if part.is_text or part.is_dialogue or part.kind == "image" or value is None:
            continue
        if isinstance(value, Mapping):
            value = max(value, key=lambda label: float(value[label]), default="")
        for each in value if isinstance(value, list) else [value]:
            shown = f"{each:.1f}" if isinstance(each, float) else str(each)
            found.append(f"{part.name} = {shown}")
    return found
