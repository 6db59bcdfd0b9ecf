#!/bin/sh
# Makes .venv ready for a purpose: `sh tools/venv.sh run|dev|notebooks`.
#
# Does nothing where .venv already serves. A file for each purpose holds a digest of what it was installed from, so a
# changed pyproject.toml installs again, and changed constraints, another interpreter or another place of the checkout
# (the scripts in .venv/bin hold its path) make .venv anew.
set -eu
cd "$(dirname "$0")/.."
purpose=$1

say() { printf '%s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
complete() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
# The interpreter behind a shim or a virtual environment: .venv must not depend on either.
base() { "$1" -c 'import sys; print(sys._base_executable)'; }
build() { "$1" -c 'import sys; print(sys.version)' 2>/dev/null; }

# A name on the PATH proves little (pyenv puts shims there that only complain), so each candidate is run.
choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        recent "$PYTHON" || fail "PYTHON=$PYTHON is not a working Python of 3.11 or newer"
        complete "$PYTHON" || fail "PYTHON=$PYTHON lacks the modules venv and ensurepip (Debian, Ubuntu: apt install python3-venv)"
        base "$PYTHON"
        return
    fi
    lacking=
    for candidate in python3.13 python3.12 python3.11 python3; do
        recent "$candidate" || continue
        if complete "$candidate"; then
            base "$candidate"
            return
        fi
        lacking="$lacking $candidate"
    done
    if [ -n "$lacking" ]; then
        fail "the modules venv and ensurepip are missing from:$lacking (Debian, Ubuntu: apt install python3-venv)"
    fi
    fail "no working Python of 3.11 or newer among python3.13, python3.12, python3.11, python3; name one with: make PYTHON=/path/to/python"
}

place=$({ pwd; cat constraints.txt; } | cksum)
key="$place $(cksum <pyproject.toml)"

serves() { [ -f ".venv/installed-$1" ] && [ "$(cat ".venv/installed-$1")" = "$key" ]; }

usable=no
if [ -x .venv/bin/python ] && [ "$(cat .venv/place 2>/dev/null)" = "$place" ] && build .venv/bin/python >/dev/null; then
    usable=yes
    if [ -n "${PYTHON:-}" ] && [ "$(build "$PYTHON")" != "$(build .venv/bin/python)" ]; then usable=no; fi
fi
if [ "$usable" = yes ] && serves "$purpose"; then exit 0; fi

if [ "$usable" = no ]; then
    python=$(choose_python)
    say "Creating .venv with $("$python" -V) ($python)"
    "$python" -m venv --clear .venv || fail "$python could not create .venv"
    # One version of pip for all, for the interpreters bring very different ones.
    .venv/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt pip ||
        fail "pip could not be installed; is the package index within reach?"
    printf '%s\n' "$place" >.venv/place
fi

case $purpose in
    run) extras= also= ;;
    dev) extras='[dev]' also=run ;;
    notebooks) extras='[dev,notebooks]' also='run dev' ;;
    *) fail "unknown purpose: $purpose (run, dev or notebooks)" ;;
esac
say "Installing domeng_sim$extras and the pinned versions it needs into .venv (a minute or two the first time)"
.venv/bin/python -m pip install -qq --disable-pip-version-check --build-constraint constraints.txt -c constraints.txt \
    -e ".$extras" || fail "installation failed; is the package index within reach?"
for name in $purpose $also; do printf '%s\n' "$key" >".venv/installed-$name"; done
