# Sourced by the commands that drive a browser: Debian's Chromium, playwright and a reader of QR codes from PyPI, axe from npm, under target/.
venv=target/venv-browser
axe=target/axe
packages=('playwright==1.65.0' 'pillow==12.0.0' 'zxing-cpp==3.1.1' 'icalendar==7.3.0' 'vobject==0.9.9')
axe_package='axe-core@4.14.0'

log() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

install_debian() {
    local missing=() sudo=''
    command -v chromium >/dev/null || missing+=(chromium)
    command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell)
    command -v npm >/dev/null || missing+=(nodejs npm)
    command -v pdftoppm >/dev/null || missing+=(poppler-utils)
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" = 0 ] || sudo=sudo
    log "installing ${missing[*]}"
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

install_browser() {
    mkdir -p target
    # Two runs may start at once; the second waits and finds the work done.
    exec 9>target/.venv-browser.lock
    flock 9
    install_debian
    if [ "$(cat "$venv/.packages" 2>/dev/null)" != "${packages[*]}" ]; then
        log "installing ${packages[*]} into $venv"
        [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" >&2
        printf '%s' "${packages[*]}" >"$venv/.packages"
    fi
    if [ "$(cat "$axe/.packages" 2>/dev/null)" != "$axe_package" ]; then
        log "installing $axe_package into $axe"
        mkdir -p "$axe"
        npm install --prefix "$axe" --no-audit --no-fund --ignore-scripts --loglevel=error "$axe_package" >&2
        printf '%s' "$axe_package" >"$axe/.packages"
    fi
    exec 9>&-
    # The browser and the scripts talk to loopback only.
    export NO_PROXY='*' no_proxy='*' PYTHONDONTWRITEBYTECODE=1
}
