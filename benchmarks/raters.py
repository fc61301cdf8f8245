"""Raters at work: each fetches its page, sends the answers, and follows to the next one.

Run: python -m benchmarks.raters < load.json
"""

import asyncio
import json
import re
import sys
import time
from typing import Any

import aiohttp

HIDDEN = re.compile(rb'<input type="hidden" name="([\w-]+)" value="([^"]*)"')


async def rater(
    session: aiohttp.ClientSession, base: str, visit: dict[str, str], until: float
) -> dict[str, list[float]]:
    """One rater until the time is over or nothing is left."""
    headers = {"cookie": visit["cookie"]}
    saves, pages = [], []
    while time.perf_counter() < until:
        began = time.perf_counter()
        async with session.get(base + visit["path"], headers=headers) as response:
            page = await response.read()
        pages.append(time.perf_counter() - began)
        form = {name.decode(): value.decode() for name, value in HIDDEN.findall(page)}
        if "work" not in form:
            break
        form["answer-quality_likert"] = "4"
        began = time.perf_counter()
        async with session.post(
            f"{base}{visit['path']}/rate", data=form, headers=headers, allow_redirects=False
        ) as response:
            assert response.status == 303, (response.status, await response.text())
        saves.append(time.perf_counter() - began)
    return {"saves": saves, "pages": pages}


async def run(load: dict[str, Any]) -> dict[str, Any]:
    """All raters at once; how long each save and each page took."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:
        began = time.perf_counter()
        done = await asyncio.gather(
            *(
                rater(session, load["base"], visit, began + load["seconds"])
                for visit in load["visits"]
            )
        )
        wall = time.perf_counter() - began
    return {
        "wall": wall,
        "saves": [s for each in done for s in each["saves"]],
        "pages": [p for each in done for p in each["pages"]],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
