use tokmark_machine::flags;

fn check(line: &str, expected: &[&str]) {
    let argv: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    assert_eq!(flags(&argv), expected, "{line}");
}

#[test]
fn flags_that_matter_in_their_order() {
    check(
        "vllm serve o/m --max-num-seqs 64 --host 10.1.2.3 --port 8000 --enable-prefix-caching \
         --api-key k1 k2 --kv-cache-dtype=fp8 --served-model-name a b -tp 2",
        &[
            "--max-num-seqs 64",
            "--enable-prefix-caching",
            "--kv-cache-dtype=fp8",
            "-tp 2",
        ],
    );
    check(
        "/opt/venv/bin/python3.12 -u -m vllm.entrypoints.openai.api_server --model o/m --dtype half",
        &["--dtype half"],
    );
    check(
        "python3 /opt/bin/vllm serve o/m --enforce-eager",
        &["--enforce-eager"],
    );
    check(
        "llama-server -m /home/ann/x.gguf -c 32768 -np -1 -ngl 99 --temp -0.5 --metrics --props -fa on",
        &["-c 32768", "-np -1", "-ngl 99", "--temp -0.5", "-fa on"],
    );
    check(
        "python3 /opt/bin/transformers serve --port 8000 --device cpu --continuous-batching \
         --cb-num-blocks 64 /home/ann/tiny",
        &[
            "--device cpu",
            "--continuous-batching",
            "--cb-num-blocks 64",
        ],
    );
    check(
        "transformers serve --dtype bfloat16 /home/ann/tiny --compile",
        &["--dtype bfloat16", "--compile"],
    );
    check("-c 4096 --port 8000 -np 2", &["-c 4096", "-np 2"]);
    check("llama-server", &[]);
    check("", &[]);
}

#[test]
fn values_are_fit_for_publication() {
    check(
        "vllm serve m --lora-modules a=/home/ann/l --data-parallel-address 10.0.0.7 --hf-token=hf_x",
        &["--lora-modules a=~/l", "--data-parallel-address ***"],
    );
}
