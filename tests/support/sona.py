"""SONA's server-side credit, standing in: it gives each survey code its credit once, and counts."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

TOKEN = "9185d436e5f94b1581b0918162e8"
GIVEN = """<WebstudyCreditResponse xmlns="http://tempuri.org/"><WebstudyCreditResult
 xmlns:a="http://schemas.example/API" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
<a:Errors i:nil="true"/><a:Result><a:credit_status>G</a:credit_status><a:email i:nil="true"/>
<a:signup_id>123</a:signup_id><a:survey_code>{code}</a:survey_code></a:Result>
</WebstudyCreditResult></WebstudyCreditResponse>"""
REFUSED = """<WebstudyCreditResponse xmlns="http://tempuri.org/"><WebstudyCreditResult
 xmlns:a="http://schemas.example/API" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
<a:Errors><a:APIError><a:ErrorMessage>{words}</a:ErrorMessage></a:APIError></a:Errors>
<a:Result i:nil="true"/></WebstudyCreditResult></WebstudyCreditResponse>"""
ALREADY = "You have already received credit for this study."


def credit_at(base: str) -> str:
    """The server-side completion address of the study at a SONA."""
    return (
        f"{base}/services/SonaAPI.svc/WebstudyCredit?experiment_id=123"
        f"&credit_token={TOKEN}&survey_code={{participant}}"
    )


class Sona:
    """One study at SONA; `asked` counts the calls by survey code, `credited` who has the credit.

    While `silent`, a credit is given and the answer held back until it is set to False: a connection
    that is cut there is one of which the caller does not know what came of it.
    """

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.credited: list[str] = []
        self.failures = 0
        self.silent = False
        self.base = ""
        self._gave = threading.Condition()

    @property
    def credit(self) -> str:
        """The server-side completion address, as a study file has it."""
        return credit_at(self.base)

    def wait_given(self, code: str, seconds: float = 30.0) -> None:
        """Wait until somebody was given their credit."""
        with self._gave:
            given = self._gave.wait_for(lambda: code in self.credited, seconds)
        assert given, f"no credit was given to {code}"

    async def serve(self, request: web.Request) -> web.Response:
        code = request.query.get("survey_code", "")
        self.asked[code] += 1
        if self.failures:
            self.failures -= 1
            return web.Response(status=503)
        if request.query.get("credit_token") != TOKEN:
            return self._xml(REFUSED.format(words="Invalid experiment_id or credit_token."))
        if not code.isdecimal():
            return self._xml(REFUSED.format(words=f"Invalid survey_code. ## {code}"))
        if code in self.credited:
            return self._xml(REFUSED.format(words=ALREADY))
        with self._gave:
            self.credited.append(code)
            self._gave.notify_all()
        while self.silent:
            await asyncio.sleep(0.02)
        return self._xml(GIVEN.format(code=code))

    def _xml(self, text: str) -> web.Response:
        return web.Response(text=text, content_type="text/xml")


@contextmanager
def sona_server(port: int = 0) -> Iterator[Sona]:
    """A running stand-in, at a port of its own choice unless one is named."""
    sona, loop, ready = Sona(), asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        app = web.Application()
        app.router.add_get("/services/SonaAPI.svc/WebstudyCredit", sona.serve)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        sona.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield sona
    finally:
        sona.silent = False
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
