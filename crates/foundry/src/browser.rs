//! A headless Chromium: opens a page of ours, gives back its picture and what its scripts made of it.
//!
//! Each page is one run of the browser with a profile of its own, in a folder that goes away with it. Nothing is
//! looked up on a network. The same page gives the same picture: fixed fonts, colours, scale and no animation clock.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_contract::Call;

use crate::exec::{Job, Programs};
use crate::{Foundry, FoundryError};

/// Names under which distributions install it, the best first.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A page of a whole kit after its scripts ran is about a mebibyte.
const MAX_DOM_BYTES: usize = 64 << 20;
const MAX_PICTURE_BYTES: u64 = 256 << 20;

/// How long a browser may take for a page, the second time.
const PATIENCE: Duration = Duration::from_secs(50);
/// A page takes a second or two; a browser that hangs is given up sooner when there is a second try.
const FIRST_PATIENCE: Duration = Duration::from_secs(20);
/// Time the clock of the page may run, in its own milliseconds: they pass as fast as the scripts allow.
const PAGE_CLOCK_MS: u32 = 20_000;

/// Fonts of the kit's first choice, so that a picture does not depend on what a machine has installed.
pub const FONTS: [(&str, &[u8]); 2] = [
    ("inter-latin.woff2", include_bytes!("../fonts/inter-latin.woff2")),
    ("jetbrains-mono-latin.woff2", include_bytes!("../fonts/jetbrains-mono-latin.woff2")),
];

/// Rules that bring the fonts in from files beside the page.
pub const FONT_FACES: &str = "@font-face { font-family: \"Inter\"; src: url(inter-latin.woff2); font-weight: 100 900; }\n\
    @font-face { font-family: \"SFMono-Regular\"; src: url(jetbrains-mono-latin.woff2); font-weight: 100 900; }\n";

/// Size of the window, and so of the picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub width: u32,
    pub height: u32,
}

/// What the browser made of a page.
pub struct Opened {
    /// The document after scripts ran.
    pub dom: String,
    /// A PNG, when a window was given.
    pub picture: Option<Vec<u8>>,
}

pub struct Browser<'a> {
    foundry: &'a Foundry,
    call: &'a Call,
    program: PathBuf,
}

/// Why there is no browser; nothing where there is one.
pub fn missing(foundry: &Foundry) -> Option<FoundryError> {
    foundry.programs().and_then(program).err()
}

impl<'a> Browser<'a> {
    /// The configured browser, else one on the `PATH`; the error says how to get one.
    pub fn find(foundry: &'a Foundry, call: &'a Call) -> Result<Browser<'a>, FoundryError> {
        let program = program(foundry.programs()?)?;
        Ok(Browser { foundry, call, program })
    }

    /// The name and version it gives itself.
    pub fn version(&self) -> Result<String, FoundryError> {
        let folder = self.folder()?;
        let job = self.job(folder.path()).args(["--version"]);
        let text = self.foundry.exec(self.call, &job)?.success()?.text();
        // Wrappers of distributions and builds add where they come from.
        Ok(text.split(" built on").next().unwrap_or_default().trim().to_owned())
    }

    /// Opens a page, with `files` beside it.
    ///
    /// A browser that crashes, hangs or makes no picture is started once more with a new profile: Chromium does so now
    /// and then on a busy machine.
    pub fn open(
        &self,
        html: &str,
        files: &[(&str, &[u8])],
        window: Option<Window>,
    ) -> Result<Opened, FoundryError> {
        match self.try_open(html, files, window, FIRST_PATIENCE) {
            Err(FoundryError::Program { .. }) => self.try_open(html, files, window, PATIENCE),
            opened => opened,
        }
    }

    fn try_open(
        &self,
        html: &str,
        files: &[(&str, &[u8])],
        window: Option<Window>,
        patience: Duration,
    ) -> Result<Opened, FoundryError> {
        let folder = self.folder()?;
        let write = |name: &str, bytes: &[u8]| {
            fs::write(folder.path().join(name), bytes).map_err(|source| FoundryError::Io {
                action: "write",
                path: name.to_owned(),
                source,
            })
        };
        write("page.html", html.as_bytes())?;
        for (name, bytes) in FONTS.iter().chain(files) {
            write(name, bytes)?;
        }
        let picture = folder.path().join("page.png");
        let mut job = self.job(folder.path()).deadline(patience).args([
            "--dump-dom".to_owned(),
            format!("--virtual-time-budget={PAGE_CLOCK_MS}"),
            "--window-size=".to_owned()
                + &window
                    .map_or("1280,900".to_owned(), |window| format!("{},{}", window.width, window.height)),
        ]);
        if window.is_some() {
            job = job.args([[OsStr::new("--screenshot="), picture.as_os_str()].concat_os()]);
        }
        let page = [OsStr::new("file://"), folder.path().join("page.html").as_os_str()].concat_os();
        let ran = self.foundry.exec(self.call, &job.args([page]))?;
        if ran.stderr.contains("No usable sandbox") {
            return Err(FoundryError::Missing {
                message: "the browser has no sandbox on this machine".into(),
                hint: "allow unprivileged user namespaces, or set --browser to a script that starts it with --no-sandbox".into(),
            });
        }
        let ran = ran.success()?;
        if ran.truncated {
            return Err(ran.failed(format!("printed more than {MAX_DOM_BYTES} bytes")));
        }
        let picture = match window {
            None => None,
            Some(_) => Some(read_picture(&picture).map_err(|reason| ran.failed(reason))?),
        };
        Ok(Opened { dom: ran.text(), picture })
    }

    fn folder(&self) -> Result<tempfile::TempDir, FoundryError> {
        let env = &self.foundry.programs()?.env;
        let parent = env.get(OsStr::new("TMPDIR")).map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let made = tempfile::Builder::new().prefix("mainstay-browser-").tempdir_in(parent);
        made.map_err(|source| FoundryError::Io {
            action: "make",
            path: "a folder for the browser".into(),
            source,
        })
    }

    fn job(&self, folder: &Path) -> Job {
        let profile = [OsStr::new("--user-data-dir="), folder.join("profile").as_os_str()].concat_os();
        let mut job = Job::new(&self.program, folder)
            .args([
                "--headless",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-breakpad",
                "--no-first-run",
                "--no-default-browser-check",
                "--no-pings",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--hide-scrollbars",
                "--lang=en-US",
                "--force-device-scale-factor=1",
                "--force-color-profile=srgb",
                "--font-render-hinting=none",
                "--disable-lcd-text",
                "--disable-partial-raster",
                "--disable-checker-imaging",
                "--disable-image-animation-resync",
                "--run-all-compositor-stages-before-draw",
            ])
            .args([profile])
            .env("HOME", folder)
            // A browser that is killed leaves the folder of its socket in here.
            .env("TMPDIR", folder)
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .env("TZ", "UTC")
            .output_bytes(MAX_DOM_BYTES)
            .deadline(PATIENCE);
        if is_root() {
            // Chromium does not run as root with its sandbox. The pages are ours and reach no network.
            job = job.args(["--no-sandbox"]);
        }
        job
    }
}

fn read_picture(path: &Path) -> Result<Vec<u8>, String> {
    let size = fs::metadata(path).map_err(|_| "made no picture".to_owned())?.len();
    if size > MAX_PICTURE_BYTES {
        return Err(format!("made a picture of {size} bytes, the limit is {MAX_PICTURE_BYTES}"));
    }
    fs::read(path).map_err(|error| format!("made a picture that cannot be read: {error}"))
}

fn program(programs: &Programs) -> Result<PathBuf, FoundryError> {
    if let Some(chosen) = &programs.browser {
        return match chosen.is_file() {
            true => Ok(chosen.clone()),
            false => Err(FoundryError::Missing {
                message: format!("the browser {} does not exist", chosen.display()),
                hint: "correct --browser, or leave it out to use one on the PATH".into(),
            }),
        };
    }
    let path = programs.env.get(OsStr::new("PATH")).map(|path| path.as_os_str()).unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let found = NAMES
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file()));
    found.ok_or_else(|| FoundryError::Missing {
        message: "no browser is installed".into(),
        hint: "install Chromium (on Debian: apt install chromium), or name one with --browser".into(),
    })
}

fn is_root() -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// Joining two parts of an argument that need not be UTF-8.
trait ConcatOs {
    fn concat_os(&self) -> std::ffi::OsString;
}

impl ConcatOs for [&OsStr; 2] {
    fn concat_os(&self) -> std::ffi::OsString {
        let mut joined = self[0].to_owned();
        joined.push(self[1]);
        joined
    }
}
