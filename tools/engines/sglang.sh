#!/usr/bin/env bash
# SGLang on the CPU: its HTTP server, tokenizer, scheduler and cache as they are.
#
# Its compiled kernels for the CPU are in no package index. A module that refuses every call stands
# in for them; with torch's own attention a Llama model calls none. So its API can be checked, and
# its speed says nothing. torch, transformers and the web stack are those of vLLM's environment.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

install_engine() {
  debian libnuma1
  environment "$1/vllm" vllm.txt
  environment "$1/sglang" sglang.txt "$1/vllm"
  local kernels=$1/sglang/lib/python3.11/site-packages/sgl_kernel
  mkdir -p "$kernels"
  cat >"$kernels/__init__.py" <<'PYTHON'
"""Stands in for the compiled kernels: whatever is called refuses."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def refuse(*arguments, **named):
        raise NotImplementedError(f"sgl_kernel.{name} is not here")

    return refuse
PYTHON
}

serve_engine() {
  export SGLANG_USE_CPU_ENGINE=1
  exec "$1/sglang/bin/python" -m sglang.launch_server --model-path "$1/models/tiny" \
    --served-model-name tiny --host 127.0.0.1 --port "$2" --device cpu --dtype bfloat16 \
    --attention-backend torch_native --disable-cuda-graph --mem-fraction-static 0.3 \
    --context-length 4096 --max-total-tokens 16384 --max-running-requests 4 \
    --enable-metrics --enable-cache-report
}

main "$@"
