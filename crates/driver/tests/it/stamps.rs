use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokmark_driver::{Clock, MemoryConnect, What};
use tokmark_units::Nanos;

use crate::server::{
    HEAD, answer, batches, done, endings, event, listen, request, run, start, tcp, text, times,
};

#[tokio::test(start_paused = true)]
async fn an_arrival_has_the_time_of_its_bytes() {
    let clock = Clock::start();
    let connector = MemoryConnect::new(|| {
        let (client, mut server) = tokio::io::duplex(65_536);
        tokio::spawn(async move {
            request(&mut server).await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
            server.write_all(HEAD).await.unwrap();
            for text in ["one", "two"] {
                tokio::time::sleep(Duration::from_millis(50)).await;
                server.write_all(&event(text)).await.unwrap();
            }
            server.write_all(&done()).await.unwrap();
        });
        Box::new(client)
    });
    let all = run(std::sync::Arc::new(connector), clock, 1).await;
    let sent = all.iter().find_map(|arrival| match arrival.what {
        What::Sent(at) => Some(at),
        _ => None,
    });
    assert!(all.iter().all(|arrival| arrival.stream == 7));
    assert_eq!(sent, Some(Nanos::ZERO));
    assert_eq!(text(&all), "onetwo");
    assert_eq!(
        times(&all),
        [Nanos::from_millis(150), Nanos::from_millis(200)]
    );
    assert_eq!(endings(&all), [None]);
    assert!(batches(&all).all(|batch| batch.read_stamps));
}

#[tokio::test]
async fn over_tcp_the_kernel_stamps() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        request(&mut io).await.unwrap();
        let before = clock.now();
        answer(&mut io, &[HEAD, &event("a")]).await;
        // The second answer leaves only after the first has surely arrived.
        answer(&mut io, &[&event("b"), &done()]).await;
        (io, before)
    };
    let (all, (_io, before)) = tokio::join!(run(tcp(port, clock), clock, 1), server);
    let after = clock.now();
    let stamps = times(&all);
    assert_eq!(stamps.len(), 2);
    if cfg!(target_os = "linux") {
        assert!(batches(&all).all(|batch| !batch.read_stamps));
    }
    for stamp in &stamps {
        // Two clocks meet here: half a millisecond of slack for their comparison.
        assert!(*stamp + Nanos(500_000) >= before, "{stamp:?} {before:?}");
        assert!(*stamp <= after + Nanos(500_000), "{stamp:?} {after:?}");
    }
    assert!(stamps[0] <= stamps[1]);
}

#[tokio::test(start_paused = true)]
async fn b023_chunks_of_one_read_share_its_stamp() {
    let clock = Clock::start();
    let connector = MemoryConnect::new(|| {
        let (client, mut server) = tokio::io::duplex(65_536);
        tokio::spawn(async move {
            request(&mut server).await.unwrap();
            tokio::time::sleep(Duration::from_millis(10)).await;
            let mut all = HEAD.to_vec();
            for text in ["a", "b", "c"] {
                all.extend(event(text));
            }
            all.extend(done());
            server.write_all(&all).await.unwrap();
        });
        Box::new(client)
    });
    let all = run(std::sync::Arc::new(connector), clock, 1).await;
    assert_eq!(times(&all), [Nanos::from_millis(10); 3]);
}

#[tokio::test(start_paused = true)]
async fn b019_a_slow_consumer_shifts_no_stamp() {
    let clock = Clock::start();
    let connector = MemoryConnect::new(|| {
        let (client, mut server) = tokio::io::duplex(65_536);
        tokio::spawn(async move {
            request(&mut server).await.unwrap();
            tokio::time::sleep(Duration::from_millis(4_200)).await;
            server.write_all(HEAD).await.unwrap();
            server.write_all(&event("first")).await.unwrap();
            tokio::time::sleep(Duration::from_millis(1_800)).await;
            server.write_all(&event("last")).await.unwrap();
            server.write_all(&done()).await.unwrap();
        });
        Box::new(client)
    });
    let (mut arrivals, _task) = start(std::sync::Arc::new(connector), clock, 1);
    // Nobody looks before everything has long arrived.
    tokio::time::sleep(Duration::from_mins(1)).await;
    let mut all = Vec::new();
    while let Some(arrival) = arrivals.recv().await {
        all.push(arrival);
    }
    assert_eq!(
        times(&all),
        [Nanos::from_millis(4_200), Nanos::from_millis(6_000)]
    );
}
