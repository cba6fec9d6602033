from sandbox import SandboxTest

# The script's helpers and the program are stand-ins that write their arguments into $LOG, one bracketed word each.
PROGRAM = """\
#!/usr/bin/env bash
{ printf '%s' "${0##*/}"; printf ' [%s]' "$@"; printf '\\n'; } >>"$LOG"
"""


class GenerateTest(SandboxTest):
    scripts = ("scripts/generate", "scripts/common.sh")

    def setUp(self):
        super().setUp()
        self.stand_in(self.project / "scripts" / "setup", PROGRAM)
        self.stand_in(
            self.project / "scripts" / "fetch_model",
            PROGRAM
            + '[[ -z ${NO_NETWORK:-} ]] || { echo "fetch_model: no network" >&2; exit 1; }\necho /cache/smollm2.gguf\n',
        )
        self.stand_in("cmake", PROGRAM)
        self.stand_in("ninja", "#!/bin/sh\necho 'ninja: no work to do.'\n")
        self.stand_in(self.project / "build" / "release" / "bin" / "stagebench", PROGRAM)
        (self.project / "build" / "release" / "build.ninja").write_text("")
        self.tiny = self.project / "tests" / "data" / "models" / "tiny-llama-botchan"

    def generate(self, *arguments, **extra):
        script = self.project / "scripts" / "generate"
        return self.run_script(script, *arguments, LOG=self.project.parent / "log", **extra)

    def calls(self, name):
        return [line for line in self.log().splitlines() if line.startswith(f"{name} ")]

    def test_passes_a_prompt_on_with_the_fetched_model(self):
        status, out, err = self.generate("The future of AI", "--top-k", "5")
        self.assertEqual((status, out, err), (0, "", ""))
        self.assertEqual(
            self.calls("stagebench"),
            ["stagebench [generate] [--model] [/cache/smollm2.gguf] [The future of AI] [--top-k] [5]"],
        )

    def test_a_model_in_the_arguments_is_left_alone(self):
        for given in (["--model", "X"], ["--model=X"], ["-m", "X"], ["-mX"]):
            with self.subTest(given=given):
                self.generate("a prompt", *given)
                words = " ".join(f"[{word}]" for word in given)
                self.assertEqual(self.calls("stagebench")[-1], f"stagebench [generate] [a prompt] {words}")
        self.assertEqual(self.calls("fetch_model"), [])

    def test_the_default_model_by_name_is_fetched(self):
        self.generate("--model", "smollm2-135m")
        self.assertEqual(self.calls("fetch_model"), ["fetch_model [smollm2-135m]"])
        self.assertEqual(self.calls("stagebench"), ["stagebench [generate] [--model] [smollm2-135m]"])

    def test_the_default_model_by_name_is_not_replaced(self):
        status, _, err = self.generate("--model", "smollm2-135m", NO_NETWORK=1)
        self.assertEqual(status, 1)
        self.assertIn("no network", err)
        self.assertEqual(self.calls("stagebench"), [])

    def test_without_network_it_says_so_and_takes_the_tiny_model(self):
        status, out, err = self.generate("a prompt", NO_NETWORK=1)
        self.assertEqual((status, out), (0, ""))
        self.assertIn("no network", err)
        self.assertIn(f"running the tiny model of the tests instead: {self.tiny}", err)
        self.assertEqual(self.calls("stagebench"), [f"stagebench [generate] [--model] [{self.tiny}] [a prompt]"])

    def test_a_prompt_that_looks_like_an_option_after_two_dashes(self):
        self.generate("--", "--model=X")
        self.assertEqual(
            self.calls("stagebench"), ["stagebench [generate] [--model] [/cache/smollm2.gguf] [--] [--model=X]"]
        )

    def test_help_fetches_no_model(self):
        self.generate("--help")
        self.assertEqual(self.calls("fetch_model"), [])
        self.assertEqual(self.calls("stagebench"), ["stagebench [generate] [--help]"])

    def test_configures_and_builds_where_that_was_not_done_and_keeps_stdout_free(self):
        (self.project / "build" / "release" / "build.ninja").unlink()
        self.stand_in("ninja", "#!/bin/sh\necho '[1/2] Building CXX object main.cpp.o'\n")
        status, out, err = self.generate("a prompt")
        self.assertEqual((status, out), (0, ""))
        self.assertIn("generate: building stagebench", err)
        build = self.project / "build" / "release"
        self.assertEqual(
            self.calls("cmake"), ["cmake [--preset] [release]", f"cmake [--build] [{build}] [--target] [stagebench]"]
        )

    def test_a_link_alone_is_quiet_until_it_fails(self):
        self.stand_in("ninja", "#!/bin/sh\necho '[1/3] Building CXX object build_info.cpp.o'\necho '[2/3] Linking'\n")
        self.stand_in("cmake", '#!/bin/sh\necho words of the linker\n[ -z "$BROKEN" ]\n')
        self.assertEqual(self.generate("a prompt"), (0, "", ""))
        self.assertEqual(self.generate("a prompt", BROKEN=1), (1, "", "generate: words of the linker\n"))

    def test_a_failed_set_up_ends_it(self):
        self.stand_in(self.project / "scripts" / "setup", "#!/bin/sh\nexit 1\n")
        self.assertEqual(self.generate("a prompt")[0], 1)
        self.assertEqual(self.log(), "")
