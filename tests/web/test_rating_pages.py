"""Rating pages as a browser without scripts sees them: every kind, whole sheets, practice."""

import re
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from markupsafe import escape

from palaver.annotation.submission import PasteCount
from palaver.core.questions import QUESTION_KINDS, Comparative
from palaver.core.questions.question import Question
from palaver.web.participant.pages import DonePage, TrainingPage
from palaver.web.participant.rating.form import pastes_in
from palaver.web.participant.rating.pages import Feedback, Practice, RatePage, ShownTranscript
from palaver.web.participant.rooms.pages import ChatPage, OnlineQuestion, RoomView
from palaver.web.rendering import Renderer
from support.forms import Control, Reading
from support.judging import QUESTIONS, SHELL, TALK, ask, built_in, page_of, read_form, turn_by_turn

KINDS = sorted(QUESTIONS)
LEFT_OVER = re.compile(r"\{speaker\}|\{partner\}|SPEAKER_[XY]")
# Answers as they were sent and refused: of the right shape or of none, whole or in part.
SENT: dict[str, tuple[Any, ...]] = {
    "aspects": ({"kind": "9"}, {"kind": "3", "unknown": "2"}),
    "choice": ("nonsense",),
    "comparative": ("c",),
    "flow": ({"accuracy": "accurate"}, {"facts": "uses_facts"}, {"unknown": ["x"]}),
    "likert": ("9", "many"),
    "multiselect": (["nonsense"], []),
    "ranking": ({"listens": "1", "laughs": "1"}, ["laughs"], {}),
    "slider": ("much", "1000"),
    "spans": ('[{"start": 3', '[{"start": 900, "end": 901, "label": "wrong"}]'),
    "text": ("x" * 3000,),
    "thumbs": ("sideways",),
}


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


def read(renderer: Renderer, page: Any) -> Reading:
    """A page as it is read."""
    return Reading(renderer.render(page))


def field_of(page: RatePage) -> str:
    """The field of a page's only question."""
    return page.every[0].field


def answers_in(page: RatePage, reading: Reading) -> Any:
    """What the page's only question makes of what the form sends."""
    return read_form(page, reading.sent)[field_of(page)]


def is_named(control: Control, ids: list[str]) -> bool:
    """Whether a screen reader has words for a control."""
    referred = (control.attributes.get("aria-labelledby") or "").split()
    own = control.attributes.get("id")
    return (
        control.labelled
        or bool(control.attributes.get("aria-label"))
        or (bool(referred) and set(referred) <= set(ids))
        or (own is not None and own == "conversation-shown")
        or (own or "").startswith("shown-conversation-")
    )


def test_every_kind_is_tried_here() -> None:
    assert set(QUESTIONS) == set(QUESTION_KINDS.names()) == set(SENT)


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_without_an_answer_sends_none(kind: str, renderer: Renderer) -> None:
    question, _ = QUESTIONS[kind]
    page = page_of(question)

    assert answers_in(page, read(renderer, page)) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_answer_stands_on_the_page_and_is_sent_again(
    kind: str, renderer: Renderer
) -> None:
    question, answer = QUESTIONS[kind]
    page = page_of(question, answer=answer)

    # The page speaks of the sides of the screen; what is stored are the sides of the pair.
    stored = "second" if kind == "comparative" else answer
    assert answers_in(page, read(renderer, page)) == stored


@pytest.mark.parametrize(("kind", "sent"), [(kind, sent) for kind in KINDS for sent in SENT[kind]])
def test_what_was_refused_is_shown_again_with_the_reason(
    kind: str, sent: Any, renderer: Renderer
) -> None:
    page = page_of(QUESTIONS[kind][0], answer=sent, error="Please look <again>.")
    html = renderer.render(page)
    field = field_of(page)

    assert "Please look &lt;again&gt;." in html
    assert re.search(rf'aria-describedby="[^"]*{field}-error"', html)
    assert re.search(
        rf'<div class="line-note error" role="alert"[^>]*>.*href="#{field}"', html, re.DOTALL
    )
    assert html.count(f'id="{field}"') == 1


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_unsaid_or_unnamed(kind: str, renderer: Renderer) -> None:
    question, answer = QUESTIONS[kind]
    for page in (page_of(question), page_of(question, answer=answer, error="No.")):
        reading = read(renderer, page)
        shown = [c for c in reading.controls if c.attributes.get("type") != "hidden"]

        assert not LEFT_OVER.search(renderer.render(page))
        assert all(is_named(control, reading.ids) for control in shown)
        assert len(reading.ids) == len(set(reading.ids))
        described = [a.get("aria-describedby") or "" for _, a in reading.tags]
        assert set(" ".join(described).split()) <= set(reading.ids)


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_answer_of_a_check_is_not_on_the_page(kind: str, renderer: Renderer) -> None:
    question, _ = QUESTIONS[kind]
    assert isinstance(question, msgspec.Struct)
    checked: Question = msgspec.structs.replace(question, expected="the-right-one-is-this")

    assert renderer.render(page_of(checked)) == renderer.render(page_of(question))


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_that_may_be_skipped_says_so_and_requires_nothing(
    kind: str, renderer: Renderer
) -> None:
    question, _ = QUESTIONS[kind]
    assert isinstance(question, msgspec.Struct)
    optional: Question = msgspec.structs.replace(question, required=False)
    reading = read(renderer, page_of(optional))

    assert "(you may skip this)" in reading.words
    assert not any("required" in control.attributes for control in reading.controls)


def test_a_turn_offers_the_options_of_its_speaker(renderer: Renderer) -> None:
    reading = read(renderer, page_of(built_in("nuggets")))
    values = {c.attributes.get("value") for c in reading.controls if c.name.startswith("answer-")}
    assert values == {"HNUG", "HNUG*", "HNaN"}


def test_the_steps_of_a_flow_are_all_there_and_the_hidden_ones_block_nothing(
    renderer: Renderer,
) -> None:
    html = renderer.render(page_of(built_in("knowledge")))
    reading = Reading(html)
    names = {control.name.partition(":")[2] for control in reading.controls if ":" in control.name}

    assert names == {"facts", "accuracy", "search"}
    assert html.count('class="branch-steps"') == 2
    # A browser refuses to send a form in which something hidden is required.
    assert not any("required" in control.attributes for control in reading.controls)


def test_what_stood_under_an_answer_that_was_changed_is_forgotten(renderer: Renderer) -> None:
    stale = {"accuracy": "unsure", "search": "disputed"}
    page = page_of(built_in("knowledge"), answer=stale, error="No.")

    assert answers_in(page, read(renderer, page)) is None


def test_the_first_turn_without_an_answer_is_open(renderer: Renderer) -> None:
    page = turn_by_turn(built_in("transitions"))
    lines = list(page.conversations[0].lines)
    done = replace(lines[1].asked[0], answer={"acknowledges": "ignored"})
    lines[1] = replace(lines[1], asked=(done,))
    page = replace(page, conversations=(ShownTranscript(letter="", lines=tuple(lines)),))
    units = [(a["class"] or "").split() for _, a in read(renderer, page).tags if "data-stop" in a]

    assert ["folded" in unit for unit in units] == [True, False, True]


@pytest.mark.parametrize("name", ["transitions", "knowledge", "grammar", "consistency_label"])
def test_what_is_common_to_all_turns_is_said_once(name: str, renderer: Renderer) -> None:
    question = built_in(name)
    html = renderer.render(turn_by_turn(question))
    assert html.count(f'id="guide-{name}"') == 1
    assert html.count(f'id="about-{name}-help"') == html.count(f">{escape(question.help)}<") == 1


def test_none_of_these_is_stored_as_the_empty_answer(renderer: Renderer) -> None:
    page = page_of(built_in("consistency_label"), answer=[])
    reading = read(renderer, page)
    ticked = [c for c in reading.controls if "data-none" in c.attributes]

    assert ["checked" in control.attributes for control in ticked] == [True]
    assert answers_in(page, reading) == []


def test_a_guide_tells_examples_from_counter_examples(renderer: Renderer) -> None:
    question = built_in("empathy")
    words = read(renderer, turn_by_turn(question)).words
    assert words.count("Counter-example") == sum(not e.applies for e in question.examples)
    assert question.examples[0].why in words
    assert "**" not in words


@pytest.mark.parametrize("is_open", [True, False])
def test_guides_and_instructions_stand_open_where_the_study_says_so(
    renderer: Renderer, is_open: bool
) -> None:
    page = replace(
        turn_by_turn(built_in("empathy")), instructions="Read closely.", guides_open=is_open
    )
    folds = [a for tag, a in read(renderer, page).tags if tag == "details"]
    shown = [a for a in folds if a.get("id") == "guide-empathy" or a.get("class") == "on-demand"]
    assert ["open" in a for a in shown] == [is_open, is_open]


def test_only_judged_turns_are_in_question(renderer: Renderer) -> None:
    html = renderer.render(page_of(built_in("thumbs")))
    assert len(re.findall(r'<li class="message \w+ unit', html)) == html.count("data-stop") == 1
    assert html.count('<li class="message') == len(TALK)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"position": 3, "total": 10}, ["Conversation 3 of 10"]),
        ({"screen": 2, "screens": 3}, ["Screen 2 of 3"]),
        ({"last": True}, ["Send answers"]),
        ({"last": False, "back": True}, ["Save and go on", "Back"]),
    ],
)
def test_the_head_and_the_end_say_where_one_is(
    options: dict[str, Any], words: list[str], renderer: Renderer
) -> None:
    page = replace(page_of(built_in("quality_likert")), **options)
    said = read(renderer, page).words
    assert [word for word in words if word not in said] == []


def test_what_is_chosen_for_the_view_is_not_sent(renderer: Renderer) -> None:
    for name in ("preference", "quality_likert"):
        sent = read(renderer, page_of(built_in(name))).sent
        assert [field for field, _ in sent] == ["csrf"]


def practice(**options: Any) -> RatePage:
    """The second of three rounds: one turn right, one wrong, one mended."""
    page = turn_by_turn(built_in("thumbs"), practice=Practice(round=2, rounds=3, **options))
    if not options.get("mending"):
        return page
    lines = list(page.conversations[0].lines)
    wrong = Feedback(why="It is <rude>.", right=("Bad reply", "Or nothing"))
    lines[1] = replace(lines[1], asked=(replace(lines[1].asked[0], answer="up"),), feedback=wrong)
    lines[3] = replace(lines[3], feedback=replace(wrong, mended=True))
    return replace(page, conversations=(ShownTranscript(letter="", lines=tuple(lines)),))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "This round does not count."),
        ({"counts": True, "allowed": 0}, "You pass if every turn is right."),
        ({"counts": True, "allowed": 1}, "You pass with at most 1 mistake."),
        ({"counts": True, "allowed": 2}, "You pass with at most 2 mistakes."),
        ({"mending": True, "left": 2}, "2 turns left to correct."),
        ({"mending": True, "left": 1}, "1 turn left to correct."),
    ],
)
def test_practice_says_what_counts(
    options: dict[str, Any], sentence: str, renderer: Renderer
) -> None:
    words = read(renderer, practice(**options)).words
    assert "Practice 2 of 3" in words
    assert sentence in words


def test_mending_shows_what_was_wrong_and_why(renderer: Renderer) -> None:
    html = renderer.render(practice(mending=True, left=1))
    words = Reading(html).words

    assert words.count("Not correct yet") == 1
    assert words.count("Correct now") == 1
    assert "It is &lt;rude&gt;." in html
    assert "<summary>Show the right answer</summary>" in html
    assert '<a href="#conversation-only-2">Message 2</a>' in html
    assert html.count("data-stop") == 1
    assert "Check again" in words
    assert ("answer-thumbs-2", "up") in Reading(html).sent


def test_before_mending_nothing_tells_the_right_answer(renderer: Renderer) -> None:
    assert "right answer" not in renderer.render(practice())


def test_a_training_page_explains_and_starts(renderer: Renderer) -> None:
    page = TrainingPage(
        shell=replace(SHELL, notice="Welcome back."),
        action="/practice",
        text="Read **closely**.",
        rounds=3,
        rule="Two mistakes are fine.",
        guides=(built_in("knowledge"),),
    )
    words = read(renderer, page).words
    for sentence in ("3 practice conversations", "Two mistakes are fine.", "Read closely."):
        assert sentence in words
    assert "Welcome back." in words
    assert "Does this reply use facts, and are they right?" in words


@pytest.mark.parametrize(
    "reason", ["not_passed", "not_eligible", "checked_out", "nothing_left", "enough"]
)
def test_an_end_blames_nobody_and_promises_no_pay_of_its_own(
    reason: Any, renderer: Renderer
) -> None:
    words = read(renderer, DonePage(shell=SHELL, reason=reason)).words.lower()
    for word in ("fail", "wrong answer", "you did not", "unfortunately", "!", "paid", "money"):
        assert word not in words.replace("something is wrong", "")


def test_a_room_with_a_question_brings_it_once_as_a_template(renderer: Renderer) -> None:
    asked = ask(built_in("thumbs"))
    online = OnlineQuestion(
        asked=asked, url="/online", dialogue="d-1", required=True, answers={2: "up"}
    )
    room = RoomView(socket="/ws/1", seat=0, online=online)
    html = renderer.render(ChatPage(shell=SHELL, room=room))

    assert html.count('data-part="question-template"') == 1
    assert """data-answers='{"2": "up"}'""" in html
    assert 'name="dialogue" value="d-1"' in html
    assert "branching-questions.js" in html
    assert Reading(html).sent == []


def test_a_room_without_a_question_loads_nothing_for_one(renderer: Renderer) -> None:
    html = renderer.render(ChatPage(shell=SHELL, room=RoomView(socket="/ws/1", seat=0)))
    assert "question" not in html
    assert "rating.css" not in html


def test_two_conversations_can_be_linked_and_their_letters_stay(renderer: Renderer) -> None:
    page = page_of(Comparative(name="better", text="Which is better?"))
    html = renderer.render(page)
    assert "Scroll together" in html
    assert 'id="conversation-a"' in html
    assert 'id="conversation-b"' in html


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        ({}, None),
        ({"": ["a text"]}, None),
        ({"pastes": [""], "pasted": [""]}, None),
        ({"pastes": ["2"], "pasted": ["40"]}, PasteCount(2, 40)),
        ({"pastes": ["2"]}, None),
        ({"pastes": ["-1"], "pasted": ["4"]}, None),
        ({"pastes": ["1e9"], "pasted": ["4"]}, None),
        ({"pastes": ["²"], "pasted": ["4"]}, None),
        ({"pastes": ["9" * 4000], "pasted": ["4"]}, None),
    ],
)
def test_what_a_page_says_of_pastes_is_a_count_or_nothing(
    given: dict[str, list[str]], counted: PasteCount | None
) -> None:
    assert pastes_in(given) == counted


def test_a_page_tells_no_rater_when_they_are_flagged(renderer: Renderer) -> None:
    page = renderer.render(page_of(QUESTIONS["text"][0])).lower()
    for word in ("too fast", "straight", "flag", "threshold"):
        assert word not in page
