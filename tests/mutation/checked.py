"""What a checker says of two files: of most in one process (check_many), of every fiftieth by the program itself as
well, which must say the same."""
import contextlib
import subprocess


class Checker:
    def __init__(self, program, many):
        self.program = program
        self.process = subprocess.Popen([many], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.asked = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def _run(self, instance, certificate):
        return subprocess.run([self.program, instance, certificate], capture_output=True, text=True, check=False)

    def status(self, instance, certificate):
        print(instance, certificate, sep="\t", file=self.process.stdin, flush=True)
        status = int(self.process.stdout.readline())
        if self.asked % 50 == 0:
            own = self._run(instance, certificate).returncode
            if own != status:
                raise SystemExit(f"{self.program} ends with {own}, its library with {status}")
        self.asked += 1
        return status

    def words(self, instance, certificate):
        """What the program writes to standard error."""
        return self._run(instance, certificate).stderr


class Verified(Checker):
    """The verified checker, which takes longest to reject: it is asked of every third change that attest-check
    rejects, some of every number, and of all that this one accepts or calls malformed."""

    def __init__(self, program, many):
        super().__init__(program, many)
        self.rejected = 0

    def status_beside(self, status, instance, certificate):
        """Its own, or where it is not asked attest-check's `status`."""
        if status == 1:
            self.rejected += 1
            if self.rejected % 3 != 0:
                return status
        return self.status(instance, certificate)


@contextlib.contextmanager
def checkers(arguments):
    """Those of a script's arguments CHECKER CHECK_MANY ... [VERIFIED MANY_VERIFIED]; None without the second."""
    with Checker(*arguments[1:3]) as checker, contextlib.ExitStack() as stack:
        yield checker, stack.enter_context(Verified(*arguments[4:6])) if arguments[4:] else None
