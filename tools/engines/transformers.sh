#!/usr/bin/env bash
# `transformers serve`, from vLLM's environment. Without `--continuous-batching` it runs one request
# at a time; TOKMARK_BATCHING=1 adds it.
#
# The cache folder has to exist, else its list of models is an error.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

install_engine() {
  environment "$1/vllm" vllm.txt
}

serve_engine() {
  local batching=()
  if [ "${TOKMARK_BATCHING:-}" = 1 ]; then batching=(--continuous-batching); fi
  mkdir -p "$1/hub"
  export HF_HUB_CACHE=$1/hub
  exec "$1/vllm/bin/transformers" serve --host 127.0.0.1 --port "$2" --device cpu \
    --dtype bfloat16 "${batching[@]}" "$1/models/tiny"
}

main "$@"
