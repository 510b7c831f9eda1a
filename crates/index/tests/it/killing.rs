//! A builder may be killed at any moment: the index answers as before, and the next build completes.

use crate::site::{Site, ask, program};
use mainstay_index::{BuildOptions, Index};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, thread};

const SITE: &str = "MAINSTAY_TEST_KILLED_SITE";

/// Not a test of its own: the process that the test below starts and kills.
#[test]
fn builder_process() {
    let Some(site) = env::var_os(SITE) else { return };
    let site = Path::new(&site);
    let options = BuildOptions { lexical_first_bytes: 1000, full: true, ..BuildOptions::default() };
    Index::build(&site.join("repo"), &site.join("store"), &options, &mut |_| {}, &|| false).unwrap();
}

#[test]
fn a_killed_build_leaves_an_index_that_answers() {
    let site = Site::new();
    for number in 0..60 {
        site.write(&format!("src/file{number}.rs"), program(number));
    }
    site.build();
    let mut killed = 0;
    for round in 0..40u64 {
        let mut builder = Command::new(env::current_exe().unwrap())
            .args(["--exact", "killing::builder_process"])
            .env(SITE, site.folder())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Rounds spread over the life of a build, from its first moment to beyond its last.
        thread::sleep(Duration::from_millis(round * 6));
        let _ = builder.kill();
        killed += u32::from(!builder.wait().unwrap().success());
        let index = site.open();
        index.verify().unwrap();
        assert_eq!(index.status().files, 60);
        assert_eq!(ask(&index, "open_signal_7").hits[0].name, "open_signal_7", "round {round}");
    }
    assert!(killed > 0, "no build was killed in its course");
    assert_eq!(site.build().files, 60);
    assert_eq!(site.open().status().freshness.lexical_files, 0);
}
