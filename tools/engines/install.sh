# What the engines' scripts share. Each is called as `SCRIPT install FOLDER` or
# `SCRIPT serve FOLDER PORT`; `serve` becomes the server, so that its process id is the script's.
#
# Ends with 77, the reason last on stderr, where this machine cannot have the engine at all: then it
# is skipped. Any other code is a failure.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 DO_NOT_TRACK=1 TOKENIZERS_PARALLELISM=false

say() { echo "$*" >&2; }

unavailable() {
  say "$*"
  exit 77
}

# debian PACKAGE... : installed from Debian when missing, where that is possible.
debian() {
  local missing=() package
  for package in "$@"; do
    dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    unavailable "only root can do this: apt-get install ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >&2 ||
    unavailable "apt-get could not install ${missing[*]}"
}

# The lists of versions were resolved for this one; other Pythons need other wheels.
python311() {
  local name is_it='import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 11))'
  for name in python3.11 python3; do
    if "$name" -c "$is_it" 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  unavailable "Python 3.11 with venv is not installed"
}

# index_answers PIP : a missing package is a fault of ours, a missing index is not.
index_answers() {
  local folder
  folder=$(mktemp -d)
  "$1" download --quiet --no-deps --dest "$folder" distro==1.9.0 >&2 || {
    rm -rf "$folder"
    unavailable "no Python package index can be reached"
  }
  rm -rf "$folder"
}

# environment FOLDER LIST [SHARED] : a virtual environment with exactly the packages of the list,
# which also sees the packages of the environment SHARED. A finished one is used as it is.
environment() {
  local folder=$1 list=$HERE/$2 shared=${3:-} python packages
  if cmp -s "$list" "$folder/installed.txt"; then return; fi
  python=$(python311) || exit
  say "installing the packages of $2 into $folder"
  rm -f "$folder/installed.txt"
  "$python" -m venv "$folder"
  index_answers "$folder/bin/pip"
  packages=$(echo "$folder"/lib/python3.11/site-packages)
  if [ -n "$shared" ]; then
    (cd "$shared"/lib/python3.11/site-packages && pwd) >"$packages/shared.pth"
  fi
  # The list is complete. Nothing is compiled beforehand: most of it is never imported.
  nice -n 10 "$folder/bin/pip" install --quiet --no-deps --no-compile --requirement "$list" >&2
  cp "$list" "$folder/installed.txt"
}

# models FOLDER : the small model in both layouts, once.
models() {
  local folder=$1/models
  if cmp -s "$HERE/models.py" "$folder/made-by.py"; then return; fi
  environment "$1/make-models" models.txt
  "$1/make-models/bin/python" -B "$HERE/models.py" "$folder" >&2
  cp "$HERE/models.py" "$folder/made-by.py"
}

# main ARGUMENT... : what every script ends with.
main() {
  case "${1:-} $#" in
    "install 2")
      mkdir -p "$2"
      install_engine "$2"
      models "$2"
      ;;
    "serve 3") serve_engine "$2" "$3" ;;
    *)
      say "usage: $(basename "$0") install FOLDER | serve FOLDER PORT"
      exit 2
      ;;
  esac
}
