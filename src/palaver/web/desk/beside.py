"""Work in a process beside the server, so that conversations do not wait and the server stays small.

The process reads its task from standard input and writes into a folder; its memory goes with it. It
has one thread and gives way to others (`give_way`): the processor is for the chats.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec

# Nobody waits longer than this; it is then named as a failure.
LIMIT = 900.0


async def run_beside(module: str, folder: Path, task: msgspec.Struct) -> str | None:
    """Run a module on a task; None, or why it failed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        str(folder),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        async with asyncio.timeout(LIMIT):
            _, said = await process.communicate(msgspec.json.encode(task))
    except TimeoutError:
        return f"Computing took longer than {LIMIT / 60:.0f} minutes."
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == 0:
        return None
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "The computation stopped without an error message."


def give_way() -> None:
    """Let the server decide when this process ends, and let everything else go first."""
    # Ctrl-C reaches the whole group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)
