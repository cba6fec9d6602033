# shellcheck shell=bash
# What the drivers share. Sourced, with the name of the driver in $0.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# Prints the comment at the top of the driver.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

# configure PRESET: only where that was not done before; afterwards ninja itself notices what changed.
configure() {
  if [[ ! -f $root/build/$1/build.ninja ]]; then
    (cd "$root" && cmake --preset "$1")
  fi
}

# build_target PRESET TARGET: shows ninja's progress on stderr where there is something to compile, and otherwise nothing:
# looking up the commit is done each time and may link anew.
build_target() {
  configure "$1" >&2
  if ninja -C "$root/build/$1" -n "$2" | grep -E 'Building|Re-running' | grep -v build_info >/dev/null; then
    say "building $2 (once; later only what changed)"
    cmake --build "$root/build/$1" --target "$2" >&2
  else
    local output
    output=$(cmake --build "$root/build/$1" --target "$2" 2>&1) || fail "$output"
  fi
}
