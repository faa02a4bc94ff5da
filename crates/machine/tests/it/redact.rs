use proptest::prelude::*;
use tokmark_machine::{redact, redact_arguments};

fn check(given: &str, expected: &str) {
    assert_eq!(redact(given), expected);
    assert_eq!(redact(expected), expected, "twice is once");
}

fn unchanged(text: &str) {
    check(text, text);
}

#[test]
fn options_with_a_secret() {
    check(
        "vllm serve m --api-key abc --port 1",
        "vllm serve m --api-key *** --port 1",
    );
    check("vllm serve m --api-key=abc", "vllm serve m --api-key=***");
    check(
        "vllm serve --api-key a b 'c d' --port 1",
        "vllm serve --api-key *** *** '***' --port 1",
    );
    check("x --api_key \"a b\"", "x --api_key \"***\"");
    check("llama-server -hft hf_x -m y", "llama-server -hft *** -m y");
    check(
        "x --hf-token t --token u m.gguf",
        "x --hf-token *** --token *** m.gguf",
    );
    check(
        "x --admin-api-key k --ssl-keyfile-password p",
        "x --admin-api-key *** --ssl-keyfile-password ***",
    );
    check(
        "x --api-key \\\n  abc \\\n  --port 1",
        "x --api-key \\\n  *** \\\n  --port 1",
    );
    check(
        "x --aws-secret-access-key q --aws-access-key-id i",
        "x --aws-secret-access-key *** --aws-access-key-id ***",
    );
    check("x --api-key --port 1", "x --api-key --port 1");
    check("x --api-key a b && y c", "x --api-key *** *** && y c");
    check("x --api-key a; y c", "x --api-key ***; y c");
}

#[test]
fn variables_with_a_secret() {
    check("HF_TOKEN=abc vllm serve m", "HF_TOKEN=*** vllm serve m");
    check(
        "export VLLM_API_KEY='a b'; vllm",
        "export VLLM_API_KEY='***'; vllm",
    );
    check(
        "docker run -e HF_TOKEN=abc -e \"WANDB_API_KEY=x y\" i",
        "docker run -e HF_TOKEN=*** -e \"WANDB_API_KEY=***\" i",
    );
    check(
        "MY_PASSWORD=a DB_SECRET=b c",
        "MY_PASSWORD=*** DB_SECRET=*** c",
    );
    check(
        "USER=ann LOGNAME=ann HOSTNAME=box x",
        "USER=*** LOGNAME=*** HOSTNAME=*** x",
    );
}

#[test]
fn headers_queries_and_json() {
    check(
        "curl -H 'Authorization: Bearer abc' u",
        "curl -H 'Authorization: Bearer ***' u",
    );
    check(
        "curl -H \"Authorization: Basic YWJj\" u",
        "curl -H \"Authorization: Basic ***\" u",
    );
    check("curl -H X-Api-Key:abc u", "curl -H X-Api-Key:*** u");
    check("x Bearer abc", "x Bearer ***");
    check(
        "https://huggingface.co/x?token=abc&a=1",
        "https://huggingface.co/x?token=***&a=1",
    );
    check(
        r#"x --config '{"api_key": "a", "k": 1}' --port 1"#,
        r#"x --config '{"api_key": "***", "k": 1}' --port 1"#,
    );
    check(
        r#"x --c '{"api_key":"a","k":1}'"#,
        r#"x --c '{"api_key":"***","k":1}'"#,
    );
}

#[test]
fn keys_by_their_shape() {
    check("x sk-proj-abcdef0123456789 y", "x *** y");
    check("x --note=hf_AbCdEfGhIjKlMnOpQrSt", "x --note=***");
    check("x ghp_0123456789abcdef0123, y", "x ***, y");
    check("x (AKIAIOSFODNN7EXAMPLE)", "x (***)");
    unchanged("x /data/hf_quant_config.json sk-1 task-force-of-many disk-0123456789abcdef");
}

#[test]
fn commands_inside_quotes() {
    check(
        "bash -c \"vllm serve m --api-key abc\"",
        "bash -c \"vllm serve m --api-key ***\"",
    );
    check(
        "ssh box 'HF_TOKEN=a bash -c \"x --token b\"'",
        "ssh box 'HF_TOKEN=*** bash -c \"x --token ***\"'",
    );
    check(
        "# don't\nvllm serve m --api-key abc",
        "# don't\nvllm serve m --api-key ***",
    );
    check(
        "# don't\nx --api-key abc # isn't",
        "# don't\nx --api-key *** # isn't",
    );
}

#[test]
fn quotes_that_hold_only_a_part_of_a_word() {
    check("x --args=\"a --token b\" c", "x --args=\"a --token ***\" c");
    check("don't --token abc isn't", "don't --token *** isn't");
    check(
        "bash -c \"HF_TOKEN=a vllm serve m\"",
        "bash -c \"HF_TOKEN=*** vllm serve m\"",
    );
}

#[test]
fn people() {
    check("x -m /home/ann/m.gguf", "x -m ~/m.gguf");
    check("x -v /home/ann/a:/home/ann/b:ro", "x -v ~/a:~/b:ro");
    check("x --m=/Users/ann", "x --m=~");
    check("x /root/.cache /root", "x ~/.cache ~");
    check("x /mnt/home/ann/m", "x /mnt/home/***/m");
    check("x C:\\Users\\ann\\m.gguf", "x C:\\Users\\***\\m.gguf");
    check("x ~ann/m ~/m", "x ~/m ~/m");
    check("x --owner ann.b+c@example.org, y", "x --owner ***, y");
    check("docker run --user ann i", "docker run --user *** i");
    unchanged("docker run --user 1000:1000 -v /rooted/x:/y image@sha256:0123abcd");
    unchanged("# ~3 GB, x /home /homes/x o/m@v1.0 @decorator a@b");
}

#[test]
fn hosts_and_addresses() {
    check(
        "x --host 192.168.1.7 --port 8000",
        "x --host *** --port 8000",
    );
    check("x --host=gpu-box.lan", "x --host=***");
    check("x --rpc 10.0.0.2:50052,10.0.0.3:50052", "x --rpc ***");
    check(
        "x --dist-init-addr node0:5000",
        "x --dist-init-addr ***:5000",
    );
    check(
        "x --data-parallel-address [2001:db8::7]:80",
        "x --data-parallel-address ***:80",
    );
    check("x http://ann:pw@box:9000/v1", "x http://***@***:9000/v1");
    check(
        "HTTPS_PROXY=http://proxy.corp:3128 x",
        "HTTPS_PROXY=http://***:3128 x",
    );
    check("x -p 10.1.2.3:8000:8000", "x -p ***:8000:8000");
    check(
        r#"x '{"host":"box","user":"ann"}'"#,
        r#"x '{"host":"***","user":"***"}'"#,
    );
    check("x --bind node1:80", "x --bind ***:80");
    check("MASTER_ADDR=node-7 x", "MASTER_ADDR=*** x");
    check(
        "CUDA_VISIBLE_DEVICES=GPU-5d0e3a5c-1111-2222 x",
        "CUDA_VISIBLE_DEVICES=GPU-*** x",
    );
    unchanged("x --host 0.0.0.0 --host localhost --host=127.0.0.1 --host ::1 -p 127.0.0.1:80:80");
    unchanged("x http://localhost:8000/v1 https://huggingface.co/o/m s3://bucket/m");
    unchanged("x NVIDIA driver 580.178.04, v1.2.3.4 1.2.3");
}

#[test]
fn everything_else_stays_as_it_was_typed() {
    unchanged(
        "# Untuned out-of-the-box baseline. Spec decode: none. KV cache: int4_per_token_head\n\
         # 1x RTX 3090 24GB (gpu-unlock), 420 W limit, PCIe Gen3 x16 | 32 GB DDR4 | Ubuntu 24.04.5\n\
         vllm serve owner/Name-30B-AWQ-4bit --max-model-len 147456 \\\n  --gpu-memory-utilization 0.94 \
         --max-num-seqs 128   --enable-prefix-caching\t--trust-remote-code\n",
    );
    unchanged("x --eos-token 2 --max-tokens 5 --stop-token '</s>' --tokenizer-mode auto");
    unchanged("TOKENIZERS_PARALLELISM=false VLLM_USE_V1=1 PATH=/usr/bin:/bin x");
    unchanged("x --api-key-file /run/secrets/key --sort-key a --hosts 3 --keys 4");
    unchanged(r#"x --speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'"#);
    unchanged("x --override-kv tokenizer.ggml.add_bos_token=bool:false -ot 'exps=CPU'");
    unchanged("");
    unchanged("  \n ");
    unchanged("x \"unclosed 'quote");
}

#[test]
fn arguments_that_are_apart() {
    let given = [
        "bash",
        "-c",
        "x --api-key a b",
        "--token",
        "c d",
        "/home/ann/e f",
        "",
    ];
    let redacted = redact_arguments(&given.map(str::to_owned));
    let expected = [
        "bash",
        "-c",
        "x --api-key *** ***",
        "--token",
        "***",
        "~/e f",
        "",
    ];
    assert_eq!(redacted, expected);
}

proptest! {
    #[test]
    fn secrets_never_survive(
        option in "--(api-key|hf-token|token|password|admin-api-key)",
        secret in "[A-Za-z0-9_./+]{6,40}",
        joint in "(=| | \"|=\"|  )",
        before in "[a-z -]{0,20}",
    ) {
        let close = if joint.ends_with('"') { "\"" } else { "" };
        let secret = format!("S3{secret}");
        let text = format!("x {before} {option}{joint}{secret}{close} --port 8000");
        let redacted = redact(&text);
        prop_assert!(!redacted.contains(&secret), "{} -> {}", text, redacted);
        prop_assert!(redacted.ends_with(" --port 8000"));
    }

    #[test]
    fn plain_text_is_kept_byte_by_byte(text in "[a-z ,;()|\\n\\t\\\\'\"-]{0,80}") {
        let names_something = ["key", "token", "auth", "secret", "pass", "bearer", "host", "ip", "bind", "listen",
            "addr", "user", "proxy", "rpc", "email", "hft", "dpa", "cookie", "basic"];
        prop_assume!(!names_something.iter().any(|name| text.contains(name)));
        prop_assert_eq!(redact(&text), text);
    }

    #[test]
    fn no_text_breaks_it(text in "(?s).{0,120}") {
        let _ = redact(&text);
    }
}
