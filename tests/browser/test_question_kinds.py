"""Every kind of question in a real browser: with the mouse, with keys alone, without scripts."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from palaver.core.questions.likert import Likert
from palaver.web.participant.rating.pages import Feedback, Practice, RatePage, ShownTranscript
from support.browsing import scrolls_sideways
from support.cases import every_case
from support.judging import QUESTIONS, TALK, ask, built_in, page_of, serving, turn_by_turn

from .conftest import DESKTOP, PHONE

NARROW = {"width": 320, "height": 740}

pytestmark = pytest.mark.browser

KINDS = sorted(QUESTIONS)
Act = Callable[[Page], None]


def mending() -> RatePage:
    """A round of practice with two turns to correct."""
    practice = Practice(round=2, rounds=3, mending=True, left=2)
    page = turn_by_turn(built_in("transitions"), practice=practice)
    lines = list(page.conversations[0].lines)
    said = {"acknowledges": "ignored", "topic": "new_topic", "relevance": "relevant"}
    for place, mended in ((1, False), (3, True), (5, False)):
        asked = replace(lines[place].asked[0], answer=said)
        why = Feedback(why="Sam asked.", right=("No, it acts so.",), mended=mended)
        lines[place] = replace(lines[place], asked=(asked,), feedback=why)
    return replace(page, conversations=(ShownTranscript(letter="", lines=tuple(lines)),))


def long_turn() -> RatePage:
    """A page that judges a message which does not fit beside its questions."""
    page = page_of(built_in("thumbs"))
    *before, last = page.conversations[0].lines
    lines = (*before, replace(last, text="It goes on and on. " * 100))
    return replace(page, conversations=(ShownTranscript(letter="", lines=lines),))


def several() -> RatePage:
    """A long conversation, and many kinds of questions about the whole of it."""
    names = ("quality_likert", "would_talk_again", "overall_score", "overall_comment")
    asked = [ask(built_in(name)) for name in names]
    asked += [ask(QUESTIONS[kind][0]) for kind in ("aspects", "ranking")]
    return replace(
        page_of(built_in("quality_likert")),
        conversations=(ShownTranscript(letter="", lines=TALK * 6),),
        asked=tuple(asked),
        guides=tuple(built_in(name) for name in names),
        instructions="Read it all.",
        position=3,
        total=10,
        screen=2,
        screens=3,
        last=False,
        back=True,
    )


def optional(kind: str) -> Any:
    """A kind's question, which may be left out."""
    question: Any = QUESTIONS[kind][0]
    return msgspec.structs.replace(question, required=False)


def scale(points: int, **options: Any) -> Likert:
    """A scale of so many points, with words at its ends."""
    anchors = {1: "Not at all likely", points: "Extremely likely"}
    every = tuple(range(1, points + 1))
    return Likert(name="likely", text="How likely?", points=every, anchors=anchors, **options)


LONG = "Disagree completely and without any reservation"
WORDS = (
    "Strongly disagree",
    "Disagree",
    "Rather not",
    "Neither",
    "Rather",
    "Agree",
    "Strongly agree",
)


def seven(words: dict[int, str], **options: Any) -> Likert:
    """A scale of seven with words at some of its points."""
    points = tuple(range(1, 8))
    served = {str(point): text for point, text in words.items()}  # as a stored study has them
    return Likert(name="agree", text="Do you agree?", points=points, anchors=served, **options)


def answered_once(question: Any, answer: Any) -> RatePage:
    """A page that asks a question of three turns, of which the first is answered."""
    page = turn_by_turn(question)
    lines = list(page.conversations[0].lines)
    done = replace(lines[1].asked[0], answer=answer)
    lines[1] = replace(lines[1], asked=(done,))
    return replace(page, conversations=(ShownTranscript(letter="", lines=tuple(lines)),))


PAIR = page_of(built_in("preference"))
SHOWN: dict[str, Any] = {
    **{kind: page_of(question) for kind, (question, _) in QUESTIONS.items()},
    **{f"{kind}-again": page_of(question, answer=a) for kind, (question, a) in QUESTIONS.items()},
    **{f"{kind}-optional": page_of(optional(kind)) for kind in ("slider", "ranking", "flow")},
    "turns": turn_by_turn(built_in("transitions")),
    "plain": turn_by_turn(built_in("grammar"), turns=6),
    "many": turn_by_turn(built_in("consistency_label")),
    "many-back": turn_by_turn(built_in("consistency_label"), back=True),
    "long": long_turn(),
    "scale-7": page_of(scale(7)),
    "scale-7-middle": page_of(seven({1: LONG, 4: "Neither agree nor disagree", 7: "Fully agree"})),
    "scale-7-some": page_of(seven({1: "Never", 3: "Sometimes", 5: "Often", 7: "Always"})),
    "scale-7-every": page_of(seven(dict(enumerate(WORDS, start=1)))),
    "scale-7-turns": turn_by_turn(seven({1: "No", 4: "So-so", 7: "Yes"}, speaker="system")),
    "scale-7-some-turns": turn_by_turn(seven({1: "No", 3: "Hardly", 7: "Yes"}, speaker="system")),
    "scale-optional": page_of(seven({1: "No", 7: "Yes"}, required=False)),
    "scale-11": page_of(scale(11)),
    "scale-11-turns": turn_by_turn(scale(11, speaker="system")),
    **{
        f"{kind}-folded": answered_once(question, answer)
        for kind, (question, answer) in QUESTIONS.items()
        if question.about != "pair"
    },
    "mending": mending(),
    "several": several(),
    "pair": replace(
        PAIR,
        conversations=tuple(replace(talk, lines=TALK * 6) for talk in PAIR.conversations),
    ),
}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """A server for the pages above."""
    with serving(SHOWN) as address:
        yield address


def unroll(page: Page) -> None:
    """Make the window as high as the page, so that nothing stands under its sticky bar."""
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": size["width"], "height": 3000})


def received(page: Page) -> dict[str, Any]:
    """What the server made of the form that was just sent."""
    page.wait_for_url("**/echo")
    found: dict[str, Any] = json.loads(page.locator("body").inner_text())
    return found


def only_value(page: Page) -> Any:
    """The value of the only question on the page that was just sent."""
    return next(iter(received(page)["values"].values()))


def stored(kind: str) -> Any:
    """What the example answer of a kind is stored as."""
    return "second" if kind == "comparative" else QUESTIONS[kind][1]


def press(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def choose(*names: str, role: Any = "radio") -> Act:
    """Click what carries these names."""

    def act(page: Page) -> None:
        for name in names:
            page.get_by_role(role, name=re.compile(f"^{re.escape(name)}")).click()

    return act


def rate_aspects(page: Page) -> None:
    for row, point in (("Alex is kind", 4), ("Alex is clever", 2), ("Alex is funny", 5)):
        group = page.get_by_role("radiogroup", name=re.compile(row))
        group.locator(f"input[value='{point}']").click()


def follow_the_flow(page: Page) -> None:
    page.get_by_role("checkbox", name="This reply states a fact").click()
    page.get_by_role("radio", name="I am not certain.").click()
    page.get_by_role("radio", name="Sources I trust say different things.").click()


def drag_entries(page: Page) -> None:
    page.get_by_role("button", name="Move up: Answers quickly").click()
    handle = page.locator(".rank", has_text="Laughs with you").locator(".handle")
    first = page.locator(".rank").first.bounding_box()
    box = handle.bounding_box()
    assert first is not None
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, first["y"] - 5, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Move down: Knows a lot").click()


def slide(page: Page) -> None:
    box = page.get_by_role("slider").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("spinbutton")).to_have_value("50")
    page.get_by_role("spinbutton").fill("72")


def mark_words(page: Page) -> None:
    ends = page.locator(".markable").evaluate(
        """(node) => {
            const text = [...node.childNodes].find((one) => one.data.includes("Rome"));
            const at = (offset) => {
                const range = document.createRange();
                range.setStart(text, offset);
                range.setEnd(text, offset + 1);
                const { left, top, height } = range.getBoundingClientRect();
                return [left, top + height / 2];
            };
            const start = text.data.indexOf("Rome");
            return [at(start), at(start + "Rome is in Spain,".length)];
        }"""
    )
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move(*ends[1], steps=8)
    page.mouse.up()
    page.get_by_role("button", name="Wrong").click()


def write(page: Page) -> None:
    page.get_by_role("textbox").fill("It was <good>.\n\nMostly.")


MOUSE: dict[str, Act] = {
    "aspects": rate_aspects,
    "choice": choose("Step on the way"),
    "comparative": choose("Conversation B"),
    "flow": follow_the_flow,
    "likert": choose("4 Quite a bit"),
    "multiselect": choose("Contradicts the speaker's", "Repeats", role="checkbox"),
    "ranking": drag_entries,
    "slider": slide,
    "spans": mark_words,
    "text": write,
    "thumbs": choose("Good reply"),
}
# From a page on which nothing has the focus to its button; the value that this gives.
KEYBOARD: dict[str, tuple[list[str], Any]] = {
    "aspects": (["4", "Enter", "2", "Enter", "5", "Enter"], {"kind": 4, "clever": 2, "funny": 5}),
    "choice": (["1", "Enter"], "HNUG"),
    "comparative": (["3", "Enter"], "second"),
    "flow": (["1", "Enter", "4", "Enter", "3", "Enter"], QUESTIONS["flow"][1]),
    "likert": (["4", "Enter"], 4),
    "multiselect": (["1", "2", "3", "2", "Enter"], ["self_contradiction", "redundant"]),
    "ranking": (["j", "Tab", "ArrowDown", "j"], ["knows a lot", "listens", "laughs", "answers"]),
    "slider": (["j", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"], 51),
    "spans": (
        ["j", *["ArrowRight"] * 3, *["Shift+ArrowRight"] * 4, *["Shift+ArrowLeft"], "1", "j"],
        [{"start": 9, "end": 25, "label": "wrong"}],
    ),
    "text": (["j", "F", "i", "n", "e", "Alt+ArrowDown"], "Fine"),
    "thumbs": (["1", "Enter"], "up"),
}


@pytest.mark.long
def test_every_kind_is_answered_with_the_mouse(base: str, new_page: Any, axe: Any) -> None:
    page = new_page()
    with every_case() as case:
        for kind in KINDS:
            with case(kind):
                page.set_viewport_size(DESKTOP)
                page.goto(f"{base}/{kind}")
                MOUSE[kind](page)
                unroll(page)
                assert axe(page) == []

                page.get_by_role("button", name="Send answers").click()

                assert only_value(page) == stored(kind)


def test_every_kind_is_answered_with_the_keyboard_alone(base: str, new_page: Any) -> None:
    page = new_page()
    with every_case() as case:
        for kind in KINDS:
            with case(kind):
                page.goto(f"{base}/{kind}")
                keys, value = KEYBOARD[kind]

                press(page, *keys)
                expect(page.get_by_role("button", name="Send answers")).to_be_focused()
                press(page, "Enter")

                assert only_value(page) == value


def test_every_kind_fits_a_phone_and_keeps_its_answer(base: str, new_page: Any, axe: Any) -> None:
    page = new_page(phone=True, dark=True)
    with every_case() as case:
        for kind in KINDS:
            with case(kind):
                page.set_viewport_size(PHONE)
                page.goto(f"{base}/{kind}-again")
                assert not scrolls_sideways(page)
                unroll(page)
                assert axe(page) == []

                page.get_by_role("button", name="Send answers").click()

                assert only_value(page) == stored(kind)


def test_every_missing_answer_is_named_and_found(base: str, new_page: Any) -> None:
    page = new_page()
    with every_case() as case:
        for kind in sorted(set(KINDS) - {"text"}):
            with case(kind):
                page.goto(f"{base}/{kind}")
                text = page.locator(".question").get_attribute("data-question")

                page.get_by_role("button", name="Send answers").click()

                expect(page.get_by_role("alert")).to_contain_text(text)
                expect(page.locator(".question.unanswered .field-error")).to_have_text(
                    re.compile("Please answer this question")
                )
                assert page.evaluate("document.activeElement.closest('.question') !== null")
                MOUSE[kind](page)
                expect(page.locator(".question.unanswered")).to_have_count(0)


def test_every_kind_works_without_scripts(base: str, browser: Browser) -> None:
    changed = {
        "flow": QUESTIONS["flow"][1] | {"search": "not_found"},
        "ranking": ["listens", "laughs", "answers", "knows a lot"],
        "slider": 12,
    }
    with browser.new_context(java_script_enabled=False) as context, every_case() as case:
        page = context.new_page()
        for kind in KINDS:
            with case(kind):
                page.goto(f"{base}/{kind}-again")
                expect(page.locator("noscript p")).to_have_count(1 if kind == "spans" else 0)
                if kind == "flow":
                    page.get_by_role("radio", name="I found too little to decide.").check()
                if kind == "ranking":
                    page.locator("select").nth(0).select_option("1")
                    page.locator("select").nth(2).select_option("2")
                if kind == "slider":
                    page.get_by_role("spinbutton").fill("12")

                page.get_by_role("button", name="Send answers").click()

                assert only_value(page) == changed.get(kind, stored(kind))


@pytest.mark.parametrize("name", ["slider", "ranking", "flow"])
def test_what_nobody_touched_is_no_answer(name: str, base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/{name}-optional")
    page.get_by_role("button", name="Send answers").click()
    assert only_value(page) is None


def test_an_order_can_be_kept_as_it_is(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/ranking")
    page.get_by_role("button", name="Keep this order").click()
    page.get_by_role("button", name="Send answers").click()
    assert only_value(page) == ["listens", "knows a lot", "laughs", "answers"]


def test_a_change_of_mind_in_a_flow_leaves_nothing_behind(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/flow")
    follow_the_flow(page)
    expect(page.locator("branching-questions [role=status]")).to_contain_text("Search the web")

    page.get_by_role("radio", name="Yes, I am certain").click()
    expect(page.get_by_role("radio", name="Sources I trust")).to_be_hidden()
    page.get_by_role("radio", name="I am not certain.").click()
    expect(page.get_by_role("radio", name="Sources I trust")).not_to_be_checked()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("alert")).to_contain_text("Does this reply use facts")
    page.get_by_role("checkbox", name="No, it does not apply").click()
    expect(page.get_by_role("checkbox", name="This reply states a fact")).not_to_be_checked()
    page.get_by_role("button", name="Send answers").click()

    assert only_value(page) == {}


def test_none_of_these_is_an_answer_of_its_own_and_moves_on(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/many")
    progress = page.locator(".rating-progress")
    expect(progress).to_have_text("0 of 3 judged")

    press(page, "1", "0")
    expect(progress).to_have_text("1 of 3 judged")
    expect(page.locator(".unit").nth(1)).to_have_class(re.compile(r"\bnow\b"))
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("alert").get_by_role("link")).to_have_count(2)
    press(page, "3", "Enter", "0")
    expect(page.get_by_role("button", name="Send answers")).to_be_focused()
    press(page, "Enter")

    assert list(received(page)["values"].values()) == [[], ["redundant"], []]


def test_an_answered_turn_folds_to_its_answer_until_it_is_changed(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/many")
    first, second = page.locator(".unit").nth(0), page.locator(".unit").nth(1)
    first.get_by_role("checkbox", name="Repeats").click()
    expect(first.get_by_role("checkbox", name="Repeats")).to_be_visible()
    second.get_by_role("checkbox", name="None of these").click()

    expect(first.get_by_role("checkbox", name="Repeats")).to_be_hidden()
    expect(first.locator(".unit-answer")).to_have_text("Repeats")
    first.get_by_role("button", name="Change").click()
    expect(first.get_by_role("checkbox", name="Repeats")).to_be_checked()
    expect(second.locator(".unit-answer")).to_have_text("None of these")


def test_turns_that_were_not_judged_are_left_out_on_the_way_back(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/many-back")
    press(page, "3")
    page.get_by_role("button", name="Back").click()

    sent = dict(received(page)["sent"])
    assert sent["go"] == "back"
    assert [name for name in sent if name.startswith("answer-")] == ["answer-consistency_label-2"]


def test_every_kind_folds_to_its_answer(base: str, new_page: Any) -> None:
    page = new_page()
    with every_case() as case:
        for kind in sorted(set(KINDS) - {"comparative"}):
            with case(kind):
                page.goto(f"{base}/{kind}-folded")
                folded = page.locator(".unit").first
                expect(folded.locator(".question")).to_be_hidden()
                expect(folded.locator(".unit-answer")).not_to_be_empty()
                folded.get_by_role("button", name="Change").click()
                expect(folded.locator(".question")).to_be_visible()


def test_a_scale_is_one_row_on_the_narrowest_phone(base: str, new_page: Any) -> None:
    page = new_page(phone=True)
    page.set_viewport_size(NARROW)
    for name in ("scale-7", "scale-7-middle", "scale-7-some", "scale-11", "scale-11-turns"):
        page.goto(f"{base}/{name}")
        boxes = [
            pick.bounding_box() for pick in page.locator(".scale").first.locator(".pick").all()
        ]
        assert len(boxes) >= 7
        assert len({box["y"] for box in boxes if box}) == 1
        assert all(box["width"] >= 24 and box["height"] >= 44 for box in boxes if box)
        assert not scrolls_sideways(page)


def test_the_turn_that_is_judged_shows_the_words_of_its_scale(base: str, new_page: Any) -> None:
    page = new_page(phone=True)
    page.set_viewport_size(NARROW)

    page.goto(f"{base}/scale-7-turns")
    expect(page.locator(".scale-words:visible")).to_have_text(["No So-so Yes"])
    page.goto(f"{base}/scale-7-some-turns")
    expect(page.locator(".scale-key:visible")).to_have_text(["1 No 3 Hardly 7 Yes"])
    assert not scrolls_sideways(page)


def test_words_stay_with_their_points_on_the_narrowest_phone(base: str, new_page: Any) -> None:
    page = new_page(phone=True)
    page.set_viewport_size(NARROW)

    page.goto(f"{base}/scale-7-middle")
    points = [pick.bounding_box() for pick in page.locator(".scale .pick").all()]
    words = [word.bounding_box() for word in page.locator(".scale-words > span").all()]
    assert words[0]["x"] == pytest.approx(points[0]["x"], abs=2)
    assert centre(words[1]) == pytest.approx(centre(points[3]), abs=3)
    assert right(words[2]) == pytest.approx(right(points[6]), abs=2)
    assert right(words[0]) <= words[1]["x"]
    assert right(words[1]) <= words[2]["x"]
    assert not scrolls_sideways(page)

    # Words at some other points are named with them; words at every point stand there.
    page.goto(f"{base}/scale-7-some")
    expect(page.locator(".scale-key > span")).to_have_text(
        ["1 Never", "3 Sometimes", "5 Often", "7 Always"]
    )
    page.goto(f"{base}/scale-7-every")
    expect(page.locator(".scale .pick")).to_have_text(
        [f"{n} {word}" for n, word in enumerate(WORDS, start=1)]
    )
    assert not scrolls_sideways(page)


def centre(box: Any) -> float:
    return float(box["x"] + box["width"] / 2)


def right(box: Any) -> float:
    return float(box["x"] + box["width"])


@pytest.mark.parametrize("way", ["click", "button", "space", "number"])
def test_an_optional_answer_can_be_taken_back(way: str, base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/scale-optional")
    chosen = page.get_by_role("radio", name="5")
    clear = page.get_by_role("button", name="Clear the answer")
    expect(clear).to_be_hidden()
    chosen.check()
    expect(clear).to_be_visible()

    if way == "click":
        page.locator(".scale .pick").nth(4).click()
    elif way == "button":
        clear.click()
        expect(chosen).to_be_focused()
    else:
        chosen.focus()
        page.keyboard.press("Space" if way == "space" else "5")

    expect(chosen).not_to_be_checked()
    expect(clear).to_be_hidden()
    page.get_by_role("button", name="Send answers").click()
    assert only_value(page) is None


def test_a_double_click_takes_nothing_back(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/scale-optional")
    page.locator(".scale .pick").nth(4).dblclick()

    expect(page.get_by_role("radio", name="5")).to_be_checked()


def test_two_conversations_fit_the_narrowest_phone(base: str, new_page: Any) -> None:
    page = new_page(phone=True)
    page.set_viewport_size(NARROW)
    page.goto(f"{base}/pair")
    assert not scrolls_sideways(page)
    page.get_by_role("radio", name="Show Conversation B").check()
    expect(page.locator("#conversation-a")).to_be_hidden()
    expect(page.locator("#conversation-b")).to_be_visible()


def test_arrows_and_enter_go_from_turn_to_turn(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/many")
    now = page.locator(".unit.now .which")
    press(page, "ArrowDown", "ArrowDown")
    expect(now).to_have_text("4")
    press(page, "Enter", "ArrowUp", "ArrowUp")
    expect(now).to_have_text("2")
    page.locator(".minimap a").last.click()
    expect(now).to_have_text("6")
    press(page, "2")
    expect(page.locator(".unit.now input:checked")).to_have_attribute(
        "value", "partner_contradiction"
    )


def test_marks_can_overlap_be_removed_and_be_set_letter_by_letter(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/spans-again")
    # From the end: the last word stands behind an emoji and a line end of two characters.
    press(page, "j", "ArrowLeft", "Control+Shift+ArrowRight", "2")
    press(page, "ArrowRight", "ArrowRight", "2")
    expect(page.locator(".span-list li")).to_have_count(3)
    page.get_by_role("button", name=re.compile("^Remove: Kind, no$")).click()
    page.get_by_role("button", name="Send answers").click()

    assert only_value(page) == [
        {"start": 9, "end": 26, "label": "wrong"},
        {"start": 43, "end": 49, "label": "kind"},
    ]


def test_the_steps_of_a_turn_open_when_it_is_its_turn(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/turns")
    units = page.locator(".unit")
    steps = [unit.locator(".question") for unit in units.all()]
    assert [one.is_visible() for one in steps] == [True, False, False]

    press(page, "1", "Enter", "2", "Enter", "1")
    expect(page.get_by_text("1 of 3 judged")).to_be_visible()
    press(page, "Enter")
    assert [one.is_visible() for one in steps] == [False, True, False]
    expect(units.nth(0).get_by_role("button", name="Change")).to_be_visible()
    press(page, "2", "k", "j", "j")
    expect(units.nth(2).locator("input").first).to_be_focused()
    page.get_by_role("button", name="Send answers").click()

    expect(page.get_by_role("alert").get_by_role("link")).to_have_text(
        [re.compile("^Message 4: "), re.compile("^Message 6: ")]
    )
    expect(units.nth(1).locator("input:checked")).to_be_focused()


def test_the_judged_turn_stays_in_view_while_it_is_judged(base: str, new_page: Any) -> None:
    page = new_page(phone=True)
    page.goto(f"{base}/turns")
    last = page.locator(".unit.now input:visible").last
    last.scroll_into_view_if_needed()
    last.focus()
    expect(page.locator(".unit .bubble").first).to_be_in_viewport()
    expect(last).to_be_in_viewport()
    expect(page.get_by_role("button", name="Send answers")).to_be_in_viewport()


def test_single_keys_can_be_turned_off(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/likert")
    page.get_by_text("Keys", exact=True).click()
    page.get_by_role("checkbox", name="Single keys choose and move").uncheck()
    page.reload()

    press(page, "4", "j")
    expect(page.locator(".question :checked")).to_have_count(0)
    press(page, "Alt+ArrowDown")
    expect(page.locator(".question input").first).to_be_focused()


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.long), True])
def test_the_guide_opens_beside_the_task_and_leads_back(
    phone: bool, base: str, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=phone)
    page.goto(f"{base}/several")
    link = page.get_by_role("link", name="What does this mean?").nth(2)
    link.click()

    panel = page.locator(".guide-text")
    expect(panel).to_be_in_viewport()
    expect(page.locator("#guide-overall_score")).to_be_in_viewport()
    expect(link).to_be_in_viewport()
    assert not scrolls_sideways(page)
    unroll(page)
    assert axe(page) == []
    press(page, "Escape")
    expect(panel).to_be_hidden()
    expect(link).to_be_focused()


def test_a_guide_of_several_questions_opens_at_the_one_in_question(
    base: str, new_page: Any
) -> None:
    page = new_page()
    page.goto(f"{base}/several")
    page.get_by_role("link", name="What does this mean?").nth(1).click()
    expect(page.locator("#guide-would_talk_again")).to_have_attribute("open", "")
    expect(page.locator("#guide-quality_likert")).not_to_have_attribute("open", "")


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.long), True])
def test_pages_of_judgement_are_accessible_and_fit(
    phone: bool, base: str, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=phone, dark=phone)
    with every_case() as case:
        for name in ("several", "mending", "plain", "long", "pair"):
            with case(name):
                page.set_viewport_size(PHONE if phone else DESKTOP)
                page.goto(f"{base}/{name}")
                assert not scrolls_sideways(page)
                unroll(page)
                assert axe(page) == []


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.long), True])
def test_the_conversation_stays_in_reach_of_the_last_question(
    phone: bool, base: str, new_page: Any
) -> None:
    page = new_page(phone=phone)
    page.goto(f"{base}/several")
    page.get_by_role("button", name="Move up: Answers quickly").focus()
    expect(page.locator(".talk")).to_be_in_viewport()
    if phone:
        page.get_by_text("The conversation", exact=True).first.click()
        expect(page.locator(".talk")).to_be_hidden()


def test_wrong_turns_are_told_in_words_and_one_jumps_between_them(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/mending")
    wrong = page.locator(".wrong")
    expect(wrong).to_have_count(2)
    expect(wrong.first).to_contain_text("Not correct yet")
    expect(wrong.first.get_by_text("No, it acts so.")).to_be_hidden()
    wrong.first.get_by_text("Show the right answer").click()
    expect(wrong.first.get_by_text("No, it acts so.")).to_be_visible()

    page.get_by_role("link", name="Message 6").click()
    expect(wrong.nth(1)).to_be_in_viewport()
    press(page, "Home")
    page.get_by_role("button", name="Next turn to correct").click()
    page.get_by_role("button", name="Next turn to correct").click()
    assert page.evaluate("document.activeElement.closest('.wrong') !== null")
    page.get_by_role("button", name="Check again").click()
    assert len(received(page)["values"]) == 3


def test_two_conversations_scroll_apart_or_together(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/pair")
    logs = page.locator(".talk")
    tops = "() => [...document.querySelectorAll('.talk')].map((log) => log.scrollTop > 0)"

    logs.nth(0).evaluate("(log) => (log.scrollTop = 100)")
    page.wait_for_timeout(50)
    assert page.evaluate(tops) == [True, False]
    page.get_by_role("checkbox", name="Scroll together").check()
    logs.nth(0).evaluate("(log) => (log.scrollTop = 150)")
    # Not `wait_for_function`: it evaluates a string, which the page's policy forbids.
    for _ in range(100):
        if all(page.evaluate(tops)):
            break
        page.wait_for_timeout(50)
    assert page.evaluate(tops) == [True, True]
