"""The floor of annotation: what anybody would write as a bare annotation server.

Plain Starlette under uvicorn (uvloop, httptools) with SQLite. A page comes from a Jinja template with
autoescape; its item is found by one indexed look-up in Starlette's thread pool and its stored turns
are looped over, as are the five points. A post is parsed and stored by group commit, with fsync
before the redirect. No sign-in, no quota, no rules.

Run: python -m benchmarks.form --port 8001 --file floor.db
"""

import argparse
import asyncio
import itertools
import json
import sqlite3
import threading
from queue import SimpleQueue
from typing import Any

import uvicorn
from jinja2 import Environment
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

PAGE = Environment(autoescape=True).from_string("""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Judge</title></head>
<body>
  <main>
    <h1>Judge this conversation</h1>
    <ol>
      {% for turn in turns %}<li><b>{{ turn.speaker }}</b> <p>{{ turn.text }}</p></li>{% endfor %}
    </ol>
    <form method="post" action="/take/{{ rater }}/rate">
      <input type="hidden" name="work" value="{{ item }}">
      <fieldset>
        <legend>How good was it?</legend>
        {% for point in points %}
          <label>
            <input type="radio" name="answer-quality_likert" value="{{ point }}"> {{ point }}
          </label>
        {% endfor %}
      </fieldset>
      <button>Send answers</button>
    </form>
  </main>
</body>
</html>
""")
POINTS = range(1, 6)


class Writer:
    """A thread that commits whatever queued up while the last commit ran."""

    def __init__(self, file: str) -> None:
        self._queue: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        threading.Thread(target=self._run, daemon=True).start()

    def save(self, row: tuple[Any, ...]) -> "asyncio.Future[None]":
        """Store a row; done after its commit."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._queue.put((row, future, loop))
        return future

    def _run(self) -> None:
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT INTO answers (rater, item, value) VALUES (?, ?, ?)", [b[0] for b in batch]
            )
            self._connection.execute("COMMIT")
            for _, future, loop in batch:
                loop.call_soon_threadsafe(future.set_result, None)


def make_app(file: str) -> Starlette:
    """The form on a database of items."""
    reader = sqlite3.connect(file, check_same_thread=False)
    writer = Writer(file)
    numbers = itertools.count(1)

    async def health(request: Request) -> Response:
        return PlainTextResponse("ok")

    def find() -> tuple[int, str]:
        found: tuple[int, str] = reader.execute(
            "SELECT id, turns FROM items WHERE id = ?", (next(numbers),)
        ).fetchone()
        return found

    async def show(request: Request) -> Response:
        item, turns = await run_in_threadpool(find)
        rater = request.path_params["rater"]
        page = PAGE.render(turns=json.loads(turns), rater=rater, item=item, points=POINTS)
        return HTMLResponse(page)

    async def save(request: Request) -> Response:
        form = await request.form()
        rater = request.path_params["rater"]
        await writer.save((rater, form["work"], form["answer-quality_likert"]))
        return RedirectResponse(f"/take/{rater}", status_code=303)

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/take/{rater}", show),
            Route("/take/{rater}/rate", save, methods=["POST"]),
        ]
    )


def fill(file: str, items: int, turns: list[str]) -> None:
    """A database with so many items of these turns."""
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, turns TEXT)")
    connection.execute(
        "CREATE TABLE answers (id INTEGER PRIMARY KEY, rater TEXT, item INTEGER, value TEXT)"
    )
    listed = json.dumps([{"speaker": "User", "text": turn} for turn in turns])
    connection.executemany("INSERT INTO items (turns) VALUES (?)", [(listed,)] * items)
    connection.commit()
    connection.close()


def main() -> None:
    """Serve until told to stop."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--file", required=True)
    options = arguments.parse_args()
    uvicorn.run(
        make_app(options.file),
        host="127.0.0.1",
        port=options.port,
        loop="uvloop",
        http="httptools",
        log_config=None,
        access_log=False,
    )


if __name__ == "__main__":
    main()
