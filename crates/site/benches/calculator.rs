//! `cargo bench -p tokmark-site`: how long the calculator takes for an answer, through the router.
//!
//! The page's numbers follow its sliders if an answer takes less than 50 ms.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a bench reads the clock, prints and may fail loudly"
)]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use tokmark_site::{SiteState, router};
use tokmark_site_store::SqlStore;
use tower::Service;

/// The slowest answer that a slider can follow.
const MOST: Duration = Duration::from_millis(50);

/// Answers of which the median is taken.
const TIMES: usize = 50;

const ASKED: [(&str, &str); 4] = [
    (
        "fragment, 4 x 8 cells",
        "/en/decode-calculator/answer?model=Qwen/Qwen3-14B-AWQ&hardware=RTX+3090",
    ),
    (
        "fragment, mixture on 8 accelerators, two machines, costs",
        "/en/decode-calculator/answer?model=deepseek-ai/DeepSeek-V3-0324&quantization=FP8\
         &hardware=8+x+H200&versus=8+x+B200&rent_per_hour=20",
    ),
    (
        "document, 32 x 32 cells",
        "/api/v1/calculator?model=Qwen/Qwen3-14B-AWQ&hardware=H200\
         &contexts=0,1k,2k,3k,4k,5k,6k,7k,8k,9k,10k,11k,12k,13k,14k,15k,16k,17k,18k,19k,20k,21k,\
         22k,23k,24k,25k,26k,27k,28k,29k,30k,31k\
         &requests=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,\
         30,31,32",
    ),
    (
        "machines for a need",
        "/en/decode-calculator/need/answer?model=Qwen/Qwen3-14B-AWQ&people=8&context=32k&tokens_per_s=20",
    ),
];

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slowest = runtime.block_on(async {
        let store = SqlStore::open(&folder.path().join("tokmark.sqlite")).await;
        let mut router = router(SiteState::new(Arc::new(store.unwrap())));
        let mut slowest = Duration::ZERO;
        for (name, path) in ASKED {
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let request = Request::get(path).body(Body::empty()).unwrap();
                let start = Instant::now();
                let answer = router.call(request).await.unwrap();
                assert_eq!(answer.status(), StatusCode::OK, "{path}");
                answer.into_body().collect().await.unwrap();
                times.push(start.elapsed());
            }
            times.sort_unstable();
            let median = times.get(TIMES / 2).copied().unwrap_or_default();
            let milliseconds = median.as_secs_f64() * 1e3;
            println!("{milliseconds:8.2} ms  {name}");
            slowest = slowest.max(median);
        }
        slowest
    });
    if slowest < MOST {
        return ExitCode::SUCCESS;
    }
    println!("slower than {MOST:?}");
    ExitCode::FAILURE
}
