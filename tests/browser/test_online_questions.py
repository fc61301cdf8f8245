"""A question about each of the partner's messages, against a partner that follows a script."""

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from palaver.core.questions.question import Question
from palaver.formats.rich_places import placed_tree
from palaver.formats.rich_text import rich_tree
from palaver.web.participant.rooms.pages import ChatPage, OnlineQuestion, RoomView
from support.browsing import scrolls_sideways
from support.judging import SHELL, SPANS, ask, built_in, serving

pytestmark = pytest.mark.browser

JUDGE_FIRST = "Please judge the last message first."


class Script:
    """A partner that answers each message, and a store that keeps or refuses what is judged."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.kept: list[dict[str, list[str]]] = []
        self.answers: dict[int, Any] = {}
        self.outcomes: list[tuple[int, dict[str, Any]]] = []
        self.say(1, "Hello 🦆. I am here.")

    def say(self, seat: int, text: str, client_id: str | None = None) -> dict[str, Any]:
        """Append a message."""
        event = {
            "type": "event",
            "seq": len(self.events) + 1,
            "seat": seat,
            "action": "message",
            "data": {"text": text},
            "time": time.time(),
            "id": client_id,
            "movers": [0],
        }
        self.events.append(event)
        return event

    async def talk(self, socket: WebSocket) -> None:
        """The server's side of the chat socket."""
        await socket.accept()
        try:
            while True:
                frame = await socket.receive_json()
                if frame["type"] == "hello":
                    for event in self.events[frame["after"] :]:
                        await socket.send_json(event)
                    position = len(self.events)
                    await socket.send_json(
                        {"type": "ready", "position": position, "movers": [0], "remaining": None}
                    )
                elif frame["type"] == "move" and frame["data"]["text"] == "refuse me":
                    refusal = {"id": frame["id"], "code": "judge_first", "message": "?"}
                    await socket.send_json({"type": "error", **refusal})
                elif frame["type"] == "move":
                    await socket.send_json(self.say(0, frame["data"]["text"], frame["id"]))
                    await socket.send_json(self.say(1, "Tell me more."))
        except WebSocketDisconnect:
            return

    async def keep(self, request: Request) -> JSONResponse:
        """Keep what was judged, or do what the script says."""
        form = await request.form()
        await asyncio.sleep(0.05)
        status, said = self.outcomes.pop(0) if self.outcomes else (200, {"saved": True})
        if status == 200:
            self.kept.append({name: [str(v) for v in form.getlist(name)] for name in form})
        return JSONResponse(said, status_code=status)


@pytest.fixture
def script() -> Script:
    return Script()


def room(question: Question, script: Script, *, required: bool) -> ChatPage:
    """A conversation with a question about each message of the partner."""
    online = OnlineQuestion(
        asked=ask(question),
        url="/online",
        dialogue="d-1",
        required=required,
        answers=script.answers,
    )
    return ChatPage(shell=SHELL, room=RoomView(socket="/ws/d-1", seat=0, online=online))


@pytest.fixture
def base(script: Script) -> Iterator[str]:
    shown = {
        "thumbs": room(built_in("thumbs"), script, required=True),
        "optional": room(built_in("thumbs"), script, required=False),
        "multiselect": room(built_in("consistency_label"), script, required=True),
        "flow": room(built_in("knowledge"), script, required=True),
        "spans": room(SPANS, script, required=False),
    }
    routes = [
        WebSocketRoute("/ws/d-1", script.talk),
        Route("/online", script.keep, methods=["POST"]),
    ]
    with serving(shown, routes) as address:
        yield address


def say(page: Page, text: str) -> None:
    """Write a message and send it."""
    page.locator("chat-room textarea").fill(text)
    page.keyboard.press("Enter")


def judgement(page: Page, number: int) -> Any:
    """The question about the partner's nth message, counted from 0."""
    return page.locator(".message-question").nth(number)


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_message_is_judged_before_the_next_one_is_written(
    phone: bool, base: str, script: Script, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=phone, dark=phone)
    page.goto(f"{base}/thumbs")
    composer = page.locator("chat-room textarea")
    expect(page.locator("[data-part=reason]")).to_have_text(JUDGE_FIRST)
    expect(composer).not_to_be_editable()
    assert axe(page) == []
    assert not scrolls_sideways(page)

    judgement(page, 0).get_by_role("radio", name="Good reply").check()
    expect(judgement(page, 0)).to_contain_text("Saved")
    say(page, "Fine, thanks.")
    expect(page.locator(".message-question")).to_have_count(2)
    expect(page.locator("[data-part=reason]")).to_have_text(JUDGE_FIRST)
    judgement(page, 1).get_by_role("radio", name="Bad reply").check()
    expect(composer).to_be_editable()
    assert axe(page) == []

    expected = {"csrf": ["token-1"], "dialogue": ["d-1"]}
    assert script.kept == [
        {**expected, "seq": ["1"], "answer-thumbs-1": ["up"]},
        {**expected, "seq": ["3"], "answer-thumbs-3": ["down"]},
    ]


def test_what_could_not_be_saved_is_kept_and_tried_again(
    base: str, script: Script, browser: Any
) -> None:
    script.outcomes = [(500, {}), (422, {"error": "Please choose <one>."})]
    page = browser.new_page()
    page.goto(f"{base}/thumbs")
    form = judgement(page, 0)

    form.get_by_role("radio", name="Good reply").check()
    expect(form).to_contain_text("Not saved. Your answer is kept here.")
    form.get_by_role("button", name="Try again").click()
    expect(form).to_contain_text("Please choose <one>.")
    expect(page.locator("[data-part=reason]")).to_have_text(JUDGE_FIRST)
    form.get_by_role("button", name="Try again").click()
    expect(form).to_contain_text("Saved")
    expect(form.get_by_role("button")).to_have_count(0)
    assert len(script.kept) == 1
    page.close()


def test_answers_are_there_again_after_a_reload(base: str, script: Script, new_page: Any) -> None:
    script.answers[1] = {"facts": ["uses_facts"], "accuracy": "unsure", "search": "verified"}
    page = new_page()
    page.goto(f"{base}/flow")

    expect(judgement(page, 0)).to_contain_text("Saved")
    expect(page.get_by_role("radio", name="A source I trust shows that all")).to_be_checked()
    expect(page.locator("chat-room textarea")).to_be_editable()


def test_only_a_complete_answer_is_saved(base: str, script: Script, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/flow")
    page.get_by_role("checkbox", name="This reply states a fact").check()
    expect(page.locator("[data-part=reason]")).to_have_text(JUDGE_FIRST)
    assert script.kept == []

    page.get_by_role("radio", name="Yes, I am certain").check()
    expect(judgement(page, 0)).to_contain_text("Saved")
    field = "answer-knowledge-1"
    assert script.kept[0][f"{field}:facts"] == ["uses_facts"]
    assert script.kept[0][f"{field}:accuracy"] == ["accurate"]


def test_nothing_to_tick_can_be_said(base: str, script: Script, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/multiselect")
    page.get_by_role("checkbox", name="None of these").check()
    expect(judgement(page, 0)).to_contain_text("Saved")
    assert set(script.kept[0]["answer-consistency_label-1"]) == {""}
    expect(page.locator("chat-room textarea")).to_be_editable()


def test_words_of_a_message_are_marked(base: str, script: Script, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/spans")
    page.locator(".markable").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Kind").click()
    expect(judgement(page, 0)).to_contain_text("Saved")
    marked = json.loads(script.kept[0]["answer-marks-1"][0])
    assert marked == [{"start": 14, "end": 18, "label": "kind"}]


def test_words_of_a_message_are_marked_as_it_is_shown(
    base: str, script: Script, new_page: Any
) -> None:
    text = "Take **Ghent** 🦆, by *train*."
    script.events[0] |= {"data": {"text": text}, "rich": placed_tree(text)}
    page = new_page()
    page.goto(f"{base}/spans")
    expect(page.locator(".message .rich strong").first).to_have_text("Ghent")
    marker = page.locator(".markable")
    expect(marker.locator("strong")).to_have_text("Ghent")
    expect(marker).not_to_contain_text("*")
    marker.focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Kind").click()
    expect(judgement(page, 0)).to_contain_text("Saved")
    [marked] = json.loads(script.kept[0]["answer-marks-1"][0])
    assert text[marked["start"] : marked["end"]] == "train", "places are those of what was sent"

    script.answers[1] = [marked]
    page.reload()
    expect(page.locator(".markable em mark")).to_have_text("train")


def test_a_message_without_places_is_marked_as_it_was_sent(
    base: str, script: Script, new_page: Any
) -> None:
    text = "Take **Ghent**."
    script.events[0] |= {"data": {"text": text}, "rich": rich_tree(text)}
    page = new_page()
    page.goto(f"{base}/spans")
    expect(page.locator(".message .rich strong").first).to_have_text("Ghent")
    expect(page.locator(".markable")).to_have_text(text)


def test_a_refusal_to_send_says_what_to_do(base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/optional")
    expect(page.locator("chat-room textarea")).to_be_editable()
    say(page, "refuse me")
    expect(page.locator(".failed .failure")).to_contain_text(JUDGE_FIRST)
