"""Writing against a model in a real browser: fool it, miss, keep, skip, mark words, judge, talk."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from palaver.evaluation.home import evaluation_home
from palaver.evaluation.tasks import add_task
from palaver.evaluation.tasks.definition import parse_task
from support.browsing import scrolls_sideways
from support.endpoints import Question, serving
from support.houses import House, study
from support.loops import NOW, put_http_model, write_contexts

pytestmark = pytest.mark.browser

OPEN = """\
name: open
title: Open questions
context: [{name: text, type: string, title: text}]
input: [{name: question, type: string, title: question}]
output: [{name: answer, type: string}]
gold: {answer: answers}
perf_metric: bleu
"""
SLIPS = """\
name: slips
title: Slips of a talker
context: [{name: turns, type: turns, title: dialogue}]
input: [{name: label, type: multiclass, labels: [fine, made up, rude]}]
output: [label]
perf_metric: accuracy
model_wrong: {rule: exact_match, fields: [label]}
"""
TALK = {"tries": 2, "per_visit": 1, "goals": ["made up", "rude"]}
TEXTS = {
    "nli": {"context": "Nobody told the cook that the guests had cancelled."},
    "qa": {"context": "The ferry left at nine. The captain had overslept."},
    "open": {"text": "There are three cats on the roof."},
}


def answers(question: Question) -> dict[str, Any]:
    """Neutral to everything, the first sentence, two cats; and nonsense to the word "nonsense"."""
    known: dict[str, Any] = {"id": question["uid"]}
    if "hypothesis" in question:
        label = "perhaps" if "nonsense" in question["hypothesis"] else "neutral"
        return known | {
            "label": label,
            "prob": {"entailed": 0.21, "neutral": 0.72, "contradictory": 0.07},
        }
    if "text" in question:
        return known | {"answer": "two cats"}
    return known | {"answer": "The ferry left at nine", "conf": 0.95}


def writing(task: str, **terms: Any) -> dict[str, Any]:
    known = {"task": task, "models": ["bag"], "contexts": "contexts.jsonl", **terms}
    return study({}, title="Outwit it", systems={}, stages=[{"write": known}])


STUDIES = {
    "loop": writing("nli", tries=3, per_visit=2, bonus={"verified": 0.5}, per_context=9),
    "span": writing("qa", tries=1, per_visit=1, per_context=9),
    "judge": writing("open", tries=2, per_visit=1, per_context=9),
    "talk": study(
        {},
        systems={
            "parrot": {"kind": "scripted", "lines": ["Hull, in 1912.", "I was never in Hull."]}
        },
        stages=[{"write": {"task": "slips", "talk": "parrot", "sessions": 9, **TALK}}],
    ),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("writing")
    with serving(answers) as endpoint:
        built = House.build(folder, STUDIES, f"sqlite:///{folder / 'home' / 'palaver.db'}")
        built.home.mkdir()
        home = evaluation_home(built.home, built.store)
        for text in (OPEN, SLIPS):
            task = parse_task(text.encode(), folder="", file="task.yaml")
            home.store.write_now(lambda c, task=task: add_task(c, task, now=NOW))
        for name, task in (("loop", "nli"), ("span", "qa"), ("judge", "open")):
            contexts = [{"id": f"t{n}", "context": TEXTS[task]} for n in range(3)]
            write_contexts(built.studies / name, contexts)
            put_http_model(home, task, "bag", endpoint)
        built.serve()
        yield built
        built.close()


@pytest.fixture
def enter(house: House, new_page: Any) -> Any:
    """Opens a study for somebody new, at its first text."""

    def begin(name: str, **options: Any) -> Page:
        page: Page = new_page(**options)
        page.goto(house.link(name))
        page.get_by_role("button", name="Agree").click()
        page.get_by_role("button", name="Start").click()
        return page

    return begin


def ask(page: Page, text: str, label: str = "") -> None:
    if label:
        page.get_by_role("radio", name=label).check()
    page.get_by_label("Your hypothesis", exact=True).fill(text)
    page.get_by_role("button", name="Ask the model").click()


def verdict(page: Page, words: str) -> None:
    """The heading of the verdict has these words, and the focus."""
    heading = page.get_by_role("heading", name=words)
    expect(heading).to_be_visible()
    expect(heading).to_be_focused()


def test_who_fools_the_model_keeps_it_and_may_take_it_back(enter: Any, axe: Any) -> None:
    page = enter("loop")
    expect(page.get_by_role("button", name="End the visit early")).to_be_enabled()
    assert axe(page) == []
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_role("alert")).to_have_text("Choose one of the labels first.")
    expect(page.get_by_label("entailed")).to_be_focused()

    page.keyboard.press("3")
    page.get_by_label("Your hypothesis", exact=True).fill("The guests are 30 at the table.")
    page.keyboard.press("Control+Enter")
    verdict(page, "The model is wrong")
    card = page.locator("[data-part=verdict]")
    expect(card).to_contain_text("You say contradictory. The model says neutral and is quite sure.")
    expect(card.locator(".meter.top-answer")).to_have_text("neutral72%")
    expect(card).to_contain_text("It counts if 2 of 3 other people agree. Then you earn 0.50 GBP.")
    assert axe(page) == []

    card.get_by_role("button", name="Change it").click()
    expect(page.get_by_label("Your hypothesis", exact=True)).to_be_focused()
    ask(page, "Somebody cooks.", "neutral")
    verdict(page, "The model got it right")
    expect(card).to_contain_text("You say neutral, and so does the model.")
    expect(card).to_contain_text("you have 1 try left")

    # What fooled it earlier can still be kept, and what was typed is there after a reload.
    page.get_by_role("button", name="Keep this one").click()
    page.get_by_label("Why is it contradictory?").fill("They had cancelled.")
    page.get_by_label("Your hypothesis", exact=True).fill("One more idea")
    page.reload()
    expect(page.get_by_label("Your hypothesis", exact=True)).to_have_value("One more idea")
    page.get_by_role("button", name="Keep this one").click()
    expect(page.get_by_label("Why is it contradictory?")).to_have_value("They had cancelled.")
    page.get_by_role("button", name="Keep it and go on").click()

    expect(page.get_by_text("Text 2 of 2 · the last one fooled it")).to_be_visible()
    page.get_by_role("button", name="Another text").click()
    expect(page.get_by_role("button", name="Another text")).to_be_visible()
    ask(page, "Somebody eats.", "neutral")
    page.get_by_role("button", name="Stop with this text").click()
    expect(page.get_by_text("1 of your 2 texts fooled the model.")).to_be_visible()

    page.get_by_role("link", name="What you wrote, and what others find").click()
    expect(page.get_by_text("The guests are 30 at the table.")).to_have_count(2)
    expect(page.get_by_text("waiting for others")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("link", name="Take it back").click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("taken back", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Take it back")).to_have_count(0)


def test_an_answer_that_does_not_come_costs_no_try_and_keeps_the_words(enter: Any) -> None:
    page = enter("loop", phone=True)
    expect(page.get_by_text("3 tries left")).to_be_visible()
    ask(page, "nonsense", "entailed")
    verdict(page, "No answer came")
    expect(page.get_by_text("3 tries left")).to_be_visible()
    expect(page.get_by_role("button", name="Another text")).to_be_visible()
    expect(page.get_by_label("Your hypothesis", exact=True)).to_have_value("nonsense")
    page.get_by_role("button", name="Ask again").click()
    verdict(page, "No answer came")

    # Another tab takes the text over; this one says so, and sends nothing.
    other = page.context.new_page()
    other.goto(page.url)
    expect(page.locator("[data-part=connection]")).to_contain_text(
        "This text is open in another tab. Nothing is lost."
    )
    page.get_by_role("button", name="Ask the model").click()
    expect(page.locator("[data-part=problem]")).to_have_text("You are writing in another tab.")
    for n in range(3):
        ask(other, f"Somebody cooks {n}.", "neutral")
        verdict(other, "The model got it right")
        other.evaluate("document.activeElement.blur()")
    expect(other.get_by_text("Your tries for this text are used up.")).to_be_visible()
    expect(other.get_by_text("0 tries left")).to_be_visible()
    assert not scrolls_sideways(other)
    other.get_by_role("link", name="Go on").click()
    expect(other.get_by_text("Text 2 of 2")).to_be_visible()


def test_words_of_the_text_are_marked_with_the_keyboard(enter: Any, axe: Any) -> None:
    page = enter("span", phone=True)
    page.get_by_label("Your question").fill("Why was it late?")
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_role("alert")).to_have_text("Mark the words in the text first.")
    expect(page.locator(".markable")).to_be_focused()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=marked]")).to_have_text("“The captain had overslept”")
    expect(page.locator(".markable mark")).to_have_text("The captain had overslept")
    assert axe(page) == []
    page.get_by_role("button", name="Ask the model").click()
    verdict(page, "The model is wrong")
    expect(page.locator("[data-part=verdict-words]")).to_contain_text("is very sure (95%)")
    page.get_by_role("button", name="Keep it and go on").click()
    expect(page.get_by_text("Your text fooled the model.")).to_be_visible()


def test_where_a_person_judges_they_say_what_would_be_right(enter: Any, axe: Any) -> None:
    page = enter("judge")
    page.get_by_label("Your question").fill("How many cats are there?")
    page.get_by_role("button", name="Ask the model").click()
    verdict(page, "Is the model wrong?")
    page.get_by_label("Yes, it is wrong").check()
    page.get_by_role("button", name="Say so").click()
    expect(page.get_by_role("alert")).to_have_text("Write what would be right first.")
    assert axe(page) == []
    page.get_by_label("What would be right?").fill("three cats")
    page.get_by_role("button", name="Say so").click()
    verdict(page, "The model is wrong")
    expect(page.locator("[data-part=verdict-words]")).to_have_text(
        "You say three cats. The model says two cats."
    )


def test_who_talks_marks_the_message_that_is_wrong(enter: Any, axe: Any) -> None:
    page = enter("talk")
    for n, said in enumerate(("Hull, in 1912.", "I was never in Hull.")):
        page.get_by_label("Your message").fill(f"Where were you born? {n}")
        page.keyboard.press("Enter")
        expect(page.get_by_role("radio", name=said)).to_be_checked()
    expect(page.get_by_text("That was the last answer.")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("button", name="Mark it and go on").click()
    expect(page.get_by_role("alert")).to_have_text("Say first what is wrong with it.")
    page.get_by_role("radio", name="Hull, in 1912.").check()
    page.get_by_label("made up").check()
    page.get_by_role("button", name="Mark it and go on").click()
    expect(page.get_by_text("Your text fooled the model.")).to_be_visible()
    page.get_by_role("link", name="What you wrote, and what others find").click()
    expect(page.locator(".own-examples li")).to_contain_text("Hull, in 1912.")


@pytest.mark.long
def test_the_preview_shows_a_text(house: House, new_page: Any, axe: Any) -> None:
    page = new_page(dark=True)
    page.goto(f"{house.server.base}/s/loop?step=writing")
    expect(page.get_by_text("The bakery on Mill Lane")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def test_the_source_of_a_page_says_nothing_of_the_model(house: House, enter: Any) -> None:
    page = enter("loop")
    source = page.content()
    assert "bag" not in json.dumps(source)
    assert "in_the_loop" not in source.replace("model_in_the_loop", "")
