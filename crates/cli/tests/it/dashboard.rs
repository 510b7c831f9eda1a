//! The dashboard: an address and nothing else, unless a window is asked for.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use crate::site::{PATIENCE, Site, wait_until};

/// A `mainstay dashboard` and the address it printed.
struct Pages {
    child: Child,
    url: String,
}

impl Pages {
    /// Starts it with a desktop that notes what it is asked to open.
    fn start(site: &Site, flags: &[&str]) -> Pages {
        let opener = site.repo().join("bin/xdg-open");
        site.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" >opening && mv opening opened\n");
        std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", opener.parent().unwrap().display());
        let mut command = site.mainstay(["dashboard", "--quiet"].into_iter().chain(flags.iter().copied()));
        let mut child = command.env("PATH", path).stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Pages { child, url: url.trim().to_owned() }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().strip_suffix("/dashboard").unwrap()
    }

    fn status(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = self.address();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).lines().next().unwrap().to_owned()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_address_is_printed_and_no_window_opens() {
    let site = Site::new();
    // The port it would like is taken, so it takes one of the next.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let pages = Pages::start(&site, &["--dashboard-port", &port, "--dashboard-tries", "200"]);
    assert_ne!(pages.address(), format!("127.0.0.1:{port}"));
    for path in ["/", "/dashboard", "/dashboard/tools", "/dashboard/assets/kit.css"] {
        assert_eq!(pages.status(path), "HTTP/1.1 200 OK", "{path}");
    }
    assert!(!site.repo().join("opened").exists());
}

#[test]
fn a_window_opens_when_it_is_asked_for() {
    let site = Site::new();
    let pages = Pages::start(&site, &["--open", "--dashboard-port", "0"]);
    let opened = site.repo().join("opened");
    wait_until("the page is opened", || opened.exists());
    assert_eq!(std::fs::read_to_string(opened).unwrap().trim(), pages.url);
}

#[test]
fn other_machines_need_a_token() {
    let site = Site::new();
    let ran = site.run(["dashboard", "--dashboard-host", "0.0.0.0", "--dashboard-port", "0"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("--token"), "{}", ran.stderr);
}
