"""What a model of advice reads and writes: T5's form, what is too long, and strange characters."""

from palaver.models.advice.inputs import (
    AdviceQuestion,
    advice_text,
    date_words,
    plain_text,
    source_text,
    target_text,
)

ASKED = AdviceQuestion(
    title="My boss\nsaid “no”",
    text="I asked  for a raise.\nTwice.\n\nShe said no.\n \nWhat now?\n\nIt is\training here.",
    subreddit="needadvice",
    date=date_words(1_554_076_800),
)


def words(text: str) -> int:
    return len(text.split())


def test_a_situation_is_read_in_the_form_of_t5() -> None:
    assert source_text(ASKED, most=100, size=words) == (
        'Subreddit: needadvice Date: April 1, 2019 Title: My boss said "no" Selftext: '
        "I asked for a raise. Twice. » She said no. » What now? » It is raining here."
    )


def test_what_is_not_known_is_left_out() -> None:
    bare = AdviceQuestion(title="", text="Help.", subreddit="")
    assert source_text(bare, most=100, size=words) == "Selftext: Help."
    assert source_text(AdviceQuestion(title="Help?", text=" \n"), most=100, size=words) == (
        "Subreddit: Advice Title: Help?"
    )


def test_paragraphs_go_until_there_is_room_and_questions_and_summaries_go_last() -> None:
    plain = [f"paragraph number {n} of many" for n in range(20)]
    text = "\n\n".join([*plain[:10], "Why does she?", *plain[10:], "TLDR: she left"])
    asked = AdviceQuestion(title="T", text=text)
    read = source_text(asked, most=60, size=words)
    assert words(read) <= 60
    assert "Why does she?" in read
    assert read.endswith("TLDR: she left")
    kept = [each for each in plain if each in read]
    # Room for more than half of the sixty words, five and a mark each.
    assert 4 <= len(kept) <= 9
    assert kept != plain[: len(kept)]
    assert read.index(kept[0]) < read.index(kept[-1])
    assert source_text(asked, most=60, size=words) == read


def test_what_cannot_lose_a_paragraph_is_cut_at_its_end() -> None:
    asked = AdviceQuestion(title="why " * 500, text="so? " * 5000, subreddit="x" * 5000)
    read = source_text(asked, most=64, size=len)
    assert len(read) <= 64
    assert read.startswith(f"Subreddit: {'x' * 8} Title: why why")
    assert source_text(AdviceQuestion(title="", text="y" * 900), most=64, size=len).endswith("yyy")


def test_blank_lines_come_back_and_single_ones_do_not() -> None:
    assert target_text("One,\ntwo.\n\n\n  Three. ") == "One, two. » Three."
    assert advice_text("One, two. » Three.» »  Four »") == "One, two.\n\nThree.\n\nFour"


def test_emoji_controls_and_half_characters_go_and_other_scripts_stay() -> None:
    assert plain_text("a👍🏽\u200bb\x00\ud83d «c» ﬁn…") == "ab <<c>> fin..."
    assert plain_text("naïve 日本語 привет") == "naïve 日本語 привет"


def test_a_time_that_is_none_has_no_date() -> None:
    assert date_words("1554076800") == "April 1, 2019"
    for wrong in (None, True, "soon", float("nan"), 1e300, [1]):
        assert date_words(wrong) == ""
