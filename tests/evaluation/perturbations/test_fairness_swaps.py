"""Names and gendered words: mapped once, in their case, and by what the grammar asks for."""

import pytest

from palaver.evaluation.perturbations import (
    Layout,
    find_perturbation,
    layout_of,
    make_variants,
)
from palaver.evaluation.perturbations.names import GENDERS, GROUPS
from palaver.evaluation.perturbations.registry import as_perturbation
from palaver.evaluation.perturbations.vocabulary import lines, sections
from palaver.evaluation.tasks import builtin_task

NLI = layout_of(builtin_task("nli"))
GROUP_OF = {
    name: (group, gender)
    for group in GROUPS
    for gender in GENDERS
    for name in sections(group)[gender]
}


def _variant(name: str, text: str, *, seed: int = 1) -> str:
    records = [{"uid": "1", "t": text}]
    made = make_variants(records, Layout(texts=("t",)), [find_perturbation(name)], seed=seed)
    return str(made.records[0]["t"]) if made.records else text


def test_lists_have_the_sizes_of_the_published_ones_and_do_not_overlap() -> None:
    sizes = {group: len(lines(group)) for group in (*GROUPS, "names_gendered")}

    assert sizes == {
        "names_asian_pacific": 199,
        "names_black": 117,
        "names_hispanic": 205,
        "names_white": 223,
        "names_gendered": 196 + 189,
    }
    assert len(GROUP_OF) == 199 + 117 + 205 + 223
    assert len(lines("gendered_words")) == 147
    assert not set(sections("names_gendered")["female"]) & set(sections("names_gendered")["male"])


@pytest.mark.parametrize("seed", range(20))
def test_a_name_becomes_one_of_another_group_and_of_the_same_gender(seed: int) -> None:
    first, _, second = _variant("ethnic_names", "Mary met Jamal", seed=seed).split()

    assert GROUP_OF[first][0] != "names_white"
    assert GROUP_OF[second][0] != "names_black"
    assert (GROUP_OF[first][1], GROUP_OF[second][1]) == ("female", "male")


def test_a_name_is_mapped_once_in_all_fields_and_in_its_case() -> None:
    record = {
        "uid": "1",
        "context": "Mary's friend JOHN saw Mary.",
        "hypothesis": "John saw MARY; mary is no name.",
        "label": "entailed",
    }
    made = make_variants([record], NLI, [find_perturbation("ethnic_names")], seed=9).records[0]
    her = made["context"].split("'")[0]
    him = made["hypothesis"].split()[0]

    assert made["context"] == f"{her}'s friend {him.upper()} saw {her}."
    assert made["hypothesis"] == f"{him} saw {her.upper()}; mary is no name."


def test_names_stay_apart() -> None:
    names = list(sections("names_white")["male"])
    made = _variant("ethnic_names", " ".join(names)).split()

    assert len(set(made)) == len(names)
    assert not set(made) & set(names)


def test_gendered_names_swap_in_their_capitalised_form() -> None:
    her, _, him = _variant("gendered_words", "John and Mary").split()

    assert her in sections("names_gendered")["female"]
    assert him in sections("names_gendered")["male"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("HE slept. He sleeps, he said.", "SHE slept. She sleeps, she said."),
        ("I saw him.", "I saw her."),
        ("I saw her.", "I saw him."),
        ("Her car is red.", "His car is red."),
        ("I told her that.", "I told him that."),
        ("I gave her the key and left.", "I gave him the key and left."),
        ("The car is his.", "The car is hers."),
        ("His is red, hers is blue.", "Hers is red, his is blue."),
        ("It is her own.", "It is his own."),
        ("she's here, he'll come", "he's here, she'll come"),
        ("the queen’s men", "the king’s women"),
        ("Yes, ma'am.", "Yes, sir."),
        ("Mr. and Mrs. Fox", "Mrs. and Mr. Fox"),
        ("the theme of the hero", "the theme of the heroine"),
    ],
)
def test_gendered_words(before: str, after: str) -> None:
    assert _variant("gendered_words", before) == after


def test_swapping_twice_gives_unambiguous_words_back() -> None:
    pairs = [line.split() for line in lines("gendered_words")]
    singles = [
        (male, female)
        for male, female in pairs
        if sum(male in p for p in pairs) == sum(female in p for p in pairs) == 1
    ]
    assert len(singles) > 100
    for male, female in singles:
        if "'" not in female and male not in ("he", "his"):
            assert _variant("gendered_words", f"the {male}") == f"the {female}"
            assert _variant("gendered_words", f"the {female}") == f"the {male}"


def test_the_name_that_is_the_answer_stays_everywhere() -> None:
    qa = layout_of(builtin_task("qa"))
    record = {
        "uid": "1",
        "context": "Mary Smith met John. Mary laughed.",
        "question": "Who met John, Mary or Paul?",
        "answer": ["Mary Smith", "Mary"],
    }
    made = make_variants([record], qa, [find_perturbation("ethnic_names")], seed=2).records[0]
    him = made["context"].split("met ")[1].split(".")[0]

    assert him != "John"
    assert made["context"] == f"Mary Smith met {him}. Mary laughed."
    assert made["question"].startswith(f"Who met {him}, Mary or ")
    assert made["answer"] == ["Mary Smith", "Mary"]


def test_a_difference_in_white_space_alone_is_none() -> None:
    def squeeze(text: str, random: object) -> str:
        """Doubles spaces."""
        return text.replace(" ", "  ")

    squeeze.kind = "fairness"  # type: ignore[attr-defined]
    records = [{"uid": "1", "t": "a b"}]
    made = make_variants(
        records, Layout(texts=("t",)), [as_perturbation(squeeze, "squeeze")], seed=1
    )
    assert (made.records, made.tallies["squeeze"].unchanged) == ([], 1)
