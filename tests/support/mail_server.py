"""A mail server that a test can look into: what it was sent, and what it is to answer."""

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

# What is answered to a step ("connect", "mail", "rcpt", "data") of somebody; None for yes.
Answering = Callable[[str, str], str | None]


@dataclass
class SmtpServer:
    """What was taken, by arrival; `answers` may be changed at any time.

    A letter is held at `gate` before it is answered, once that is an event that is not set.
    """

    port: int = 0
    letters: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, str]] = field(default_factory=list)
    log_ins: list[str] = field(default_factory=list)
    connections: int = 0
    answers: Answering = lambda step, who: None
    extensions: tuple[str, ...] = ("8BITMIME", "SMTPUTF8", "AUTH PLAIN")
    tls: ssl.SSLContext | None = None
    gate: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)
    taken: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def recipients(self) -> list[str]:
        return [recipient for _, recipient in self.envelopes]

    def wait_for(self, recipient: str) -> list[str]:
        """The subjects of the letters to somebody, once there is one; within half a minute."""
        with self.taken:
            assert self.taken.wait_for(lambda: recipient in self.recipients, 30), self.recipients
            return [str(each["Subject"]) for each in self.letters if each["To"] == recipient]

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        sender = recipient = ""

        def say(*lines: str) -> None:
            for n, line in enumerate(lines):
                code, _, rest = line.partition(" ")
                mark = " " if n == len(lines) - 1 else "-"
                writer.write(f"{code}{mark}{rest}\r\n".encode())

        try:
            say(self.answers("connect", "") or "220 ready")
            while line := (await reader.readline()).decode("utf-8").strip():
                word, _, rest = line.partition(" ")
                match word.upper():
                    case "EHLO":
                        say("250 here", *(f"250 {each}" for each in self.extensions))
                    case "STARTTLS" if self.tls is not None:
                        say("220 go ahead")
                        await writer.start_tls(self.tls)
                    case "AUTH":
                        self.log_ins.append(rest)
                        say(self.answers("auth", rest) or "235 welcome")
                    case "MAIL":
                        sender = rest.partition("<")[2].partition(">")[0]
                        say(self.answers("mail", sender) or "250 ok")
                    case "RCPT":
                        recipient = rest.partition("<")[2].partition(">")[0]
                        say(self.answers("rcpt", recipient) or "250 ok")
                    case "DATA":
                        say("354 go on")
                        await self._take(reader, writer, sender, recipient, say)
                    case "QUIT":
                        say("221 bye")
                        break
                    case _:
                        say("250 ok")
        except (ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def _take(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        sender: str,
        recipient: str,
        say: Callable[..., None],
    ) -> None:
        await writer.drain()
        content = await reader.readuntil(b"\r\n.\r\n")
        self.arrived.set()
        await asyncio.to_thread(self.gate.wait, 30)
        refusal = self.answers("data", recipient)
        if refusal == "hang up":
            raise ConnectionError
        if refusal is None:
            lines = content[:-3].replace(b"\r\n..", b"\r\n.").replace(b"\r\n", b"\n")
            found = message_from_bytes(lines, policy=policy.default)
            assert isinstance(found, EmailMessage)
            with self.taken:
                self.letters.append(found)
                self.envelopes.append((sender, recipient))
                self.taken.notify_all()
        say(refusal or "250 taken")


@contextmanager
def smtp_server(**options: object) -> Iterator[SmtpServer]:
    """A mail server on a port of its own, in a thread."""
    server = SmtpServer(**options)  # type: ignore[arg-type]
    server.gate.set()
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        listening = await asyncio.start_server(server.converse, "127.0.0.1", 0)
        server.port = listening.sockets[0].getsockname()[1]
        ready.set()
        await stop.wait()
        listening.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        server.gate.set()
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
