"""The chat page in a real browser, against a partner that follows a script."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from starlette.routing import WebSocketRoute

from palaver.web.participant.rooms.pages import ChatPage, RoomView, ScenarioCard, SideBySidePage
from support.browsing import scrolls_sideways
from support.judging import SHELL, serving
from support.talks import Talk

pytestmark = pytest.mark.browser

STORY = ScenarioCard(
    title="Your story", text="A **free** weekend.", lines=("You start in Leiden.",)
)
TABLE = "|a|b|c|d|\n|-|-|-|-|\n" + "|" + "|".join(c * 30 for c in "abcd") + "|\n"
RICH = (
    "Take **Ghent**, *by train*.\n\n1. Book `early`\n2. See [the times](https://a.example/times)\n\n"
    "|Day|Plan|\n|-|-|\n|Friday|train|\n"
)
BAD = (
    (1, "[x](javascript:hacked=1) **b**"),
    (1, "<script>hacked = 1</script><img src=x onerror='hacked = 1'> **b**"),
    (1, "![picture](https://a.example/x.png) and [own](/desk) **b**"),
    (1, "\n".join("  " * depth + "- deep" for depth in range(200))),
    (1, TABLE),
    (1, TABLE * 800),
    (1, "w" * 300 + " **b**"),
    (0, "w" * 300),
    (0, "**mine** stays as typed"),
    (1, "🦆🦆"),
    (1, "שלום **עולם** 123!"),
)
SMALL_TALK = ((1, "Hello."), (0, "Hello, too."), (1, "How are you?")) * 6
TYPING = {"type": "typing", "seat": 1}

TALKS = {
    "rich": Talk((0, "Where to?"), (1, RICH)),
    "bad": Talk(*BAD),
    "long": Talk(*SMALL_TALK),
    "typing": Talk((1, "Hello."), answers=({**TYPING, "on": True},)),
    "answering": Talk((1, "Hello.")),
}


def page_of(talk: str, **more: Any) -> ChatPage:
    room = RoomView(socket=f"/ws/{talk}", seat=0, at_least=20, letter="A")
    return ChatPage(shell=SHELL, room=room, **more)


ROOM_A = RoomView(socket="/ws/long", seat=0, at_least=20, letter="A")
PAIR = SideBySidePage(
    shell=SHELL,
    rooms=(ROOM_A, replace(ROOM_A, socket="/ws/answering", letter="B")),
    next_url="/next",
    scenario=STORY,
    instructions="Be kind.",
)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    shown = {
        **{name: page_of(name) for name in TALKS},
        "full": page_of("long", scenario=STORY, instructions="Be kind."),
        "pair": PAIR,
    }
    routes = [WebSocketRoute(f"/ws/{name}", talk.serve) for name, talk in TALKS.items()]
    with serving(shown, routes) as address:
        yield address


def open_at(page: Page, address: str, *, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(address)
    expect(page.locator("[role=log]").first).to_have_attribute("aria-busy", "false")


@pytest.mark.parametrize(
    ("name", "width", "height"), [("full", 360, 450), ("full", 640, 400), ("pair", 360, 450)]
)
def test_messages_keep_half_of_what_the_keyboard_leaves(
    name: str, width: int, height: int, base: str, new_page: Any
) -> None:
    page = new_page(phone=True)
    open_at(page, f"{base}/{name}", width=width, height=height)

    log = page.locator(".log-scroll").first
    assert log.evaluate("node => node.clientHeight") >= height / 2
    assert page.locator(".top").evaluate("node => node.offsetHeight") <= 46
    expect(page.locator("textarea").first).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Finish").first).to_be_in_viewport(ratio=1)
    assert not scrolls_sideways(page)


def test_a_window_that_is_too_low_scrolls(base: str, new_page: Any) -> None:
    page = new_page(phone=True)
    open_at(page, f"{base}/full", width=320, height=256)

    assert page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert page.locator(".log-scroll").evaluate("node => node.clientHeight") > 150
    assert not scrolls_sideways(page)


def test_the_title_steps_aside_for_the_progress_on_a_phone(
    base: str, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=True)
    open_at(page, f"{base}/full", width=360, height=740)

    expect(page.locator(".top-progress")).to_contain_text("18 of 20")
    expect(page.locator(".room-head")).to_be_hidden()
    expect(page.get_by_text("You start in Leiden.")).to_be_hidden()
    page.get_by_text("Your story").click()
    expect(page.get_by_text("You start in Leiden.")).to_be_visible()
    assert axe(page) == []


def test_markdown_of_the_partner_is_shown(base: str, new_page: Any, axe: Any) -> None:
    page = new_page()
    page.goto(f"{base}/rich")
    said = page.locator(".message.partner .bubble")

    expect(said.locator("strong")).to_have_text("Ghent")
    expect(said.locator("ol > li")).to_have_count(2)
    expect(said.locator("td").first).to_have_text("Friday")
    link = said.get_by_role("link", name="the times")
    expect(link).to_have_attribute("href", "https://a.example/times")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(said.locator("small")).to_have_text("(https://a.example/times)")
    assert axe(page) == []


@pytest.mark.parametrize("phone", [False, True])
def test_bad_messages_neither_run_nor_overflow(
    phone: bool, base: str, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=phone)
    page.goto(f"{base}/bad")
    expect(page.locator(".message")).to_have_count(len(BAD))

    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator(".log :is(img, script, iframe, [onerror])").count() == 0
    links = page.locator(".log a").evaluate_all("nodes => nodes.map(node => node.href)")
    assert links == ["https://a.example/x.png"]
    expect(page.locator(".own .bubble").last).to_contain_text("**mine** stays as typed")
    assert not scrolls_sideways(page)
    # No bubble is wider than its log, or lies upon its neighbour.
    assert page.evaluate(
        """() => {
          const log = document.querySelector(".log-scroll");
          const boxes = [...log.querySelectorAll(".message")].map(m => m.getBoundingClientRect());
          const apart = boxes.every((box, n) => n === 0 || box.top >= boxes[n - 1].bottom);
          return apart && log.scrollWidth <= log.clientWidth;
        }"""
    )
    assert axe(page) == []


def test_only_the_last_own_message_says_that_it_was_sent(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/answering")
    expect(page.locator(".message")).to_have_count(1)
    for text in ("One.", "Two."):
        page.locator("textarea").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(".own .state").last).to_have_text("Sent")
    expect(page.get_by_text("Sent", exact=True)).to_have_count(1)
    expect(page.locator(".stamp")).to_have_count(1)


def test_dots_show_that_the_partner_types(base: str, new_page: Any, axe: Any) -> None:
    page = new_page()
    page.goto(f"{base}/typing")
    page.locator("textarea").fill("And you?")
    page.keyboard.press("Enter")

    dots = page.locator(".typing")
    expect(dots).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="is typing")).to_have_count(1)
    assert dots.locator("i").first.evaluate("i => getComputedStyle(i).animationName") == "none"
    assert axe(page) == []


def test_a_conversation_that_is_not_shown_says_what_is_new(
    base: str, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=True)
    page.goto(f"{base}/pair")
    first, second = page.locator("#room-a"), page.locator("#room-b")
    expect(first).to_be_visible()
    expect(second).to_be_hidden()
    mark = page.locator(".room-tabs .tag").last
    expect(mark).to_be_hidden()

    second.evaluate(
        """room => room.dispatchEvent(new CustomEvent("room-change", {
          bubbles: true, detail: { fromPartner: true, over: false },
        }))"""
    )
    expect(mark).to_be_visible()
    assert axe(page) == []
    page.get_by_role("radio", name="Show conversation B").check()
    expect(second).to_be_visible()
    expect(first).to_be_hidden()
    expect(mark).to_be_hidden()
