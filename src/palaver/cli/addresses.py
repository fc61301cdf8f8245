"""The address that a command prints for a server."""

import socket

ANY_HOST = frozenset({"0.0.0.0", "::"})


def local_address() -> str:
    """This machine's address in its network, as a phone beside it would use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def base_url(host: str, port: int, public: str) -> str:
    """The address to print: the public one if it is known."""
    if public:
        return public.rstrip("/")
    shown = local_address() if host in ANY_HOST else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
