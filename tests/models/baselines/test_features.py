"""What is counted of questions and turns."""

from palaver.evaluation.tasks import builtin_task
from palaver.models.baselines.bags import HashedWords, WeighedWords
from palaver.models.baselines.features import question_row, turn_rows
from palaver.models.baselines.fitting import layout_of


def test_fields_are_kept_apart_and_compared() -> None:
    layout = layout_of(builtin_task("nli"))
    question = {"context": "A man sleeps", "hypothesis": "A man runs"}

    words, common, shape = question_row(layout, question, longest=2)

    assert {"context|a man", "hypothesis|a man", "hypothesis|runs"} <= set(words)
    assert "hypothesis|man sleeps" not in words
    assert "hypothesis as context|man" in common
    assert "hypothesis beside context|runs" in common
    assert "hypothesis in context 6" in shape
    assert "pairs of hypothesis in context 5" in shape


def test_the_last_turn_of_a_dialogue_stands_for_itself() -> None:
    layout = layout_of(builtin_task("turn-faults"))
    turns = [
        {"speaker": "user", "text": "Is it open?"},
        {"speaker": "system", "text": "It is open."},
        {"speaker": "system", "text": "It is open."},
    ]

    words, common, shape = question_row(layout, {"dialogue": turns}, longest=1)

    assert "dialogue/user|open" in words
    assert words.count("dialogue/system|open") == 2
    assert "dialogue last|open" in words
    assert "dialogue again|open" in common
    assert "dialogue said before 10" in shape


def test_a_turn_knows_its_speaker_its_place_and_what_came_before() -> None:
    turns = [
        {"speaker": "customer", "text": "It leaks"},
        {"speaker": "helpdesk", "text": "It does"},
    ]

    first, second = turn_rows(turns, longest=1)

    assert first[0] == ["customer|it", "customer|leaks"]
    assert "customer place 0" in first[2]
    assert second[1] == ["helpdesk after|it", "helpdesk after|leaks"]
    assert {"helpdesk left 0", "helpdesk same as before 5"} <= set(second[2])
    assert turn_rows([], longest=1) == []


def test_only_images_are_not_read() -> None:
    layout = layout_of(builtin_task("vqa"))

    row = question_row(layout, {"image": "cat.png", "question": "What colour?"}, longest=1)

    assert not any("cat" in each for group in row for each in group)
    assert "question|colour" in row[0]


def test_what_was_never_seen_weighs_nothing() -> None:
    seen = WeighedWords.of([[["a", "b"]], [["a"]]], least=1, most=10, plain=False)

    assert seen.bag([["new"], []]) == ([], [])
    assert sum(HashedWords(64).bag([["a", "b", "b"], ["shape"]])[1]) == 1


def test_half_a_sign_is_hashed_as_any_other() -> None:
    assert HashedWords(64).bag([["half \ud83d", "a"]])[1] == [0.5, 0.5]
