"""A participant without a browser: follows links, sends forms, and chats over the socket."""

import asyncio
import html
import json
import re
import uuid
from pathlib import Path
from typing import Any

import aiohttp

from palaver.crowds.links import new_person, sign_link
from palaver.storage import Store

# How long to wait for what is sure to come, however slow the machine.
PATIENCE = 120.0


def link_for(base: str, study: str, database_url: str, person: str | None = None) -> str:
    """A signed link to a study, as `palaver link` would print it."""
    store = Store(database_url)
    try:
        secret = store.secret()
    finally:
        store.close()
    return f"{base}/s/{study}?link={sign_link(secret, study=study, person=person or new_person())}"


def sqlite_url(home: Path) -> str:
    """The address of a home's SQLite file."""
    return f"sqlite:///{home / 'palaver.db'}"


class Participant:
    """One person with a browser's cookies and the page they see."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.base = re.match(r"https?://[^/]+", link).group(0)  # type: ignore[union-attr]
        self.session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        self.page = ""
        self.status = 0
        self.url = ""
        # Everything the browser was sent: pages with their headers, and frames.
        self.received: list[str] = []
        self._rooms: list[Room] = []

    async def __aenter__(self) -> "Participant":
        await self.open(self.link)
        return self

    async def __aexit__(self, *_: object) -> None:
        for room in self._rooms:
            await room.close()
        await self.session.close()

    @property
    def path(self) -> str:
        """The address of the visit, without what stands behind it."""
        return re.match(r"(https?://[^/]+/take/[^/?]+)", self.url).group(1)  # type: ignore[union-attr]

    @property
    def heading(self) -> str:
        """The heading of the page."""
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.page, re.S)
        return re.sub(r"<[^>]+>|\s+", " ", found.group(1)).strip() if found else ""

    @property
    def code(self) -> str | None:
        """The completion code on the page."""
        found = re.search(r'data-part="code">([^<]*)<', self.page)
        return found.group(1) if found else None

    async def open(self, url: str) -> None:
        async with self.session.get(url) as response:
            await self._arrive(response)

    async def _arrive(self, response: aiohttp.ClientResponse) -> None:
        self.page, self.status = await response.text(), response.status
        self.url = str(response.url)
        for each in (*response.history, response):
            self.received.append(f"{each.url}\n{dict(each.headers)}")
        self.received.append(self.page)

    async def reload(self) -> None:
        await self.open(self.path)

    def hidden(self) -> dict[str, str]:
        """What the page's forms carry along."""
        found = re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', self.page)
        return {name: html.unescape(value) for name, value in found if value}

    async def send(self, path: str, **form: str | list[str]) -> None:
        """Send a form of this page; a list sends its field several times."""
        filled = {"csrf": "", **self.hidden(), **form}
        data = [
            (name, each)
            for name, value in filled.items()
            for each in (value if isinstance(value, list) else [value])
        ]
        async with self.session.post(f"{self.path}/{path}", data=data) as response:
            await self._arrive(response)

    async def begin(self) -> None:
        """Consent, read the instructions, and come to the first stage."""
        if "/consent" in self.page:
            await self.send("consent", consent="agree")
        if '/start"' in self.page:
            await self.send("start")

    async def chat(self, *texts: str) -> "Room":
        """Open the page's conversation, and say these texts, each after a reply."""
        room = await self.room()
        for count, text in enumerate(texts, start=len(room.heard()) + 1):
            await room.say(text)
            await room.hears(count=count)
        return room

    async def wait_for_partner(self, *, seconds: float = PATIENCE) -> str:
        """Sit in the waiting room until it is over: "seated" or "over"; then see what is next."""
        socket = self.base + html.unescape(
            re.search(r'data-socket="([^"]*/waiting/[^"]*)"', self.page).group(1)  # type: ignore[union-attr]
        )
        async with (
            asyncio.timeout(seconds),
            self.session.ws_connect(socket) as waiting,
        ):
            async for message in waiting:
                self.received.append(message.data)
                frame = json.loads(message.data)
                if frame["type"] != "estimate":
                    await self.reload()
                    return str(frame["type"])
        raise AssertionError("the waiting room closed without a word")

    def sockets(self) -> list[str]:
        """The chat sockets on the page."""
        return [
            self.base + html.unescape(s) for s in re.findall(r'data-socket="([^"]*)"', self.page)
        ]

    async def room(self, url: str | None = None, *, after: int = 0) -> "Room":
        """Open a conversation of this page."""
        room = Room(self, url or self.sockets()[0], after)
        self._rooms.append(room)
        await room.connect()
        return room


class Room:
    """A conversation as one page sees it: the events so far, in order, each once."""

    def __init__(self, participant: Participant, url: str, after: int = 0) -> None:
        self.participant = participant
        self.url = url
        self.events: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.after = after
        self.movers: list[int] = []
        self.closed = asyncio.Event()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.socket: aiohttp.ClientWebSocketResponse

    @property
    def seat(self) -> int:
        """Where this person sits, as the page says."""
        found = re.search(r'data-seat="(\d)"', self.participant.page)
        assert found is not None, "the page holds no conversation"
        return int(found[1])

    @property
    def position(self) -> int:
        return self.events[-1]["seq"] if self.events else self.after

    async def connect(self, base: str | None = None) -> None:
        """Open the socket (of another process, if one is named) and catch up."""
        if base is not None:
            self.url = base + self.url.removeprefix(self.participant.base)
        self.closed.clear()
        self.frames.clear()
        self.socket = await self.participant.session.ws_connect(self.url, max_msg_size=0)
        self._task = asyncio.create_task(self._read())
        await self.socket.send_json({"type": "hello", "after": self.position})
        await self.until(lambda room: any(f["type"] == "ready" for f in room.frames))

    async def close(self) -> None:
        await self.socket.close()
        if self._task is not None:
            await self._task
        self.frames.clear()

    async def post(
        self, action: str, data: dict[str, Any] | None = None, *, id: str | None = None
    ) -> str:
        """Send a move; its id."""
        client_id = id or uuid.uuid4().hex
        await self.socket.send_json(
            {"type": "move", "id": client_id, "action": action, "data": data}
        )
        return client_id

    async def say(
        self, text: str, *, id: str | None = None, seconds: float = PATIENCE
    ) -> dict[str, Any]:
        """Send a message and wait until it is acknowledged or refused."""
        client_id = await self.post("message", {"text": text}, id=id)
        return await self.answer_to(client_id, seconds=seconds)

    async def answer_to(self, client_id: str, *, seconds: float = PATIENCE) -> dict[str, Any]:
        """The frame that acknowledges or refuses a move."""

        def found(room: "Room") -> list[dict[str, Any]]:
            return [f for f in room.frames if f.get("id") == client_id]

        await self.until(found, seconds=seconds)
        return found(self)[-1]

    async def until(self, holds: Any, *, seconds: float = PATIENCE) -> None:
        """Wait until `holds(room)` is true."""
        try:
            async with asyncio.timeout(seconds):
                while not holds(self):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError as error:
            told = f"closed: {self.closed.is_set()}, last frames: {self.frames[-4:]}"
            raise TimeoutError(f"{told}, last events: {self.events[-3:]}") from error

    async def errs(self, *, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next error frame that answers no move; those seen so far are forgotten."""

        def found(room: "Room") -> list[dict[str, Any]]:
            return [f for f in room.frames if f["type"] == "error" and "id" not in f]

        await self.until(found, seconds=seconds)
        error = found(self)[0]
        self.frames.remove(error)
        return error

    async def ends(self, *, seconds: float = PATIENCE) -> str:
        """Wait for the end of the conversation; its reason."""
        await self.until(lambda room: room.ending, seconds=seconds)
        return str(self.ending)

    async def hears(
        self, text: str | None = None, *, count: int = 1, seconds: float = PATIENCE
    ) -> None:
        """Wait for messages of the partner."""
        await self.until(
            lambda room: len([t for t in room.heard() if text is None or t == text]) >= count,
            seconds=seconds,
        )

    def said(self) -> list[str]:
        """All messages, in order."""
        return [e["data"]["text"] for e in self.events if e["action"] == "message" and e["data"]]

    def heard(self) -> list[str]:
        """The messages of others."""
        return [
            e["data"]["text"]
            for e in self.events
            if e["action"] == "message" and e["data"] and e["id"] is None
        ]

    @property
    def ending(self) -> str | None:
        """Why the conversation ended."""
        return next((e["data"]["reason"] for e in self.events if e["action"] == "end"), None)

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            self.participant.received.append(message.data)
            frame = json.loads(message.data)
            self.frames.append(frame)
            if frame["type"] == "event" and frame["seq"] > self.position:
                self.events.append(frame)
            if "movers" in frame:
                self.movers = frame["movers"]
            self._changed.set()
        self.closed.set()
        self._changed.set()
