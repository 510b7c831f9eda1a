//! Many calls at once.

use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};

use mainstay_runtime::Limits;
use mainstay_server::HttpConfig;

use super::client::Connection;
use super::server::{JSON, SOON, Server};

const CALLS: usize = 1_000;

#[test]
fn a_thousand_concurrent_calls_get_one_answer_each() {
    let limits = Limits { queue_max: 32, workers: 4, ..Limits::default() };
    let server = Server::with(HttpConfig::default(), limits);
    let address = server.address;
    let start = Arc::new(Barrier::new(CALLS));
    let clients: Vec<_> = (0..CALLS)
        .map(|n| {
            let start = Arc::clone(&start);
            let client = move || {
                let mut connection = Connection::open(address);
                start.wait();
                connection.send("POST", "/tools/nap", &[JSON], Some(format!(r#"{{"n":{n}}}"#).as_bytes()));
                let answer = connection.receive();
                // Nothing may follow: a second answer would be read as the next one's.
                connection.send("GET", "/healthz", &[], None);
                assert_eq!(connection.receive().envelope()["result"]["status"], "alive");
                match answer.status {
                    200 => {
                        assert_eq!(answer.envelope()["result"]["n"], n);
                        Some(n)
                    }
                    503 => {
                        assert_eq!(answer.code(), "QUEUE_OVERLOADED");
                        assert_eq!(answer.json()["error"]["details"]["queue"]["max"], 32);
                        None
                    }
                    other => panic!("{other}: {}", answer.text()),
                }
            };
            std::thread::Builder::new().stack_size(256 << 10).spawn(client).unwrap()
        })
        .collect();
    let answers: Vec<Option<usize>> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    let served: BTreeSet<usize> = answers.iter().flatten().copied().collect();
    assert_eq!(answers.len(), CALLS);
    assert!(served.len() >= 32, "{} were served", served.len());
    let row = &server.runtime.metrics().snapshot()["nap"];
    assert_eq!((row.count, row.count - row.errors), (CALLS as u64, served.len() as u64));
    assert!(server.runtime.drain(SOON));
}
