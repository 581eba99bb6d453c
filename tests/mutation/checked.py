"""What the checker says of two files: of most in one process (check_many), of every fiftieth by the program itself as
well, which must say the same."""
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

    def status(self, instance, certificate):
        print(instance, certificate, sep="\t", file=self.process.stdin, flush=True)
        status = int(self.process.stdout.readline())
        if self.asked % 50 == 0:
            own = subprocess.run([self.program, instance, certificate], capture_output=True, check=False).returncode
            if own != status:
                raise SystemExit(f"{self.program} ends with {own}, its library with {status}")
        self.asked += 1
        return status
