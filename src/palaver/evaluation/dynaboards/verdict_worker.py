"""The process that computes verdicts beside a server: a task on standard input, what was found back."""

import os
import signal
import sys

import msgspec

from palaver.evaluation.dynaboards.verdicts import VerdictTask, compute


def main() -> None:
    # Ctrl-C reaches the whole group; the server decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=VerdictTask)
    sys.stdout.buffer.write(msgspec.msgpack.encode(compute(task)))


if __name__ == "__main__":
    main()
