"""Answers are there again after a reload, on another device, after a crash."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect
from sqlalchemy import text

from palaver.storage import Store
from support.participants import sqlite_url
from support.serving import Server, start_server

pytestmark = pytest.mark.browser

KEPT = "Your answers are kept."
EVERY_KIND = """
title: Judge
consent: {version: "1", text: "You judge conversations."}
questions:
  q_likert: {kind: likert, text: How was it?, points: [1, 2, 3, 4, 5, 6, 7]}
  q_slider: {kind: slider, text: How much?}
  q_choice:
    kind: choice
    text: Which one?
    options: [{id: red, text: Red}, {id: blue, text: Blue}]
  q_many:
    kind: multiselect
    text: Which ones?
    options: [{id: north, text: North}, {id: south, text: South}, {id: west, text: West}]
  q_none:
    kind: multiselect
    text: Which others?
    options: [{id: left, text: Left}, {id: right, text: Right}]
  q_thumb: {kind: thumbs, text: Good?, required: false}
  q_rank:
    kind: ranking
    text: In which order?
    options:
      - {id: one, text: First thing}
      - {id: two, text: Second thing}
      - {id: three, text: Third thing}
  q_aspects:
    kind: aspects
    text: How was each?
    aspects: [{id: kind, text: Kind}, {id: clever, text: Clever}]
  q_flow:
    kind: flow
    text: What happened?
    ask:
      - id: fact
        text: Was there a fact?
        answers:
          - id: "yes"
            text: "Yes"
            ask:
              - id: right
                text: Was it right?
                answers: [{id: sure, text: Sure}, {id: no, text: Not at all}]
          - {id: "no", text: "No"}
  q_text: {kind: text, text: Why?}
stages:
  - rate:
      ask: [q_likert, q_slider, q_choice, q_many, q_none, q_thumb, q_rank, q_aspects, q_flow, q_text]
      data: data.jsonl
"""
SPANS = """
title: Mark
consent: {version: "1", text: "You judge conversations."}
questions:
  q_marks:
    kind: spans
    text: Which words are wrong?
    speaker: system
    options: [{id: wrong, text: Wrong}, {id: odd, text: Odd}]
  q_label:
    kind: multiselect
    text: What does it do?
    speaker: system
    options: [{id: asks, text: Asks}, {id: tells, text: Tells}]
stages:
  - rate: {ask: [q_marks, q_label], data: data.jsonl}
"""


def write_data(folder: Path, dialogues: int) -> None:
    """Dialogues to judge."""
    folder.mkdir()
    turns = [
        ["user", "Hello."],
        ["system", "Rome is in Spain."],
        ["user", "Oh."],
        ["system", "Yes."],
    ]
    lines = [json.dumps({"id": f"d{n}", "turns": turns}) for n in range(dialogues)]
    (folder / "data.jsonl").write_text("\n".join(lines) + "\n")


@pytest.fixture
def data(tmp_path: Path) -> None:
    """Two dialogues to judge, on a server of the test's own."""
    write_data(tmp_path / "study", 2)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for tests that need a new person only, with enough for each of them to judge."""
    folder = tmp_path_factory.mktemp("kept")
    write_data(folder / "study", 20)
    (folder / "study" / "study.yaml").write_text(EVERY_KIND, encoding="utf-8")
    started = start_server(folder / "study", home=folder / "home")
    yield started
    started.stop()


def begin(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="I agree and take part").click()
    expect(page.locator("rating-form")).to_be_visible()
    page.wait_for_load_state("load")


def question(page: Page, name: str) -> Any:
    return page.locator(f"#answer-{name}")


def is_save(response: Response) -> bool:
    return response.url.endswith("/keep") and response.ok


def saved(page: Page, act: Callable[[], Any]) -> None:
    """Do something, and wait until the server has kept it."""
    with page.expect_response(is_save):
        act()
    expect(page.locator("[data-part=kept-words]")).to_have_text(KEPT)


def give_every_answer(page: Page) -> None:
    saved(page, lambda: question(page, "q_likert").get_by_role("radio", name="6").check())
    slider = question(page, "q_slider").locator("input[type=range]")
    saved(page, lambda: slider.fill("73"))
    saved(page, lambda: question(page, "q_choice").get_by_role("radio", name="Blue").check())
    saved(page, lambda: question(page, "q_many").get_by_role("checkbox", name="North").check())
    saved(page, lambda: question(page, "q_many").get_by_role("checkbox", name="West").check())
    none = question(page, "q_none").get_by_role("checkbox", name="None of these")
    saved(page, none.check)
    saved(page, question(page, "q_rank").get_by_role("button", name="Move down: First thing").click)
    kind = question(page, "q_aspects").get_by_role("radiogroup", name="Kind")
    saved(page, lambda: kind.get_by_role("radio", name="4").check())
    flow = question(page, "q_flow")
    saved(page, lambda: flow.get_by_role("radio", name="Yes").check())
    saved(page, lambda: flow.get_by_role("radio", name="Not at all").check())
    saved(page, lambda: question(page, "q_text").get_by_role("textbox").fill("Two\nlines <b>"))


def expect_every_answer(page: Page) -> None:
    expect(question(page, "q_likert").get_by_role("radio", name="6")).to_be_checked()
    expect(question(page, "q_slider").locator("input[type=number]")).to_have_value("73")
    expect(question(page, "q_slider").locator("input[type=range]")).to_have_value("73")
    expect(question(page, "q_choice").get_by_role("radio", name="Blue")).to_be_checked()
    many = question(page, "q_many")
    expect(many.get_by_role("checkbox", name="North")).to_be_checked()
    expect(many.get_by_role("checkbox", name="South")).not_to_be_checked()
    expect(many.get_by_role("checkbox", name="West")).to_be_checked()
    none = question(page, "q_none").get_by_role("checkbox", name="None of these")
    expect(none).to_be_checked()
    expect(question(page, "q_thumb").locator("input:checked")).to_have_count(0)
    order = question(page, "q_rank").locator(".rank-text")
    expect(order).to_have_text(["Second thing", "First thing", "Third thing"])
    kind = question(page, "q_aspects").get_by_role("radiogroup", name="Kind")
    expect(kind.get_by_role("radio", name="4")).to_be_checked()
    clever = question(page, "q_aspects").get_by_role("radiogroup", name="Clever")
    expect(clever.locator("input:checked")).to_have_count(0)
    flow = question(page, "q_flow")
    expect(flow.get_by_role("radio", name="Yes")).to_be_checked()
    expect(flow.get_by_role("radio", name="Not at all")).to_be_checked()
    expect(question(page, "q_text").get_by_role("textbox")).to_have_value("Two\nlines <b>")
    expect(page.locator("[data-part=kept-words]")).to_have_text(KEPT)


def count(server: Server, table: str) -> int:
    store = Store(sqlite_url(server.home))
    try:
        return store.read_now(
            lambda c: c.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
        )
    finally:
        store.close()


def test_every_kind_of_answer_outlives_a_reload_a_crash_and_a_change_of_device(
    data: None, serve: Any, link: Any, new_page: Any
) -> None:
    server = serve(EVERY_KIND)
    address = link(server, "ann")
    page = new_page()
    begin(page, address)

    give_every_answer(page)
    assert count(server, "labels") == 0
    page.reload()
    expect_every_answer(page)

    server.kill()
    port = int(server.base.rpartition(":")[2])
    serve(EVERY_KIND, port=port)
    page.reload()
    expect_every_answer(page)

    phone = new_page(phone=True)
    phone.goto(address)
    expect_every_answer(phone)

    clever = question(phone, "q_aspects").get_by_role("radiogroup", name="Clever")
    saved(phone, lambda: clever.get_by_role("radio", name="2").check())
    phone.get_by_role("button", name="Send answers").click()
    expect(question(phone, "q_likert").locator("input:checked")).to_have_count(0)
    assert (count(server, "drafts"), count(server, "labels")) == (0, 10)


def test_marked_words_and_none_of_these_outlive_a_reload(
    data: None, serve: Any, link: Any, new_page: Any
) -> None:
    page = new_page()
    begin(page, link(serve(SPANS)))
    first, second = page.locator("span-marker").all()

    first.locator("[data-part=text]").focus()
    page.keyboard.press("ArrowRight")
    saved(page, first.get_by_role("button", name="Odd").click)
    page.get_by_role("button", name="Answer message 4").or_(second).first.click()
    saved(page, second.get_by_role("checkbox", name="Nothing to mark").check)
    page.reload()

    expect(first.locator(".span-list li")).to_contain_text(["Odd: Rome"])
    expect(second.locator("[data-part=none]")).to_be_checked()
    page.get_by_role("button", name="Save and go on").click()

    # Turn by turn, "none" is said with one key, and doing nothing is not enough.
    expect(page.get_by_role("heading", level=1)).to_have_text("What does it do?")
    page.wait_for_load_state()  # the heading is there before the scripts are
    page.get_by_role("button", name="Send answers").click()
    expect(page.locator("[data-part=error-list] li")).to_have_count(2)
    with page.expect_response(is_save):
        page.keyboard.press("0")
    page.reload()
    expect(page.locator("[data-none]").first).to_be_checked()


def test_two_tabs_leave_each_others_answers_alone(server: Server, link: Any, new_page: Any) -> None:
    page = new_page()
    begin(page, link(server))
    other = page.context.new_page()
    other.goto(page.url)

    saved(page, lambda: question(page, "q_choice").get_by_role("radio", name="Red").check())
    saved(other, lambda: question(other, "q_likert").get_by_role("radio", name="2").check())
    other.reload()

    expect(question(other, "q_choice").get_by_role("radio", name="Red")).to_be_checked()
    expect(question(other, "q_likert").get_by_role("radio", name="2")).to_be_checked()


def test_a_reload_in_the_middle_of_a_save_loses_nothing(
    server: Server, link: Any, new_page: Any
) -> None:
    page = new_page()
    begin(page, link(server))
    # What this page saves is under way for ever: the next page is there before it arrives.
    page.evaluate("() => { window.fetch = () => new Promise(() => {}); }")
    question(page, "q_text").get_by_role("textbox").fill("Half a sent")
    page.reload()

    expect(question(page, "q_text").get_by_role("textbox")).to_have_value("Half a sent")


def test_what_could_not_be_kept_is_said_and_tried_again(
    server: Server, link: Any, new_page: Any
) -> None:
    page = new_page(own_clock=True)
    begin(page, link(server))
    page.clock.install()
    page.route("**/keep", lambda route: route.abort())
    question(page, "q_choice").get_by_role("radio", name="Red").check()
    state = page.locator("[data-part=kept-words]")
    expect(state).to_have_text("Not kept yet. We try again in 5 s.")

    page.unroute("**/keep")
    page.clock.run_for(5_100)
    expect(state).to_have_text(KEPT)


@pytest.mark.long
def test_withdrawing_deletes_what_was_kept(
    data: None, serve: Any, link: Any, new_page: Any
) -> None:
    server = serve(EVERY_KIND)
    page = new_page()
    begin(page, link(server))
    saved(page, lambda: question(page, "q_text").get_by_role("textbox").fill("A secret"))
    assert count(server, "drafts") == 1

    page.goto(f"{page.url.partition('?')[0]}/withdraw")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    assert count(server, "drafts") == 0


@pytest.mark.long
def test_what_was_missing_is_no_longer_red_once_it_is_there(
    server: Server, link: Any, new_page: Any
) -> None:
    page = new_page()
    begin(page, link(server))
    page.get_by_role("button", name="Send answers").click()
    missing = page.locator("[data-part=error-list] li")
    expect(missing).to_have_count(9)
    expect(question(page, "q_choice").locator(".field-error")).to_be_visible()

    question(page, "q_choice").get_by_role("radio", name="Red").check()
    expect(question(page, "q_choice").locator(".field-error")).to_have_count(0)
    expect(missing).to_have_count(8)
    expect(page.locator("[data-part=error-list]")).not_to_contain_text("Which one?")

    give_every_answer(page)
    clever = question(page, "q_aspects").get_by_role("radiogroup", name="Clever")
    clever.get_by_role("radio", name="2").check()
    expect(page.locator("[data-part=errors]")).to_be_hidden()
    expect(page.locator(".unanswered")).to_have_count(0)
