//! Downloads against a real server: whole, pinned, resumed, bounded, or not at all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainstay_contract::{Caller, CancelToken, ErrorCode, StopReason};
use mainstay_search::Network;
use serde_json::{Value, json};

use crate::origin::{CERTS, Origin, Page, proxy, sha256};
use crate::site::Site;

const WORDS: &[u8] = b"alpha\nbeta\ngamma\n";

fn dictionary(origin: &Origin, body: &[u8]) -> Value {
    json!({ "url": format!("en={}", origin.url("/words.txt")), "sha256": sha256(body) })
}

/// Names of all files in the downloads folder.
fn leftovers(site: &Site) -> Vec<String> {
    let entries = std::fs::read_dir(site.cache().join("downloads")).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

#[test]
fn a_pinned_dictionary_is_installed_once() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/words.txt", Page::of(WORDS));
    let first = site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap();
    assert_eq!((&first["downloaded"], &first["items"][0]["pinned"]), (&json!(1), &json!(true)));
    assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), WORDS);
    assert_eq!(first["items"][0]["files"][0]["sha256"], sha256(WORDS));
    let again = site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap();
    assert_eq!((&again["downloaded"], &again["items"][0]["status"]), (&json!(0), &json!("installed")));
    assert_eq!(origin.seen().len(), 1, "what is there and whole is not asked for");
    assert!(leftovers(&site).is_empty());
}

#[test]
fn a_changed_file_is_downloaded_again_and_force_always_does() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/words.txt", Page::of(WORDS));
    let mut args = dictionary(&origin, WORDS);
    site.call("download_dictionaries", args.clone()).unwrap();
    std::fs::write(site.cache().join("dictionaries/en.txt"), "tampered").unwrap();
    assert_eq!(site.call("download_dictionaries", args.clone()).unwrap()["downloaded"], 1);
    assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), WORDS);
    args["force"] = json!(true);
    assert_eq!(site.call("download_dictionaries", args).unwrap()["downloaded"], 1);
}

#[test]
fn an_update_asks_whether_there_is_something_newer() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/words.txt", Page::of(WORDS));
    let url = json!(format!("en={}", origin.url("/words.txt")));
    site.call("download_dictionaries", json!({ "url": url })).unwrap();
    let same = site.call("download_dictionaries", json!({ "url": url, "update": true })).unwrap();
    assert_eq!(same["items"][0]["status"], "not-modified");
    assert_eq!(origin.seen()[1].headers["if-none-match"], "\"one\"");
    origin.put("/words.txt", Page { etag: Some("\"two\""), ..Page::of("delta\n") });
    let newer = site.call("download_dictionaries", json!({ "url": url, "update": true })).unwrap();
    assert_eq!((&newer["downloaded"], &newer["items"][0]["pinned"]), (&json!(1), &json!(false)));
    assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), b"delta\n");
}

#[test]
fn a_wrong_hash_installs_nothing_and_keeps_what_was_there() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/words.txt", Page::of(WORDS));
    site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap();
    let fault = site.call("download_dictionaries", dictionary(&origin, b"other")).unwrap_err();
    assert_eq!(fault.code, ErrorCode::DownloadVerifyFailed);
    assert_eq!(fault.details["sha256"], sha256(WORDS));
    assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), WORDS);
    assert!(leftovers(&site).is_empty(), "a wrong file is not kept to be resumed");
}

#[test]
fn a_download_that_breaks_off_goes_on_where_it_ended() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let body: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    origin.put("/words.txt", Page { cut: Some((500_000, 1)), ..Page::of(body.clone()) });
    let done = site.call("download_dictionaries", dictionary(&origin, &body)).unwrap();
    assert_eq!(done["downloaded"], 1);
    let seen = origin.seen();
    assert_eq!(seen.len(), 2);
    let from: usize = seen[1].headers["range"].trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    assert!(from > 0 && from <= 500_000, "{from}");
    assert_eq!(seen[1].headers["if-range"], "\"one\"");
    assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), body);
}

#[test]
fn a_truncated_download_fails_and_the_next_call_resumes_it() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let body = vec![7; 400_000];
    origin.put("/words.txt", Page { cut: Some((100_000, 3)), ..Page::of(body.clone()) });
    let fault = site.call("download_dictionaries", dictionary(&origin, &body)).unwrap_err();
    assert_eq!(fault.code, ErrorCode::DownloadVerifyFailed);
    assert_eq!(fault.details["expectedBytes"], 400_000);
    assert!(!site.cache().join("dictionaries/en.txt").exists());
    let done = site.call("download_dictionaries", dictionary(&origin, &body)).unwrap();
    assert!(done["items"][0]["resumedBytes"].as_u64().unwrap() > 0);
    assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), body);
}

#[test]
fn a_part_of_another_file_is_not_continued() {
    // With an etag that says so, and with a server that does not notice.
    for etag in ["\"two\"", "\"one\""] {
        let (site, origin) = (Site::new(&[]), Origin::start());
        let (old, new) = (vec![1; 600_000], vec![2; 600_000]);
        origin.put("/words.txt", Page { cut: Some((100_000, 3)), ..Page::of(old.clone()) });
        site.call("download_dictionaries", dictionary(&origin, &old)).unwrap_err();
        origin.put("/words.txt", Page { etag: Some(etag), ..Page::of(new.clone()) });
        site.call("download_dictionaries", dictionary(&origin, &new)).unwrap();
        assert_eq!(std::fs::read(site.cache().join("dictionaries/en.txt")).unwrap(), new);
    }
}

#[test]
fn another_host_is_followed_only_when_it_is_allowed() {
    let (origin, other) = (Origin::start(), Origin::start());
    other.put("/words.txt", Page::of(WORDS));
    origin.put("/words.txt", Page { redirect: Some(other.url("/words.txt")), ..Page::default() });
    let site = Site::new(&[]);
    let fault = site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap_err();
    assert_eq!(fault.code, ErrorCode::Forbidden);
    assert!(other.seen().is_empty(), "the other host was not asked");
    let allowed = Network { hosts: vec![other.address.clone()], ..Network::default() };
    let site = Site::new(&[]).with_network(allowed);
    assert_eq!(site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap()["downloaded"], 1);
    origin.put("/here", Page::of(WORDS));
    origin.put("/words.txt", Page { redirect: Some("/here".into()), ..Page::default() });
    let site = Site::new(&[]);
    assert_eq!(site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap()["downloaded"], 1);
    origin.put("/words.txt", Page { redirect: Some("/words.txt".into()), ..Page::default() });
    let fault = Site::new(&[]).call("download_dictionaries", dictionary(&origin, WORDS)).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest, "a circle ends");
}

#[test]
fn what_cannot_be_reached_can_be_put_in_place_by_hand() {
    let site = Site::new(&[]);
    let origin = Origin::start();
    for (path, page, code) in [
        ("/words.txt", None, ErrorCode::NotFound),
        ("/words.txt", Some(Page { status: Some(403), ..Page::default() }), ErrorCode::Forbidden),
        ("/words.txt", Some(Page { status: Some(503), ..Page::default() }), ErrorCode::CapabilityMissing),
    ] {
        if let Some(page) = page {
            origin.put(path, page);
        }
        let fault = site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap_err();
        assert_eq!(fault.code, code, "{fault}");
    }
    // Nobody listens on port 9 of this machine.
    let args = json!({ "url": "en=http://127.0.0.1:9/list.txt", "sha256": sha256(WORDS) });
    let fault = site.call("download_dictionaries", args.clone()).unwrap_err();
    assert_eq!(fault.code, ErrorCode::CapabilityMissing);
    let put_at = fault.details["putAt"].as_str().unwrap();
    assert!(fault.hint.unwrap().contains(put_at));
    std::fs::write(put_at, "not the words").unwrap();
    let fault = site.call("download_dictionaries", args.clone()).unwrap_err();
    assert_eq!(fault.code, ErrorCode::DownloadVerifyFailed);
    std::fs::write(put_at, WORDS).unwrap();
    assert_eq!(site.call("download_dictionaries", args).unwrap()["downloaded"], 1);
}

#[test]
fn a_cancelled_download_stops_at_once_and_leaves_nothing_installed() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/words.txt", Page { hangs: true, ..Page::of(vec![1; 100_000]) });
    let cancel = CancelToken::new();
    let (stop, asked) = (cancel.clone(), origin.url(""));
    std::thread::scope(|scope| {
        let (site, origin) = (&site, &origin);
        let calling = scope.spawn(move || {
            let args = json!({ "url": format!("en={asked}/words.txt") });
            site.call_until(Caller::default(), &cancel, "download_dictionaries", args)
        });
        while origin.seen().is_empty() {
            std::thread::yield_now();
        }
        let told = Instant::now();
        stop.cancel(StopReason::Cancelled);
        assert_eq!(calling.join().unwrap().unwrap_err().code, ErrorCode::Cancelled);
        assert!(told.elapsed() < Duration::from_secs(60), "{:?}", told.elapsed());
    });
    assert!(!site.cache().join("dictionaries/en.txt").exists());
}

#[test]
fn a_download_larger_than_its_kind_may_be_is_refused() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let page = Page { chunked: true, ..Page::of(vec![0; (64 << 20) + 1]) };
    origin.put("/words.txt", page);
    let url = format!("en={}", origin.url("/words.txt"));
    let fault = site.call("download_dictionaries", json!({ "url": url })).unwrap_err();
    assert_eq!((fault.code, &fault.details["limitBytes"]), (ErrorCode::ArchiveTooLarge, &json!(64 << 20)));
}

#[test]
fn certificates_are_checked_against_the_authorities_given() {
    let origin = Origin::start_tls();
    origin.put("/words.txt", Page::of(WORDS));
    let fault = Site::new(&[]).call("download_dictionaries", dictionary(&origin, WORDS)).unwrap_err();
    assert_eq!(fault.code, ErrorCode::CapabilityMissing, "an unknown authority: {fault}");
    assert!(origin.seen().is_empty());
    let trusting =
        |name: &str| Network { ca_file: Some(format!("{CERTS}/{name}").into()), ..Network::default() };
    let site = Site::new(&[]).with_network(trusting("ca.pem"));
    assert_eq!(site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap()["downloaded"], 1);
    let site = Site::new(&[]).with_network(trusting("localhost.key"));
    let fault = site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest, "a file without certificates");
    let plain = Origin::start();
    plain.put("/words.txt", Page::of(WORDS));
    origin.put("/words.txt", Page { redirect: Some(plain.url("/words.txt")), ..Page::default() });
    let network = Network { hosts: vec![plain.address.clone()], ..trusting("ca.pem") };
    let fault = Site::new(&[])
        .with_network(network)
        .call("download_dictionaries", dictionary(&origin, WORDS))
        .unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest, "from https to http, even to an allowed host");
}

#[test]
fn proxies_are_used_except_for_the_hosts_named() {
    let (plain, secure) = (Origin::start(), Origin::start_tls());
    let (address, asked) = proxy();
    let network = Network {
        http_proxy: Some(address.clone()),
        https_proxy: Some(address),
        ca_file: Some(format!("{CERTS}/ca.pem").into()),
        ..Network::default()
    };
    for origin in [&plain, &secure] {
        origin.put("/words.txt", Page::of(WORDS));
        let site = Site::new(&[]).with_network(network.clone());
        assert_eq!(site.call("download_dictionaries", dictionary(origin, WORDS)).unwrap()["downloaded"], 1);
        let line = asked.lock().unwrap().pop().unwrap();
        assert!(line.starts_with(&format!("CONNECT {}", origin.address)), "{line}");
        let direct = Network { no_proxy: vec!["localhost".into()], ..network.clone() };
        let site = Site::new(&[]).with_network(direct);
        assert_eq!(site.call("download_dictionaries", dictionary(origin, WORDS)).unwrap()["downloaded"], 1);
        assert!(asked.lock().unwrap().is_empty());
    }
}

#[test]
fn addresses_that_are_none_of_our_business_are_refused() {
    let site = Site::new(&[]);
    for url in
        ["en=file:///etc/passwd", "en=http://example.org/words.txt", "en=https://me:secret@example.org/w"]
    {
        let fault = site.call("download_dictionaries", json!({ "url": url })).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InvalidRequest, "{url}");
    }
    for args in [
        json!({ "url": "http://localhost/words.txt" }),
        json!({ "url": "en=http://localhost/a,en=http://localhost/b" }),
        json!({ "url": "../en=http://localhost/a" }),
        json!({ "url": "en=http://localhost/a", "sha256": "abc" }),
        json!({ "url": "en=http://localhost/a", "sha256": format!("de={}", sha256(b"")) }),
        json!({ "url": "en=http://localhost/a", "dir": "../.." }),
    ] {
        let fault = site.call("download_dictionaries", args.clone()).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InvalidRequest, "{args}");
    }
}

#[test]
fn a_remote_caller_reaches_only_hosts_and_folders_of_the_operator() {
    let origin = Origin::start();
    origin.put("/words.txt", Page::of(WORDS));
    let remote = |site: &Site| Caller { roots: Some(Arc::from([site.repo()])), ..Caller::default() };
    let site = Site::new(&[]);
    let fault = site.call_as(remote(&site), "download_dictionaries", dictionary(&origin, WORDS)).unwrap_err();
    assert_eq!(fault.code, ErrorCode::Forbidden);
    assert!(origin.seen().is_empty());
    let site =
        Site::new(&[]).with_network(Network { hosts: vec![origin.address.clone()], ..Network::default() });
    let mut args = dictionary(&origin, WORDS);
    args["dir"] = json!(site.outside());
    let fault = site.call_as(remote(&site), "download_dictionaries", args.clone()).unwrap_err();
    assert_eq!(fault.code, ErrorCode::Forbidden);
    args["dir"] = json!("words");
    assert_eq!(site.call_as(remote(&site), "download_dictionaries", args).unwrap()["downloaded"], 1);
    assert!(site.repo().join("words/en.txt").exists());
}

#[test]
fn sources_come_from_the_operators_file() {
    let origin = Origin::start();
    origin.put("/words.txt", Page::of(WORDS));
    origin.put("/model.bin", Page::of("weights"));
    origin.put("/vocabulary", Page::of("words"));
    let site = Site::new(&[]);
    let list = site.outside().join("sources.json");
    let model = json!([
        { "url": origin.url("/model.bin"), "sha256": sha256(b"weights") },
        { "url": origin.url("/vocabulary"), "sha256": sha256(b"words"), "file": "vocab.txt" },
    ]);
    let sources = json!({
        "dictionaries": { "en": { "url": origin.url("/words.txt"), "sha256": sha256(WORDS) } },
        "models": { "org/tiny": model },
    });
    std::fs::write(&list, sources.to_string()).unwrap();
    let site = site.with_network(Network { sources: Some(list.clone()), ..Network::default() });
    assert_eq!(site.call("download_dictionaries", json!({})).unwrap()["downloaded"], 1);
    let fault = site.call("download_dictionaries", json!({ "lang": "xx" })).unwrap_err();
    assert_eq!(fault.code, ErrorCode::NotFound);
    assert!(fault.hint.unwrap().contains("--download-sources"));
    let done = site.call("download_models", json!({})).unwrap();
    assert_eq!((&done["model"], &done["downloaded"]), (&json!("org/tiny"), &json!(1)));
    let paths: Vec<&str> = done["items"][0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert!(paths[0].ends_with("/model.bin") && paths[1].ends_with("/vocab.txt"), "{paths:?}");
    assert!(paths.iter().all(|path| std::path::Path::new(path).is_file()));
    std::fs::write(&list, "{\"models\": 3}").unwrap();
    let fault = site.call("download_models", json!({})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest);
}

#[test]
fn a_new_release_of_a_model_replaces_the_old_one_whole() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let args = |body: &str| {
        origin.put("/model.bin", Page::of(body));
        json!({ "model": "org/tiny", "url": origin.url("/model.bin"), "sha256": sha256(body.as_bytes()) })
    };
    let first = site.call("download_models", args("one")).unwrap();
    let second = site.call("download_models", args("two")).unwrap();
    let path = |done: &Value| done["items"][0]["files"][0]["path"].as_str().unwrap().to_owned();
    assert_ne!(path(&first), path(&second));
    assert!(!std::path::Path::new(&path(&first)).exists());
    assert_eq!(std::fs::read(path(&second)).unwrap(), b"two");
    let fault = site.call("download_models", json!({ "model": "org/unknown" })).unwrap_err();
    assert_eq!(fault.code, ErrorCode::NotFound);
}

#[test]
fn parts_nobody_came_back_for_are_removed() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/words.txt", Page::of(WORDS));
    let folder = site.cache().join("downloads");
    std::fs::create_dir_all(&folder).unwrap();
    let week = Duration::from_secs(7 * 24 * 3600);
    for (name, age) in [("old.part", week * 2), ("new.part", week / 2), ("by-hand.zip", week * 9)] {
        let file = std::fs::File::create(folder.join(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
    }
    site.call("download_dictionaries", dictionary(&origin, WORDS)).unwrap();
    let mut left = leftovers(&site);
    left.sort();
    assert_eq!(left, ["by-hand.zip", "new.part"]);
}
