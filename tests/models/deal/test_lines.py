"""Published lines of Deal or No Deal: read as they are, refused where they are cut or mixed up."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.models.deal.lines import divided, read_lines
from support.deal_lines import made_lines
from support.shared import COCOA

LINE = (
    "<input> 1 0 4 2 1 2 </input> <dialogue> YOU: four hats ? <eos> THEM: deal <eos> YOU: <selection>"
    " </dialogue> <output> item0=0 item1=4 item2=0 item0=1 item1=0 item2=1 </output>"
    " <partner_input> 1 4 4 1 1 2 </partner_input>"
)


def read_text(folder: Path, text: str) -> list:
    path = folder / "deals.txt"
    path.write_text(text, encoding="utf-8")
    return read_lines([path])


def test_a_line_says_what_there_was_what_was_said_and_who_got_what(tmp_path):
    (line,) = read_text(tmp_path, LINE)

    assert line.context == (1, 0, 4, 2, 1, 2)
    assert line.partner == (1, 4, 4, 1, 1, 2)
    assert " ".join(line.words) == "YOU: four hats ? <eos> THEM: deal <eos> YOU: <selection>"
    assert line.slots == (0, 4, 0, 1, 0, 1)
    assert line.is_deal


def test_messages_as_people_type_them_become_words_as_published(tmp_path):
    typed = LINE.replace("four hats ?", "Hey, four hats?").replace("THEM: deal", "THEM: Deal!")

    (line,) = read_text(tmp_path, typed)

    assert " ".join(line.words) == (
        "YOU: hey , four hats ? <eos> THEM: deal ! <eos> YOU: <selection>"
    )


def test_why_there_was_no_deal_is_a_class_after_the_counts(tmp_path):
    output = LINE[LINE.index("item0") : LINE.index(" </output>")]

    found = [
        read_text(tmp_path, LINE.replace(output, " ".join([why] * 6)))[0]
        for why in ("<disagree>", "<no_agreement>", "<disconnect>")
    ]

    assert [line.slots for line in found] == [(11,) * 6, (12,) * 6, (13,) * 6]
    assert not any(line.is_deal for line in found)


@pytest.mark.parametrize(
    ("spoiled", "told"),
    [
        (LINE[:90], "The line may be cut off"),
        ("1 0 4 2 1 2", "the file another one"),
        (LINE.replace(" YOU: <selection>", ""), "ends with <selection>"),
        (LINE.replace("<eos> THEM: deal", "<eos> deal"), "at the beginning of each message"),
        (LINE.replace("THEM: deal", "THEM: deal YOU: hat"), "at the beginning of each message"),
        (LINE.replace("1 0 4 2 1 2", "1 0 4 2 1"), "six whole numbers of 0 to 10"),
        (LINE.replace("1 0 4 2 1 2", "1 0 4 2 1 99"), "six whole numbers of 0 to 10"),
        (LINE.replace("1 4 4 1 1 2", "2 4 4 1 1 2"), "Both sides see the same items"),
        (LINE.replace("item1=4", "item1=3"), "Of 'hat' there are 4; the split says 3 + 0"),
        (LINE.replace("item1=4", "<disagree>"), "item0= item1= item2= twice"),
    ],
)
def test_a_spoiled_line_is_refused_with_its_place(tmp_path, spoiled, told):
    with pytest.raises(InputError) as caught:
        read_text(tmp_path, f"{LINE}\n\n{spoiled}\n")

    assert f"{tmp_path / 'deals.txt'}:3: " in str(caught.value)
    assert told in str(caught.value)


def test_an_empty_file_and_a_missing_one_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"There is no dialogue in .*deals\.txt"):
        read_text(tmp_path, "\n")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_lines([tmp_path / "absent.txt"])
    (tmp_path / "latin.txt").write_bytes(LINE.replace("deal <", "d\xe9al <").encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.txt:1: not UTF-8"):
        read_lines([tmp_path / "latin.txt"])


def test_both_views_of_a_dialogue_are_held_out_together(tmp_path):
    lines = made_lines(tmp_path, 200)

    learnt, held = divided(lines, fold=3, folds=10, seed=1)

    assert {line.dialogue for line in learnt}.isdisjoint(line.dialogue for line in held)
    assert len(learnt) + len(held) == len(lines) == 400
    assert 20 <= len(held) <= 60
    views = [line for line in lines if line.dialogue == held[0].dialogue]
    assert len(views) == 2
    assert views[0].context[::2] == views[1].partner[::2]


def test_folds_share_all_dialogues_out_and_another_seed_shares_them_anew(tmp_path):
    lines = made_lines(tmp_path, 60)

    parts = [divided(lines, fold=fold, folds=4, seed=1)[1] for fold in range(4)]

    assert sorted(map(str, lines)) == sorted(str(line) for part in parts for line in part)
    assert parts[0] != divided(lines, fold=0, folds=4, seed=2)[1]


def test_a_file_that_leaves_nothing_to_measure_on_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"leaves .* lines to learn from.*'data\.folds'"):
        divided(made_lines(tmp_path, 1), fold=0, folds=10, seed=1)


@pytest.mark.skipif(not COCOA.is_dir(), reason="the shared data are not here")
def test_the_published_lines_are_read_as_others_count_them():
    lines = read_lines([COCOA / "deal_train.txt"])

    outcomes = [line.slots[0] for line in lines]
    assert len(lines) == 10_095
    assert [outcomes.count(why) for why in (11, 12, 13)] == [1_178, 978, 56]
    assert sum(line.is_deal for line in lines) == 7_883
