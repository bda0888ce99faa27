# Shared by the scripts of bench: building, peers, the throwaway PostgreSQL, and leaving nothing behind.
# Sourced with the repository as the current folder, under `set -euo pipefail`.

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'bench: %s\n' "$*" >&2; exit 1; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_install() {
  command -v apt-get >/dev/null || die "please install: $*"
  say "installing $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >/dev/null
}

# PostgreSQL's own programs are not on Debian's PATH.
find_postgres() {
  local newest
  newest=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
  [ -n "$newest" ] && PATH="$newest:$PATH"
  command -v initdb >/dev/null && command -v postgres >/dev/null && command -v pgbench >/dev/null
}

need_postgres() {
  find_postgres && return
  # Debian would start a server of its own on installation, which would take processor time and a port.
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    as_root mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  apt_install postgresql postgresql-contrib
  find_postgres || die "PostgreSQL is installed, but initdb, postgres or pgbench is not to be found"
}

# pg-boss asks for Node 20.
need_node() {
  local major
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
  [ "$major" -ge 20 ] || apt_install nodejs npm
  command -v npm >/dev/null || apt_install npm
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || die "Node $major is too old for pg-boss: please install Node 20 or newer"
}

node_peer() {
  need_node
  say "installing the packages of the peer $1"
  (cd "bench/peers/$1" && npm ci --silent --no-audit --no-fund)
}

# A virtual environment with these packages; installed anew when they change.
need_venv() {
  local venv=$1 stamp="$1/.packages"
  shift
  [ "$(cat "$stamp" 2>/dev/null)" != "$*" ] || return 0
  python3 -c 'import venv, ensurepip' 2>/dev/null || apt_install python3 python3-venv
  say "installing $* into $venv"
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
  printf '%s' "$*" >"$stamp"
}

fastapi_peer() {
  local packages
  mapfile -t packages < <(grep -v '^#' bench/peers/fastapi/requirements.txt)
  need_venv target/venv-fastapi "${packages[@]}"
}

# Has a workspace of its own, and so a folder of its own: some three minutes the first time.
axum_peer() {
  say "building the peer axum-sqlx"
  cargo build --release -q --locked --manifest-path bench/peers/axum-sqlx/Cargo.toml --target-dir target/peer-axum-sqlx
}

# The work folder: databases, photos and logs, on one real disk. PostgreSQL does not run as root, so the user `postgres`
# must be able to reach it; a clone inside /root is out of its reach, and then /var/tmp serves.
make_work() {
  local base=${BENCH_DIR:-$PWD/target/bench}
  mkdir -p "$base"
  if [ "$(id -u)" = 0 ] && ! runuser -u postgres -- test -x "$base"; then
    base=/var/tmp
    say "the user postgres cannot reach target/bench: using $base"
  fi
  [ "$(stat -f -c %T "$base")" != tmpfs ] || die "$base is on tmpfs; set BENCH_DIR to a folder on a real disk"
  WORK=$(mktemp -d "$base/work.XXXXXX")
  chmod 755 "$WORK"
}

as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

# A PostgreSQL with its default durability (fsync and synchronous_commit on), on a free port of the loopback address.
start_postgres() {
  PGDATA_DIR="$WORK/pg"
  mkdir "$PGDATA_DIR" "$WORK/socket"
  [ "$(id -u)" != 0 ] || chown postgres "$PGDATA_DIR" "$WORK/socket"
  (cd "$WORK" && as_postgres "$(command -v initdb)" -D "$PGDATA_DIR" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null)
  local port
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  (cd "$WORK" && exec 2>>"$WORK/postgres.log" && as_postgres "$(command -v postgres)" -D "$PGDATA_DIR" -p "$port" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories="$WORK/socket" -c fsync=on -c synchronous_commit=on \
    -c shared_buffers=256MB -c max_connections=200) &
  PG_JOB=$!
  PG_URL="postgres://postgres@127.0.0.1:$port"
  for _ in $(seq 200); do
    pg_isready -q -h 127.0.0.1 -p "$port" && break
    kill -0 "$PG_JOB" 2>/dev/null || { cat "$WORK/postgres.log" >&2; die "PostgreSQL did not start"; }
    sleep 0.05
  done
  PG_PID=$(head -n 1 "$PGDATA_DIR/postmaster.pid")
}

# Ends what this run has started, by its ids, and removes the work folder (KEEP=1 keeps it, for the logs). Ends with the
# status that it is given, or else with that of the last command.
clean_up() {
  local status=${1:-$?}
  trap - EXIT INT TERM
  if [ -n "${BENCH_JOB:-}" ] && kill -0 "$BENCH_JOB" 2>/dev/null; then
    kill -TERM -- "-$BENCH_JOB" 2>/dev/null || true
    wait "$BENCH_JOB" 2>/dev/null || true
  fi
  if [ -n "${PG_PID:-}" ] && kill -0 "$PG_PID" 2>/dev/null; then
    kill -INT "$PG_PID"
    wait "$PG_JOB" 2>/dev/null || true
  fi
  [ -z "${BENCH_JOB:-}" ] || rm -rf "/dev/shm/embudo-bench-$BENCH_JOB" "/dev/shm/embudo-profile-$BENCH_JOB"
  if [ -n "${WORK:-}" ] && [ -d "$WORK" ]; then
    if [ "${KEEP:-0}" = 1 ]; then say "kept: $WORK"; else rm -rf "$WORK"; fi
  fi
  exit "$status"
}

# Runs the harness in a process group of its own, so that its servers can be ended with it.
harness() {
  set -m
  "$BENCH_BIN" "$@" &
  BENCH_JOB=$!
  set +m
  wait "$BENCH_JOB"
}

build() {
  local target=${CARGO_TARGET_DIR:-target}
  if [ "${BENCH_PROFILE:-release}" = release ]; then
    say "building release"
    cargo build --release -q --bin embudo --bin embudo-bench
    BENCH_BIN=$target/release/embudo-bench EMBUDO_BIN=${EMBUDO_BIN:-$target/release/embudo}
  else
    cargo build -q --bin embudo-bench
    BENCH_BIN=$target/debug/embudo-bench EMBUDO_BIN=${EMBUDO_BIN:-$target/debug/embudo}
  fi
}
