"""The program: ``diagnoser`` or ``python -m diagnoser``."""

from diagnoser.cli import main

if __name__ == "__main__":
    main()
