"""The program, which is also ``python -m domeng_sim``."""

import signal
import sys


def main() -> int:
    """Run the command line of this process."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C while the command line is still loaded ends the program without a traceback
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from domeng_sim.cli import main as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(main())
