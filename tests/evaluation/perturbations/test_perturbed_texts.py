"""Each perturbation of texts changes what it says, and nothing else."""

import random
import re
import unicodedata
from collections import Counter

import pytest

from palaver.evaluation.perturbations import Layout, find_perturbation, make_variants
from palaver.evaluation.perturbations.look_alikes import HIDDEN, MISREAD, MISREAD_PAIRS, SIMILAR
from palaver.evaluation.perturbations.spelling import misspellings
from palaver.evaluation.perturbations.typing_errors import NEIGHBOURS

VOCABULARY = [
    "Where",
    "is",
    "the",
    "nearest",
    "station",
    "because",
    "people",
    "don't",
    "really",
    "receive",
    "beautiful",
    "letters",
    "and",
    "it",
    "is",
    "not",
    "modern",
    "to",
    "write,",
    "however:",
    "friends",
    "said",
    "that",
    "they",
    "will!",
    "Café",
    "prices",
    "(3.14)",
    "went",
    "up",
]


def _sentences(count: int = 200) -> list[str]:
    draws = random.Random(7)
    return [" ".join(draws.choices(VOCABULARY, k=draws.randint(4, 20))) + "." for _ in range(count)]


SENTENCES = _sentences()


def perturbed(name: str, texts: list[str], *, seed: int = 1) -> dict[str, str]:
    """Original and variant of the texts that changed."""
    records = [{"uid": str(n), "t": each} for n, each in enumerate(texts)]
    made = make_variants(records, Layout(texts=("t",)), [find_perturbation(name)], seed=seed)
    return {texts[int(variant["input_id"])]: variant["t"] for variant in made.records}


def one(name: str, text: str) -> str:
    """The variant of one text."""
    return perturbed(name, [text]).get(text, text)


@pytest.mark.parametrize(
    "name",
    [
        *("typos", "keyboard", "casing", "punctuation", "whitespace", "split_words"),
        *("similar_characters", "zero_width", "fun_fonts", "ocr"),
    ],
)
def test_every_sentence_changes(name: str) -> None:
    assert len(perturbed(name, SENTENCES)) == len(set(SENTENCES))


def test_casing_changes_only_case() -> None:
    changed = perturbed("casing", SENTENCES)

    assert all(old.lower() == new.lower() for old, new in changed.items())
    assert any(new.isupper() for new in changed.values())
    assert any(new.islower() for new in changed.values())
    assert any(not new.isupper() and not new.islower() for new in changed.values())


@pytest.mark.parametrize("name", ["whitespace", "split_words"])
def test_spacing_changes_only_white_space(name: str) -> None:
    for old, new in perturbed(name, SENTENCES).items():
        assert "".join(old.split()) == "".join(new.split())
        # Not only doubled: a tokeniser sees the difference too.
        assert old.split() != new.split()


def test_words_are_split_once_and_inside() -> None:
    for old, new in perturbed("split_words", SENTENCES).items():
        assert len(new.split()) - len(old.split()) == new.count(" ") - old.count(" ")
        assert new.strip() == new


def test_zero_width_characters_are_all_that_is_added() -> None:
    hidden = "".join(map(chr, HIDDEN))
    for old, new in perturbed("zero_width", SENTENCES).items():
        assert re.sub(f"[{hidden}]", "", new) == old


def test_punctuation_is_removed_or_put_in_but_numbers_and_words_stay() -> None:
    changed = perturbed("punctuation", SENTENCES)
    for old, new in changed.items():
        assert re.sub(r"[^\w\s]", "", old) == re.sub(r"[^\w\s]", "", new)
        assert new.count("3.14") == old.count("3.14")
        assert new.count("don't") == old.count("don't")
    assert {len(new) < len(old) for old, new in changed.items()} == {True, False}


def test_fun_fonts_are_the_same_letters() -> None:
    for old, new in perturbed("fun_fonts", SENTENCES).items():
        assert unicodedata.normalize("NFKC", new) == old


def test_keys_are_neighbours() -> None:
    for old, new in perturbed("keyboard", SENTENCES).items():
        assert len(old) == len(new)
        pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert pairs
        assert all(b.lower() in NEIGHBOURS[a.lower()] for a, b in pairs)
        assert all(a.isupper() == b.isupper() for a, b in pairs)


def test_neighbours_are_mutual() -> None:
    assert all(key in NEIGHBOURS[other] for key, around in NEIGHBOURS.items() for other in around)


def test_similar_characters_come_from_the_list() -> None:
    for old, new in perturbed("similar_characters", SENTENCES).items():
        pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert all(b in SIMILAR[a] for a, b in pairs)
    assert all(len(other) == 1 and other != letter for letter, o in SIMILAR.items() for other in o)


def test_typos_leave_words_and_first_letters() -> None:
    kinds: Counter[int] = Counter()
    for old, new in perturbed("typos", SENTENCES).items():
        assert len(old.split()) == len(new.split())
        for a, b in zip(old.split(), new.split(), strict=True):
            kinds[len(b) - len(a)] += a != b
            assert abs(len(b) - len(a)) <= 2
            assert set(b) <= set(old)
    assert all(kinds[grown] for grown in (-1, 0, 1))


def test_a_scanner_misreads_what_is_listed() -> None:
    assert one("ocr", "rn") in ("m", "ri")
    for old, new in perturbed("ocr", SENTENCES).items():
        assert len(old.split()) == len(new.split())
    letters = "".join(MISREAD) + " "
    assert all(one("ocr", letter) in MISREAD[letter] for letter in letters.strip())
    assert MISREAD_PAIRS["rn"] == "m"


def test_misspellings_come_from_the_list_and_keep_case() -> None:
    for old, new in perturbed("spelling", SENTENCES).items():
        for a, b in zip(old.split(), new.split(), strict=True):
            a, b = a.strip(".,:!()"), b.strip(".,:!()")
            assert a == b or b.lower() in misspellings()[a.lower()]
    assert one("spelling", "Receive") == "Recieve"
    assert one("spelling", "RECEIVE") == "RECIEVE"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I don't know.", "I do not know."),
        ("Don’t go.", "Do not go."),
        ("DON'T GO", "DO NOT GO"),
        ("It is late.", "It's late."),
        ("Yes, it is.", "Yes, it is."),
        ("I am sure he isn't.", "I'm sure he is not."),
        ("She's been there.", "She has been there."),
        ("You'd better go.", "You had better go."),
        ("You'd like it.", "You would like it."),
        ("the dog's bone", "the dog's bone"),
        ("They can't, I won't.", "They cannot, I will not."),
        ("I'M LATE", "I AM LATE"),
        ("I'll see", "I will see"),
        ("He is not here.", "He's not here."),
    ],
)
def test_contractions(before: str, after: str) -> None:
    assert one("contractions", before) == after


def test_a_text_that_cannot_change_is_left_out() -> None:
    records = [{"uid": "1", "t": "…"}, {"uid": "2", "t": ""}, {"uid": "3", "t": "   "}]
    layout = Layout(texts=("t",))
    for name in ("typos", "keyboard", "casing", "spelling", "whitespace", "zero_width", "ocr"):
        made = make_variants(records, layout, [find_perturbation(name)], seed=1)
        assert (made.records, made.tallies[name].unchanged) == ([], 3)
