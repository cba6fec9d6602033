"""What the side-by-side measurements share: the machine's name, paired ratios, a table."""

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent


def usable_cpus():
    return len(os.sched_getaffinity(0))


def machine_name():
    fields = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    wanted = ("avx2", "f16c", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16")
    present = [flag for flag in wanted if flag in fields.get("flags", "").split()]
    name = fields.get("model name", platform.machine())
    return f"{name}, {usable_cpus()} usable CPUs, {' '.join(present)}; Linux {platform.release()}"


def progress(text):
    """One line that is overwritten on a terminal; a line each in a file."""
    print(f"\r{text:60}" if sys.stderr.isatty() else text, end="" if sys.stderr.isatty() else "\n", file=sys.stderr)


def commit():
    described = subprocess.run(
        ["git", "-C", str(PROJECT), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "unknown"


@dataclass(frozen=True)
class PairedRatio:
    """Of one quantity in two engines: a ratio a round, since two arms of one round met the same mood of the machine."""

    median: float
    lowest: float
    highest: float
    rounds: int

    def __str__(self):
        return f"{self.median:.2f} ({self.lowest:.2f} to {self.highest:.2f}, {self.rounds} rounds)"


def paired_ratio(ours, theirs):
    if len(ours) != len(theirs) or len(ours) == 0:
        raise ValueError(f"pairs are needed, found {len(ours)} and {len(theirs)} values")
    ratios = np.asarray(ours, dtype=float) / np.asarray(theirs, dtype=float)
    return PairedRatio(float(np.median(ratios)), float(ratios.min()), float(ratios.max()), len(ratios))


def table(header, rows):
    columns = list(zip(header, *rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    line = "  ".join(f"{{:<{width}}}" for width in widths)
    return "\n".join(line.format(*row).rstrip() for row in (header, *rows))
