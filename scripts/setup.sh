# shellcheck shell=sh
# shellcheck disable=SC2154
# Sourced by ./glasshouse and by scripts/*, with `root` set to the checkout.
#
#   set_up run|test            makes the environment current and sets `venv`; one line a phase on stderr
#   set_up_system_packages     installs the Debian packages that tests need, where that is possible
#   find_uv                    sets `uv`, fetching it if need be (the caller has set `tools`)
#   use_system_certificates    exports what makes uv trust whom this machine trusts
#
# An environment is current when its stamp equals what it was made from, byte for byte. A set-up that was cut short
# leaves `.unfinished`, and the next one starts from nothing. One set-up runs at a time (a lock that dies with us).

say() { printf 'glasshouse: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

# --- where things are -----------------------------------------------------------------------------------------

made_from() { # kind: all that an environment of this kind depends on
    printf 'setup 2 %s\n' "$root"
    cat "$root/pyproject.toml" "$root/requirements/build.txt" "$root/requirements/$1.txt"
    # shellcheck disable=SC2086 # a list of paths
    (cd -- "$root" && find hatch_build.py scripts/build_console.py $built_from \
        \( -path web/node_modules -o -path web/dist -o -path web/tests -o -name __pycache__ \
        -o -path src/glasshouse/entrypoints/http/console \) -prune -o -type f -exec cksum {} + | LC_ALL=C sort)
}

is_current() { # kind
    [ -x "$venv/bin/python" ] && [ -f "$venv/.made-from-$1" ] || return
    [ -z "$editable" ] || [ -f "$root/src/glasshouse/entrypoints/http/console/index.html" ] || return
    made_from "$1" | cmp -s - "$venv/.made-from-$1"
}

writable() { # true if the path can be written, or made
    if [ -e "$1" ]; then [ -d "$1" ] && [ -w "$1" ]; else [ -w "${1%/*}" ]; fi
}

use_checkout() {
    venv=$root/.venv tools=$root/.uv
    # What is installed reads src/ as it is; the console in it is built.
    editable=--editable built_from=web
}

use_cache() {
    cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    [ -n "$cache" ] || die "$root cannot be written and HOME is not set: set XDG_CACHE_HOME to a folder that can be written."
    name=$(printf %s "$root" | cksum)
    venv=$cache/glasshouse/venv-${name%% *} tools=$cache/glasshouse/uv
    editable='' built_from='web src'
}

# --- running a phase --------------------------------------------------------------------------------------------

child=
interrupted() { # exit code
    trap '' INT TERM HUP
    [ -z "$child" ] || kill "$child" 2>/dev/null
    [ -z "$child" ] || wait "$child" 2>/dev/null
    say 'the set-up was interrupted; the next start begins it again.'
    exit "$1"
}

attend() { # command…: runs it so that a signal to this shell ends it too
    "$@" </dev/null &
    child=$!
    wait "$child"
    attended=$?
    child=
    return "$attended"
}

logged() { # command…: in the checkout, so that it reads no other project's configuration; nor another environment's
    cd -- "$root" && unset PYTHONHOME PYTHONPATH VIRTUAL_ENV CONDA_PREFIX UV_PYTHON UV_REQUIRE_HASHES
    export UV_PYTHON_DOWNLOADS=never
    use_system_certificates
    exec "$@" >"$log" 2>&1 9>&-
}

phase() { # "what is done" "what to do if it fails" command…
    say "$1 …"
    advice=$2 title=$1
    shift 2
    attend logged "$@" && return
    cat "$log" >&2
    die "$title failed, see above. $advice"
}

network_advice='Is the Python package registry reachable? Then start again: it goes on with what is already here.'
npm_advice='Are the Python and the npm package registry reachable? Then start again: it goes on with what is already here.'

# --- Python and uv ------------------------------------------------------------------------------------------------

python_candidates='python3.13 python3.12 python3.11 python3.14 python3'

find_python() {
    for candidate in $python_candidates; do
        python=$("$candidate" -I -c 'import sys; sys.version_info >= (3, 11) and print(sys.executable)' 2>/dev/null)
        [ -z "$python" ] || return 0
    done
    die 'needs Python 3.11 or newer, and none was found: install it (apt-get install python3) and start again.'
}

works_as_uv() { # path: runs, and is not too old to know our options
    version=$("$1" --version 2>/dev/null) || return 1
    version=${version#uv } version=${version%% *}
    case $version in
        0.[0-4] | 0.[0-4].* | '') return 1 ;;
    esac
}

# uv brings certificates of its own; the machine's also know the proxy that a network may put between.
use_system_certificates() {
    if [ -s /etc/ssl/certs/ca-certificates.crt ] || [ -s /etc/pki/tls/certs/ca-bundle.crt ]; then
        export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-1}"
    fi
}

find_uv() {
    uv=$(command -v uv) && works_as_uv "$uv" && return
    uv=$tools/bin/uv
    works_as_uv "$uv" && return
    for pip_python in "$python" $python_candidates /usr/bin/python3 ''; do
        [ -n "$pip_python" ] || die "needs uv, or pip to fetch it: install one of them (apt-get install python3-pip, or uv itself) and start again."
        "$pip_python" -m pip --version >/dev/null 2>&1 && break
    done
    rm -rf "$tools/new"
    phase 'fetching uv' "$network_advice" env PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
        "$pip_python" -m pip install --quiet --no-deps --only-binary :all: --require-hashes \
        --target "$tools/new" -r requirements/uv.txt
    rm -rf "${tools:?}/bin"
    mv "$tools/new/bin" "$tools/bin" && rm -rf "$tools/new"
    works_as_uv "$uv" || die "the uv that was fetched to $uv does not run here: install uv by hand and start again."
}

# --- setting up ---------------------------------------------------------------------------------------------------

set_up() { # kind
    kind=$1
    use_checkout
    is_current "$kind" && return
    if ! { writable "$venv" && writable "$tools"; }; then
        use_cache
        is_current "$kind" && return
        say "$root cannot be written; the environment goes to $venv"
        mkdir -p "${venv%/*}" 2>/dev/null || die "cannot make ${venv%/*}: set XDG_CACHE_HOME to a folder that can be written."
    fi
    trap 'interrupted 130' INT
    trap 'interrupted 143' TERM
    trap 'interrupted 129' HUP
    mkdir -p "$tools" || die "cannot make $tools: see above."
    find_python
    lock
    is_current "$kind" || make_environment
    exec 9>&-
    trap - INT TERM HUP
}

lock() {
    exec 9>"$tools/lock"
    attend "$python" -I -c '
import fcntl, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("glasshouse: another set-up of this folder is running; waiting for it …", file=sys.stderr, flush=True)
    fcntl.flock(9, fcntl.LOCK_EX)
' || say 'this file system knows no locks: start only one set-up at a time.'
}

is_sound='import sys; sys.exit(sys.prefix == sys.base_prefix or sys.version_info < (3, 11))'

make_environment() {
    log=$tools/setup.log
    # A test environment stays one: it holds what a run needs, at the same versions.
    [ ! -e "$venv/.made-from-test" ] || kind='test'
    user_cache=${XDG_CACHE_HOME:-${HOME-}/.cache}/uv
    if ! { mkdir -p "$user_cache" 2>/dev/null && [ -w "$user_cache" ]; }; then
        export UV_CACHE_DIR="${UV_CACHE_DIR:-$tools/cache}"
    fi
    find_uv
    if [ -e "$venv/.unfinished" ] || ! "$venv/bin/python" -I -c "$is_sound" 2>/dev/null; then
        phase "making an environment with $("$python" -V 2>&1)" "Remove $venv and start again." \
            "$uv" venv --quiet --clear --no-project --python "$python" "$venv"
    fi
    : >"$venv/.unfinished"
    rm -f "$venv/.made-from-run" "$venv/.made-from-test"
    # Before, not after: what changes meanwhile is not in it.
    made_from run >"$venv/.making-run"
    made_from test >"$venv/.making-test"
    case $kind in
        run) title='installing the packages' ;;
        test) title='installing the packages and the development tools' ;;
    esac
    phase "$title" "$network_advice" "$uv" pip sync --quiet --python "$venv/bin/python" --require-hashes "requirements/$kind.txt"
    # uv would not see that a built console is gone.
    phase 'building the console and installing Glasshouse' "$npm_advice" "$uv" pip install --quiet \
        --python "$venv/bin/python" --no-deps --reinstall-package glasshouse \
        --build-constraints requirements/build.txt $editable .
    [ "$kind" = run ] || mv "$venv/.making-test" "$venv/.made-from-test"
    mv "$venv/.making-run" "$venv/.made-from-run"
    rm -f "$venv/.unfinished"
}

# --- what tests need of the system ------------------------------------------------------------------------------

set_up_system_packages() {
    chromium=${GLASSHOUSE_TEST_CHROMIUM:-/usr/bin/chromium}
    [ ! -x "$chromium" ] || return 0
    without='browser tests are skipped'
    if [ -n "${GLASSHOUSE_TEST_CHROMIUM-}" ]; then
        say "GLASSHOUSE_TEST_CHROMIUM names no program; $without."
        return 0
    fi
    if ! command -v apt-get >/dev/null; then
        say "$without: no Chromium; install one and set GLASSHOUSE_TEST_CHROMIUM to its path."
        return 0
    fi
    if [ "$(id -u)" = 0 ]; then
        as_root='env'
    elif sudo -n true 2>/dev/null; then
        as_root='sudo -n env'
    else
        say "$without: no Chromium, and only root can install it (apt-get install --no-install-recommends chromium)."
        return 0
    fi
    say 'installing chromium from Debian for the browser tests …'
    for attempt in 1 2 3; do
        apt_output=$(apt update && apt --yes install --no-install-recommends chromium) && return
        sleep "$attempt"
    done
    printf '%s\n' "$apt_output" | tail -n 20 >&2
    say "chromium could not be installed, see above; $without."
}

apt() { # not killed half way: Ctrl+C is between the terminal and apt-get
    $as_root DEBIAN_FRONTEND=noninteractive apt-get --quiet -o Acquire::Retries=2 -o Acquire::http::Timeout=60 \
        -o DPkg::Lock::Timeout=300 "$@" 2>&1 </dev/null
}
