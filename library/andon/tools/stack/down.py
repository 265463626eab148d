"""`make down`: ends what `make up` started."""

from andon.tools.stack import emulator, outputs


def main() -> None:
    """End the emulator and the Lambdas that it runs."""
    outputs.remove(outputs.HOME)
    found = emulator.running(outputs.HOME)
    if not found:
        emulator.clear(outputs.HOME)
        print("nothing is running here")
        return
    emulator.stop(outputs.HOME, found)
    print(f"ended the emulator on port {found.port}")


if __name__ == "__main__":
    main()
