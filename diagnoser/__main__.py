"""The program: ``diagnoser`` or ``python -m diagnoser``."""

from __future__ import annotations

import sys


def main() -> None:
    """The program; an interrupt while it is being loaded ends it as any other does."""
    try:
        from diagnoser.cli import main as start

        start()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
