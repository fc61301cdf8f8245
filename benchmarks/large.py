"""The desk and the commands on a large study: what each page and command takes.

Every page is opened four times: when nothing has been measured yet, when everything has, after a new
label, and after a restart of the server. The slowest of them is the figure. The results are awaited
from the first request until they stand on the page. Commands run in processes of their own, whose
largest memory the kernel tells. Goals are of CPU time: it is what a page takes where nobody else is.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.furnishing import open_store
from benchmarks.large_home import ACCOUNT, PASSWORD, STUDY_NAME, SYSTEMS, add_label, furnish
from benchmarks.processes import ROOT, Serving, cpu_seconds, palaver, resident_bytes
from benchmarks.table import Figure

LONGEST_PAGE = 0.3
LONGEST_REPORT = 30.0
# How long a command of statistics may take, of those that read all labels and not all events.
LONGEST_STATISTICS = 3.0
STATISTICS = ("agreement", "rank")
MOST_MEMORY = 300.0
# What a page holds while something on it is still being computed.
AWAITED = "<awaited-page"
DESK = f"/desk/studies/{STUDY_NAME}"
PAGES = {
    "study": DESK,
    "study, what changes": f"{DESK}/progress.json",
    "participants": f"{DESK}/participants",
    "dialogues": f"/desk/dialogues?study={STUDY_NAME}",
    "dialogues of a system": f"/desk/dialogues?study={STUDY_NAME}&system={SYSTEMS[0]}",
    "dialogue": "/desk/dialogues/large-000004",
    "judgements": f"{DESK}/judgements",
    "judgements of people": f"{DESK}/judgements?raters=person",
    "raters": f"{DESK}/raters",
    "raters, people": f"{DESK}/raters?raters=person",
    "raters, by answers": f"{DESK}/raters?sort=labels",
    "raters, by time": f"{DESK}/raters?sort=time",
    "raters, by agreement": f"{DESK}/raters?sort=agreement",
    "question quality": f"{DESK}/questions/quality",
    "question quality, people": f"{DESK}/questions/quality?raters=person",
    "question quality, one answer": f"{DESK}/questions/quality?answer=4",
    "question quality, page 200": f"{DESK}/questions/quality?page=200",
    "question behaviours": f"{DESK}/questions/behaviours",
    "question behaviours, one label": f"{DESK}/questions/behaviours?of=rude&answer=True",
    "question better": f"{DESK}/questions/better",
    "studies": "/desk",
    "all raters": "/desk/raters",
    "boards": "/desk/boards",
    "board": f"/boards/{STUDY_NAME}",
}
COMMANDS = {
    "report": ["report", "{study}", "--home", "{home}", "-o", "{out}/report"],
    "export": ["export", "{study}", "--home", "{home}", "-o", "{out}/export.zip"],
    "agreement": ["agreement", "{study}", "--home", "{home}"],
    "rank": ["rank", "{study}", "--home", "{home}"],
    "compare": ["compare", "{study}", "--home", "{home}", "--question", "quality"],
    "check": ["check", "{study}"],
}
# Runs a command and tells what it took. A process is said to be as large as the one that started it:
# this one is small.
TELLING = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
taken, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
told = {"wall": taken, "cpu": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1e3}
print(json.dumps({"failed": done.returncode, "said": done.stderr, **told}))
"""


class Taken(NamedTuple):
    """How long something took, and how much of it a processor was busy with it; in seconds."""

    wall: float
    cpu: float


Views = dict[str, dict[str, Taken]]


def run(*, dialogues: int) -> tuple[list[Figure], Any]:
    """The slowest view of every page, the results, the commands, and the server's memory."""
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        study, home = furnish(Path(name), dialogues=dialogues)
        views, memory, results = _served(study, home)
        commands = {name: _command(words, study, home) for name, words in COMMANDS.items()}
    figures = [_page(name, taken) for name, taken in views.items()]
    figures += [
        Figure("results appear", results["first"].wall, None, "s"),
        _within("results appear, CPU", results["first"], LONGEST_REPORT),
        _within("results again, CPU", results["again"], LONGEST_PAGE),
        Figure("server's memory, before", memory["before"], None, "MB"),
        Figure(
            "server's memory, after",
            memory["after"],
            memory["before"],
            "MB",
            goal="≤ 1.25×",
            met=lambda f: f.ours <= 1.25 * f.floor,
        ),
    ]
    for name, (taken, megabytes) in commands.items():
        figures += _of_command(name, taken, megabytes)
    return figures, {"views": views, "memory": memory, "results": results, "commands": commands}


def _page(name: str, taken: dict[str, Taken]) -> Figure:
    slowest = max(taken, key=lambda each: taken[each].cpu)
    return _within(f"page: {name} ({slowest}), CPU", taken[slowest], LONGEST_PAGE)


def _within(name: str, taken: Taken, limit: float) -> Figure:
    goal = f"≤ {limit:g} s"
    return Figure(name, taken.cpu, None, "s", goal=goal, met=lambda f: f.ours <= limit)


def _of_command(name: str, taken: Taken, megabytes: float) -> list[Figure]:
    limited = name == "report"
    memory = Figure(
        f"palaver {name}, memory",
        megabytes,
        None,
        "MB",
        goal=f"≤ {MOST_MEMORY:g} MB" if limited else "",
        met=(lambda f: f.ours <= MOST_MEMORY) if limited else None,
    )
    if limited:
        return [_within(f"palaver {name}, CPU", taken, LONGEST_REPORT), memory]
    if name in STATISTICS:
        return [_within(f"palaver {name}, CPU", taken, LONGEST_STATISTICS), memory]
    return [Figure(f"palaver {name}, CPU", taken.cpu, None, "s"), memory]


def _served(study: Path, home: Path) -> tuple[Views, dict[str, float], dict[str, Taken]]:
    views: Views = {name: {} for name in PAGES}
    with palaver(study, home, page="/health") as serving:
        desk = Browser(serving)
        before = resident_bytes(serving.pid) / 1e6
        desk.view_all(views, "first")
        for path in PAGES.values():
            desk.await_page(path)
        began, used = time.perf_counter(), cpu_seconds(serving.pid, ended=True)
        desk.await_page(f"{DESK}/results")
        used = cpu_seconds(serving.pid, ended=True) - used
        results = {"first": Taken(time.perf_counter() - began, used)}
        results["again"] = desk.get(f"{DESK}/results")[0]
        desk.view_all(views, "again")
        _add_label(home, 1)
        desk.view_all(views, "after a label")
        for path in PAGES.values():
            desk.await_page(path)
        after = resident_bytes(serving.pid) / 1e6
    with palaver(study, home, page="/health") as serving:
        desk = Browser(serving)
        desk.view_all(views, "after a restart")
        _add_label(home, 2)
        desk.view_all(views, "after a second label")
    return views, {"before": before, "after": after}, results


def _add_label(home: Path, number: int) -> None:
    store = open_store(home)
    try:
        store.write_now(lambda c: add_label(c, number))
    finally:
        store.close()


class Browser:
    """Somebody who is signed in to the desk of a server."""

    def __init__(self, serving: Serving) -> None:
        self._base, self._pid = f"http://127.0.0.1:{serving.port}", serving.pid
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(jar)
        _, form = self.get("/desk/sign-in")
        csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', form)
        assert csrf is not None
        fields = {"csrf": csrf.group(1), "name": ACCOUNT, "password": PASSWORD}
        self._opener.open(
            f"{self._base}/desk/sign-in", urllib.parse.urlencode(fields).encode()
        ).close()

    def get(self, path: str) -> tuple[Taken, str]:
        """What a page takes, and its text."""
        began, used = time.perf_counter(), cpu_seconds(self._pid)
        with self._opener.open(self._base + path, timeout=600) as response:
            text = response.read().decode()
        return Taken(time.perf_counter() - began, cpu_seconds(self._pid) - used), text

    def view_all(self, views: Views, when: str) -> None:
        """Open every page once."""
        for name, path in PAGES.items():
            views[name][when] = self.get(path)[0]

    def await_page(self, path: str, *, patience: float = 900.0) -> None:
        """Ask for a page until it is complete."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if AWAITED not in self.get(path)[1]:
                return
            time.sleep(0.25)
        raise RuntimeError(f"{path} was not ready after {patience:.0f} s")


def _command(words: list[str], study: Path, home: Path) -> tuple[Taken, float]:
    """What a command takes, and its megabytes."""
    with _folder() as out:
        filled = [word.format(study=study, home=home, out=out) for word in words]
        command = [sys.executable, "-c", TELLING, sys.executable, "-m", "palaver", *filled]
        done = subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, check=True)
    told = json.loads(done.stdout)
    if told["failed"]:
        raise RuntimeError(f"palaver {json.dumps(filled)} failed:\n{told['said']}")
    return Taken(told["wall"], told["cpu"]), told["megabytes"]


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="palaver-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
