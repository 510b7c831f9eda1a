//! Several servers on one directory, and changes from outside.

use std::sync::Arc;

use serde_json::json;

use crate::site::{Site, entry};

#[test]
fn an_acknowledged_change_is_seen_by_the_next_read_of_another_server() {
    let site = Site::new();
    let other = site.second();
    assert_eq!(other.ids(), Vec::<String>::new());
    for n in 0..200 {
        let id = format!("e{n}");
        let hash = site.add(&id, "x")["hash"].clone();
        assert_eq!(other.get(&id)["id"], id.as_str());
        assert_eq!(other.call("instructions/list", json!({"limit": 1}))["hash"], hash);
        if n % 3 == 0 {
            other.call("instructions/remove", json!({"ids": [id]}));
            assert_eq!(site.call("instructions/get", json!({ "id": id })), json!({"notFound": true}));
        }
    }
}

#[test]
fn edits_by_hand_are_seen_without_reload() {
    let site = Site::new();
    site.add("a", "one");
    for body in ["two", "six", "ten"] {
        // Same length within the same instant: neither size nor time need differ.
        site.write("a.json", entry("a", body).to_string());
        assert_eq!(site.get("a")["body"], body);
    }
    site.write("b.json", "{");
    assert_eq!(site.call("integrity/verify", json!({}))["rejected"][0]["file"], "b.json");
    site.write("b.json", entry("b", "now fine").to_string());
    assert_eq!(site.ids(), ["a", "b"]);
    std::fs::rename(site.dir().join("b.json"), site.dir().join("c.json")).unwrap();
    assert_eq!(site.ids(), ["a", "b"]);
    std::fs::remove_file(site.dir().join("c.json")).unwrap();
    assert_eq!(site.ids(), ["a"]);
}

#[test]
fn a_replaced_directory_is_noticed_by_reload() {
    let site = Site::new();
    site.add("a", "one");
    std::fs::rename(site.dir(), site.root.path().join("moved")).unwrap();
    assert_eq!(site.ids(), Vec::<String>::new());
    std::fs::create_dir(site.dir()).unwrap();
    site.write("b.json", entry("b", "x").to_string());
    assert_eq!(site.ids(), ["b"]);
}

#[test]
fn concurrent_writers_lose_nothing() {
    let site = Arc::new(Site::new());
    let servers = [site.second(), site.second()];
    std::thread::scope(|scope| {
        for (worker, server) in servers.iter().enumerate() {
            for thread in 0..2 {
                scope.spawn(move || {
                    for n in 0..25 {
                        server.add(&format!("w{worker}-{thread}-{n}"), "x");
                        server.call("usage/track", json!({"id": format!("w{worker}-{thread}-0")}));
                    }
                });
            }
        }
    });
    for server in [&servers[0], &servers[1], &site.second()] {
        assert_eq!(server.ids().len(), 100);
        for worker in 0..2 {
            for thread in 0..2 {
                assert_eq!(server.get(&format!("w{worker}-{thread}-0"))["usageCount"], 25);
            }
        }
    }
    let history = site.call("instructions/history", json!({"limit": 1000}));
    assert_eq!(history["total"], 100);
}

#[test]
fn two_servers_adding_one_id_agree_on_who_created_it() {
    let site = Site::new();
    let servers = [site.second(), site.second()];
    for n in 0..50 {
        let id = format!("race{n}");
        let created: usize = std::thread::scope(|scope| {
            let add = |server: &crate::site::Server| {
                let result = server.call("instructions/add", json!({"entry": entry(&id, "x")}));
                usize::from(result["created"] == true)
            };
            let handles: Vec<_> = servers.iter().map(|server| scope.spawn(move || add(server))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap()).sum()
        });
        assert_eq!(created, 1, "{id}");
    }
}

#[test]
fn a_queue_of_events_too_long_for_the_kernel_is_no_loss() {
    let site = Site::new();
    site.add("a", "x");
    let limit: usize = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0);
    if limit > 20_000 {
        return;
    }
    let text = entry("b", "x").to_string();
    for _ in 0..limit {
        // Two events each: created or opened for writing, and closed.
        site.write("noise.json", &text);
        std::fs::remove_file(site.dir().join("noise.json")).unwrap();
    }
    site.write("late.json", entry("late", "x").to_string());
    assert_eq!(site.ids(), ["a", "late"]);
}
