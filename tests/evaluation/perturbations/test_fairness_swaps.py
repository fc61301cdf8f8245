"""Names and gendered words: mapped once, in their case, and by what the grammar asks for."""

import re
from dataclasses import replace

import pytest

from palaver.evaluation.perturbations import (
    Layout,
    chosen_perturbations,
    find_perturbation,
    layout_of,
    make_variants,
)
from palaver.evaluation.perturbations.legacy_names import LEGACY_GENDERED, LEGACY_GROUPS
from palaver.evaluation.perturbations.names import GENDERS, GROUPS, folded, listed_name
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


def test_every_list_holds_four_hundred_names_and_no_name_stands_in_two() -> None:
    by_group = {group: sum(name_[0] == group for name_ in GROUP_OF.values()) for group in GROUPS}
    listed = [name for group in GROUPS for gender in GENDERS for name in sections(group)[gender]]

    assert min(by_group.values()) >= 400
    assert min(sum(GROUP_OF[n][1] == gender for n in GROUP_OF) for gender in GENDERS) >= 400
    assert len(listed) == len(set(listed))
    # Names beyond Latin-1 would make every text that they are put into twice as slow to write.
    assert all(name.encode("latin-1").decode("latin-1").isalpha() for name in listed)
    assert not set(listed) & set(lines("also_words"))


def test_two_names_that_read_the_same_without_accents_belong_to_two_groups() -> None:
    read: dict[str, list[str]] = {}
    for name in GROUP_OF:
        read.setdefault(folded(name), []).append(name)
    for names in (each for each in read.values() if len(each) > 1):
        assert len({GROUP_OF[name][0] for name in names}) == len(names), names


@pytest.mark.parametrize(
    ("names", "group"),
    [
        ("Ahmed Fatima Mohammed Muhammad Omar Aicha", "names_middle_eastern"),
        ("Wei Mei Priya Hiroshi Minjun Linh", "names_asian_pacific"),
        ("Maria María Jose José Sofia Sofía JOSE Jose\u0301", "names_hispanic"),
        ("Jamal Lakisha DeAndre Kwame Ngozi Aisha", "names_black"),
        ("Emily Greg Zoë Björn Bjorn Monica", "names_white"),
    ],
)
def test_common_names_are_found_with_and_without_accents(names: str, group: str) -> None:
    assert {GROUP_OF[listed_name(name)][0] for name in names.split()} == {group}


def test_a_name_as_it_is_written_goes_before_one_without_its_accents() -> None:
    assert (listed_name("Martín"), listed_name("Martin")) == ("Martín", "Martin")
    assert GROUP_OF["Martín"][0] != GROUP_OF["Martin"][0]


@pytest.mark.parametrize(
    "text",
    [
        "Will and Mark chase Grace in May; Rose, Hope and Chase saw Jordan in Paris.",
        "Jesus wept. An Angel came. A German and a Roman met.",
        "San Jose, Santa Maria, St. Paul, St Louis, Saint Francis, Port Elizabeth, Mount Isa",
        "Henry County, Victoria Street, Minh City, Maria Island",
        "the Prophet Muhammad, Pope Francis, Hurricane Andrew",
        "maria, ahmed and wei",
    ],
)
def test_words_and_places_stay(text: str) -> None:
    assert _variant("ethnic_names", text) == text


def test_a_place_protects_the_name_in_it_and_no_other() -> None:
    made = _variant("ethnic_names", "Jose left San Jose. Paul, not St. Paul, met Ángel.")
    first, second, third = re.fullmatch(  # type: ignore[union-attr]
        r"(\w+) left San Jose\. (\w+), not St\. Paul, met (\w+)\.", made
    ).groups()

    assert "names_hispanic" not in (GROUP_OF[first][0], GROUP_OF[third][0])
    assert GROUP_OF[second][0] != "names_white"


def test_one_name_with_and_without_its_accent_becomes_one_name() -> None:
    him, _, again, _, shouted = _variant("ethnic_names", "José saw Jose, and JOSÉ").split()

    assert again == f"{him},"
    assert shouted == him.upper()


def test_the_legacy_lists_have_the_sizes_of_the_published_ones() -> None:
    sizes = {name: len(lines(name)) for name in (*LEGACY_GROUPS, LEGACY_GENDERED)}

    assert sizes == {
        "legacy_names_asian_pacific": 199,
        "legacy_names_black": 117,
        "legacy_names_hispanic": 205,
        "legacy_names_white": 223,
        "legacy_names_gendered": 196 + 189,
    }
    assert len(lines("gendered_words")) == 147


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("ethnic_names", "Vandana met Nicholas, not Jose; her KING is Moana's."),
        ("gendered_words", "Elliot met Dulce, not Jose; his QUEEN is Ted's."),
    ],
)
def test_legacy_makes_the_variants_that_were_made_before(name: str, after: str) -> None:
    # Under the uid that variants had then: draws depend on it.
    legacy = replace(find_perturbation(f"legacy_{name}"), name=name)
    records = [{"uid": "1", "t": "Emily met José, not Jose; her KING is Keisha's."}]
    made = make_variants(records, Layout(texts=("t",)), [legacy], seed=1)

    assert made.records[0]["t"] == after


def test_legacy_is_made_only_where_it_is_asked_for() -> None:
    usual = [name for name, _ in chosen_perturbations("fairness")]

    assert usual == ["ethnic_names", "gendered_words"]
    assert chosen_perturbations("fairness", ["legacy_ethnic_names"])[0][1].on_request


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

    # Only the gender changes: both stay in their group.
    assert GROUP_OF[her] == ("names_white", "female")
    assert GROUP_OF[him] == ("names_white", "male")


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
