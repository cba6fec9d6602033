from sandbox import SandboxTest


class CiRunTest(SandboxTest):
    scripts = (".ci/run",)

    def setUp(self):
        super().setUp()
        for script in ("setup", "test", "generate", "check_format", "fuzz"):
            self.stand_in(self.project / "scripts" / script, f'#!/bin/sh\n[ "$FAILING" != {script} ]\n')
        for program in ("cmake", "ctest"):
            # The middle one of several commands of a phase fails.
            self.stand_in(program, '#!/bin/sh\n[ "$1 $2 $FAILING" != "--build --preset build" ]\n')

    def run_ci(self, failing):
        return self.run_script("bash", self.project / ".ci" / "run", FAILING=failing)

    def test_a_line_a_phase_and_success_at_the_end(self):
        status, out, err = self.run_ci("nothing")
        self.assertEqual(status, 0, err)
        self.assertIn("==== passed: setup (0 s)", out)
        self.assertRegex(out.splitlines()[-1], r"^==== all 9 phases passed in \d+ s$")

    def test_stops_at_the_first_phase_that_fails(self):
        status, out, _ = self.run_ci("test")
        self.assertEqual(status, 1)
        self.assertEqual(
            out.splitlines()[-1], "==== FAILED: build and tests (status 1, 0 s); 1 phases passed before it"
        )

    def test_a_failed_build_inside_a_phase_fails_it(self):
        status, out, _ = self.run_ci("build")
        self.assertEqual(status, 1)
        self.assertIn("==== FAILED: release build", out.splitlines()[-1])
