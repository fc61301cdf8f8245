"""Words of Deal or No Deal: known ones, typed ones, and items that change their names."""

import random

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.deal.lines import read_lines
from palaver.models.deal.tensors import LineTensors
from palaver.models.deal.tokens import tokenise
from palaver.models.deal.words import (
    MARKS,
    ItemPermutations,
    as_sentence,
    deal_vocabulary,
    known_vocabulary,
    numbers_of,
)
from palaver.models.vocabulary import Vocabulary
from support.deal_lines import made_lines
from support.shared import COCOA

CPU = torch.device("cpu")
VOCABULARY = Vocabulary(
    [*MARKS, "i", "book", "books", "hat", "hats", "ball", "balls", "basketball"]
)


def renamed(way: int, said: str, context: tuple[int, ...], slots: tuple[int, ...]):
    tables = ItemPermutations.of(VOCABULARY, CPU)
    contexts, words, outcomes = tables.permute(
        torch.tensor([way]),
        torch.tensor([context]),
        torch.tensor([VOCABULARY.numbers(said.split())]),
        torch.tensor([slots]),
    )
    text = " ".join(VOCABULARY.words[number] for number in words[0].tolist())
    return text, tuple(contexts[0].tolist()), tuple(outcomes[0].tolist())


def test_marks_come_first_and_rare_words_are_unknown(tmp_path):
    lines = made_lines(tmp_path, 40)

    vocabulary = deal_vocabulary(lines, least=20)

    assert tuple(vocabulary.words[:6]) == MARKS
    assert "want" in vocabulary
    assert vocabulary.number("zeppelin") == vocabulary.number("<unk>") == 1


@pytest.mark.skipif(not COCOA.is_dir(), reason="the shared data are not here")
def test_the_published_vocabulary_has_the_published_size():
    # 471 with the four marks that are seen (Lewis et al. 2017, as their code counts), padding and
    # the unknown word beside them.
    assert len(deal_vocabulary(read_lines([COCOA / "deal_train.txt"]), least=20)) == 473


def test_a_vocabulary_without_words_or_of_another_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="The vocabulary is empty"):
        deal_vocabulary(made_lines(tmp_path, 2), least=1_000)
    with pytest.raises(InputError, match="begins with <pad> <unk> YOU:"):
        known_vocabulary(["the", "cat"])


def test_nobody_says_padding():
    assert numbers_of(["<pad>", "i", "zeppelin"], VOCABULARY) == [1, 6, 1]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("I'll take the 2 hats, ok?", "i'll take the 2 hats , ok ?"),
        ("Can’t... 3books/1hat", "can't . . . 3 books / 1 hat"),
        ('"no deal" :)', "no deal : )"),
        ("YOU: <eos> <selection>", "you : < eos > < selection >"),
        ("  ", ""),
    ],
)
def test_what_a_partner_types_becomes_words_as_in_the_lines(typed, words):
    assert tokenise(typed) == words.split()
    assert not set(tokenise(typed)) & set(MARKS)


def test_a_sentence_becomes_the_same_words_again():
    words = [
        "i'll",
        "take",
        "2",
        "hats",
        ",",
        "the",
        "ball",
        "(",
        "s",
        ")",
        ";",
        "ok",
        "?",
        ":",
        ")",
    ]

    assert as_sentence(words) == "i'll take 2 hats, the ball (s); ok? :)"
    assert tokenise(as_sentence(words)) == words


@pytest.mark.skipif(not COCOA.is_dir(), reason="the shared data are not here")
def test_published_messages_survive_being_typed():
    lines = random.Random(0).sample(read_lines([COCOA / "deal_val.txt"]), 300)
    said = [[w for w in line.words if w not in MARKS] for line in lines]

    same = sum(tokenise(as_sentence(words)) == words for words in said)

    # The others have quotes, or brackets that stick to a word.
    assert same >= 0.95 * len(said)


def test_a_permutation_renames_items_in_words_context_and_slots_alike():
    said, context, slots = "i books hat ball basketball", (1, 2, 3, 4, 5, 6), (1, 0, 5, 0, 3, 0)

    found = {renamed(way, said, context, slots) for way in range(6)}

    assert len(found) == 6
    assert (said, context, slots) == renamed(0, said, context, slots)
    swapped = ("i hats book ball basketball", (3, 4, 1, 2, 5, 6), (0, 1, 5, 3, 0, 0))
    assert swapped in found
    turned = ("i balls book hat hat", (3, 4, 5, 6, 1, 2), (0, 5, 1, 3, 0, 0))
    assert turned in found


def test_permuted_lines_still_add_up(tmp_path):
    lines = made_lines(tmp_path, 30)
    vocabulary = deal_vocabulary(lines, least=1)
    tensors = LineTensors.of(lines, vocabulary, CPU)
    ways = torch.arange(len(lines)) % 6

    contexts, _, slots = ItemPermutations.of(vocabulary, CPU).permute(
        ways, tensors.contexts, tensors.words, tensors.slots
    )

    agreed = slots[:, 0] <= 10
    assert torch.equal(slots[agreed, :3] + slots[agreed, 3:], contexts[agreed, ::2])
    assert torch.equal(slots[~agreed], tensors.slots[~agreed])
