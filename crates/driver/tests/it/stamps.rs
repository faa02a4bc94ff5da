use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokmark_driver::{Clock, MemoryConnect, StampSource, What};
use tokmark_units::Nanos;

use crate::server::{HEAD, answer, chunk, listen, request, run, start, tcp};

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
                server.write_all(&chunk(text)).await.unwrap();
            }
            server.write_all(b"0\r\n\r\n").await.unwrap();
        });
        Box::new(client)
    });
    let all = run(std::sync::Arc::new(connector), clock, 1).await;
    let mut data = Vec::new();
    let mut sent = None;
    for arrival in &all {
        assert_eq!(arrival.stream, 7);
        match &arrival.what {
            What::Sent(at) => sent = Some(*at),
            What::Head(head, stamp) => {
                assert_eq!(head.status, 200);
                assert_eq!(stamp.at, Nanos::from_millis(100));
            }
            What::Data(bytes, stamp) => data.push((bytes.clone(), stamp.at)),
            _ => {}
        }
    }
    assert_eq!(sent, Some(Nanos::ZERO));
    assert_eq!(
        data,
        [
            ("one".into(), Nanos::from_millis(150)),
            ("two".into(), Nanos::from_millis(200))
        ]
    );
    assert!(matches!(all.last().unwrap().what, What::Complete(_)));
}

#[tokio::test]
async fn over_tcp_the_kernel_stamps() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        request(&mut io).await.unwrap();
        let before = clock.now();
        answer(&mut io, &[HEAD, &chunk("a")]).await;
        // The second answer leaves only after the first has surely arrived.
        answer(&mut io, &[&chunk("b"), b"0\r\n\r\n"]).await;
        (io, before)
    };
    let (all, (_io, before)) = tokio::join!(run(tcp(port, clock), clock, 1), server);
    let after = clock.now();
    let stamps: Vec<_> = all
        .iter()
        .filter_map(|a| match &a.what {
            What::Data(_, stamp) => Some(*stamp),
            _ => None,
        })
        .collect();
    assert_eq!(stamps.len(), 2);
    for stamp in &stamps {
        if cfg!(target_os = "linux") {
            assert_eq!(stamp.source, StampSource::Kernel);
        }
        // Two clocks meet here: half a millisecond of slack for their comparison.
        assert!(stamp.at + Nanos(500_000) >= before, "{stamp:?} {before:?}");
        assert!(stamp.at <= after + Nanos(500_000), "{stamp:?} {after:?}");
    }
    assert!(stamps[0].at <= stamps[1].at);
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
                all.extend(chunk(text));
            }
            all.extend(b"0\r\n\r\n");
            server.write_all(&all).await.unwrap();
        });
        Box::new(client)
    });
    let all = run(std::sync::Arc::new(connector), clock, 1).await;
    let stamps: Vec<_> = all
        .iter()
        .filter_map(|a| match &a.what {
            What::Data(bytes, stamp) => Some((bytes.len(), stamp.at)),
            _ => None,
        })
        .collect();
    assert_eq!(stamps, [(1, Nanos::from_millis(10)); 3]);
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
            server.write_all(&chunk("first")).await.unwrap();
            tokio::time::sleep(Duration::from_millis(1_800)).await;
            server.write_all(&chunk("last")).await.unwrap();
            server.write_all(b"0\r\n\r\n").await.unwrap();
        });
        Box::new(client)
    });
    let (mut arrivals, _task) = start(std::sync::Arc::new(connector), clock, 1);
    // Nobody looks before everything has long arrived.
    tokio::time::sleep(Duration::from_mins(1)).await;
    let mut stamps = Vec::new();
    while let Some(arrival) = arrivals.recv().await {
        if let What::Data(_, stamp) = arrival.what {
            stamps.push(stamp.at);
        }
    }
    assert_eq!(
        stamps,
        [Nanos::from_millis(4_200), Nanos::from_millis(6_000)]
    );
}
