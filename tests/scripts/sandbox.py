"""A copy of a script in a project folder of its own, with stand-ins for the programs that it calls."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent


class SandboxTest(unittest.TestCase):
    """Gives each test `self.project`, a folder with the scripts named in `scripts`, and `self.bin`, first in PATH."""

    scripts: tuple[str, ...] = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stagebench-scripts-")
        self.addCleanup(folder.cleanup)
        self.project = Path(folder.name) / "project"
        self.bin = Path(folder.name) / "bin"
        self.bin.mkdir()
        for script in self.scripts:
            (self.project / script).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / script, self.project / script)

    def stand_in(self, path, text):
        """Writes an executable; a relative path lands in `self.bin`."""
        path = self.bin / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def environment(self, **extra):
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        kept = {key: value for key, value in os.environ.items() if not key.startswith("STAGEBENCH_")}
        return {**kept, "PATH": path, **{key: str(value) for key, value in extra.items()}}

    def start(self, *command, **extra):
        return subprocess.Popen(
            [str(part) for part in command],
            env=self.environment(**extra),
            cwd=self.project.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_script(self, *command, **extra):
        """Runs to the end and gives (exit status, stdout, stderr)."""
        with self.start(*command, **extra) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def log(self):
        """What the stand-ins wrote into the file that $LOG names for them."""
        path = self.project.parent / "log"
        return path.read_text() if path.exists() else ""
