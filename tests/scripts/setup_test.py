import shutil
import sys

from sandbox import SandboxTest

# Prints what dpkg-query would for each package asked for that $ABSENT does not name.
DPKG_QUERY = """\
#!/usr/bin/env bash
for package in "${@:4}"; do
  if [[ " ${ABSENT:-} " == *" $package "* ]]; then echo "dpkg-query: no packages found matching $package" >&2
  else echo "ii |$package"; fi
done
[[ -z ${ABSENT:-} ]]
"""

APT_GET = """\
#!/usr/bin/env bash
echo "apt-get $*" >>"$LOG"
if [[ -n ${APT_SAYS:-} && $* == *install* ]]; then echo "$APT_SAYS" >&2; exit 100; fi
"""

# The real interpreter but for `-m venv`, which makes a folder with the stand-in of an interpreter inside.
PYTHON = """\
#!/usr/bin/env bash
if [[ $1 == -m ]]; then
  echo "python3 $*" >>"$LOG"
  mkdir -p "${@: -1}/bin"
  cp "$(dirname "$0")/venv-python" "${@: -1}/bin/python"
else
  exec REAL "$@"
fi
"""

VENV_PYTHON = """\
#!/usr/bin/env bash
[[ $1 == -c ]] && exit
echo "venv python $*" >>"$LOG"
if [[ -n ${PIP_SAYS:-} ]]; then echo "$PIP_SAYS" >&2; exit 1; fi
"""


class SetupTest(SandboxTest):
    scripts = ("scripts/setup", "scripts/common.sh", "scripts/requirements.txt")

    def setUp(self):
        super().setUp()
        for program in (
            "g++",
            "cmake",
            "ninja",
            "ccache",
            "pkg-config",
            "clang++",
            "clang-tidy",
            "shellcheck",
            "git",
            "nvcc",
        ):
            self.stand_in(program, "#!/bin/sh\n")
        self.stand_in("dpkg-query", DPKG_QUERY)
        self.stand_in("apt-get", APT_GET)
        self.stand_in("id", '#!/bin/sh\necho "${USER_ID:-0}"\n')
        self.stand_in("python3", PYTHON.replace("REAL", sys.executable))
        self.stand_in("venv-python", VENV_PYTHON)
        self.os_release = self.project.parent / "os-release"
        self.os_release.write_text('ID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\n')

    def setup(self, *arguments, **extra):
        script = self.project / "scripts" / "setup"
        log, cuda = self.project.parent / "log", self.project.parent / "cuda"
        return self.run_script(
            script, *arguments, **{"LOG": log, "STAGEBENCH_OS_RELEASE": self.os_release, "CUDA_PATH": cuda, **extra}
        )

    def venv_is_there(self):
        bin_folder = self.project / ".venv" / "bin"
        bin_folder.mkdir(parents=True)
        shutil.copy2(self.bin / "venv-python", bin_folder / "python")
        shutil.copy2(
            self.project / "scripts" / "requirements.txt", self.project / ".venv" / "installed-requirements.txt"
        )

    def test_where_nothing_is_missing_it_calls_neither_apt_nor_pip(self):
        self.venv_is_there()
        self.assertEqual(self.setup(), (0, "", "setup: nothing is missing\n"))
        self.assertEqual(self.setup("--quiet"), (0, "", ""))
        self.assertEqual(self.log(), "")

    def test_installs_only_what_is_missing_after_one_update(self):
        self.venv_is_there()
        status, _, err = self.setup(ABSENT="libfmt-dev catch2")
        self.assertEqual(status, 0, err)
        self.assertIn("installing 2 packages: libfmt-dev catch2", err)
        apt = self.log().splitlines()
        self.assertEqual(len(apt), 2)
        self.assertTrue(apt[0].endswith(" update"))
        self.assertTrue(apt[1].endswith(" install --yes --no-install-recommends libfmt-dev catch2"), apt[1])

    def test_build_only_leaves_out_what_the_checks_need(self):
        self.venv_is_there()
        self.setup("--build-only", ABSENT="libclang-rt-dev catch2")
        self.assertIn("catch2", self.log())
        self.assertNotIn("libclang-rt-dev", self.log())
        self.setup("--quiet", ABSENT="libclang-rt-dev catch2")
        self.assertIn("libclang-rt-dev", self.log())

    def test_build_only_installs_the_nvtx_headers_alone(self):
        status, _, err = self.setup("--build-only")
        self.assertEqual(status, 0, err)
        self.assertRegex(self.log().splitlines()[-1], r"venv python -m pip install .* nvidia-nvtx==[0-9.]+$")

    def test_build_only_needs_no_venv_where_the_nvtx_headers_are(self):
        places = (
            self.project.parent / "cuda" / "include",
            self.bin.parent / "include",
            self.project / ".venv" / "lib" / "python3.11" / "site-packages" / "nvidia" / "cu13" / "include",
        )
        for place in places:
            with self.subTest(place=place):
                header = place / "nvtx3" / "nvToolsExt.h"
                header.parent.mkdir(parents=True)
                header.write_text("")
                self.assertEqual(self.setup("--build-only", "--quiet"), (0, "", ""))
                header.unlink()
        self.assertEqual(self.log(), "")

    def test_without_root_it_gives_the_command_for_an_administrator(self):
        status, _, err = self.setup(ABSENT="libfmt-dev libhwy-dev", USER_ID=1000)
        self.assertEqual(status, 1)
        self.assertIn("2 packages are missing and installing them takes root", err)
        self.assertIn("\n  apt-get install --yes --no-install-recommends libfmt-dev libhwy-dev\n", err)
        self.assertEqual(self.log(), "")

    def test_without_root_it_makes_the_venv_where_no_package_is_missing(self):
        status, _, err = self.setup(USER_ID=1000)
        self.assertEqual(status, 0, err)
        self.assertTrue((self.project / ".venv" / "installed-requirements.txt").exists())

    def test_unknown_distribution_lists_what_is_needed(self):
        self.os_release.write_text('ID=plan9\nPRETTY_NAME="Plan 9 from Bell Labs"\n')
        status, _, err = self.setup(ABSENT="libfmt-dev libhwy-dev")
        self.assertEqual(status, 1)
        self.assertIn("Plan 9 from Bell Labs is not a distribution that this script knows", err)
        self.assertIn("libfmt-dev libhwy-dev", err)
        self.assertEqual(self.log(), "")

    def test_says_that_apt_has_no_network(self):
        status, _, err = self.setup(
            ABSENT="catch2", APT_SAYS="E: Failed to fetch: Temporary failure resolving 'deb.debian.org'"
        )
        self.assertEqual(status, 1)
        self.assertIn("apt-get install failed: no network", err)
        self.assertIn("deb.debian.org", err)

    def test_shows_what_apt_said_when_it_fails_otherwise(self):
        status, _, err = self.setup(ABSENT="catch2", APT_SAYS="E: Unable to locate package catch2")
        self.assertEqual(status, 1)
        self.assertIn("Unable to locate package catch2", err)
        self.assertNotIn("network", err)

    def test_makes_the_venv_once_and_again_when_the_requirements_change(self):
        status, _, err = self.setup()
        self.assertEqual(status, 0, err)
        self.assertIn("-m venv --clear", self.log())
        self.assertIn("--requirement", self.log())
        calls = len(self.log().splitlines())
        self.setup()
        self.assertEqual(len(self.log().splitlines()), calls)
        with (self.project / "scripts" / "requirements.txt").open("a") as stream:
            stream.write("one-more==1.0\n")
        self.setup()
        self.assertEqual(len(self.log().splitlines()), calls + 1)

    def test_takes_up_an_installation_that_failed(self):
        status, _, err = self.setup(PIP_SAYS="ConnectionError: Failed to establish a new connection")
        self.assertEqual(status, 1)
        self.assertIn("pip install failed: no network", err)
        self.assertEqual(self.setup()[0], 0)
        self.assertTrue((self.project / ".venv" / "installed-requirements.txt").exists())

    def test_refuses_an_unknown_option(self):
        status, _, err = self.setup("--everything")
        self.assertEqual(status, 2)
        self.assertIn("Usage: scripts/setup", err)
