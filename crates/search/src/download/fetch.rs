//! One file from one address: resumed where it broke off, bounded, and hashed when it is whole.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_contract::{Call, Progress};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ureq::http::{Response, StatusCode, header};

use super::url::Address;
use super::{DownloadError, Network, client};

use crate::hex::hex;

const MAX_REDIRECTS: usize = 5;
/// Waits before the attempts after the first.
const WAITS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// A part this old is not continued any more.
const FORGOTTEN: Duration = Duration::from_secs(7 * 24 * 3600);
const BUFFER_BYTES: usize = 64 << 10;

/// What a server said a file can be recognised by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Validators {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub etag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_modified: Option<String>,
}

pub struct Wanted<'a> {
    /// What it is called in messages.
    pub name: &'a str,
    pub address: Address,
    pub sha256: Option<&'a str>,
    pub max_bytes: u64,
    /// Ask only for something else than this.
    pub known: Option<&'a Validators>,
}

pub enum Fetched {
    NotModified,
    New(Box<Got>),
}

/// A whole file, not yet in its place.
pub struct Got {
    pub path: PathBuf,
    pub sha256: String,
    pub validators: Validators,
    /// Bytes that an earlier attempt had brought.
    pub resumed_bytes: u64,
    part: Option<Part>,
}

impl Got {
    /// Forgets the copy in the downloads folder; one put there by hand stays.
    pub fn discard(self) {
        if let Some(part) = self.part {
            part.remove();
        }
    }
}

/// Fetches a file into `dir`, unless somebody has put it there by hand.
pub fn fetch(
    call: &Call,
    network: &Network,
    dir: &Path,
    wanted: &Wanted<'_>,
) -> Result<Fetched, DownloadError> {
    std::fs::create_dir_all(dir).map_err(DownloadError::io(dir))?;
    if let Some(path) = by_hand(dir, wanted) {
        let (_, sha256) = hash_file(call, &path)?;
        check_hash(wanted, &sha256)?;
        let validators = Validators::default();
        let got = Got { path, sha256, validators, resumed_bytes: 0, part: None };
        return Ok(Fetched::New(Box::new(got)));
    }
    remove_forgotten(dir);
    let mut part = Part::open(dir, wanted)?;
    loop {
        let resumed_bytes = part.length;
        match attempts(call, network, &mut part, wanted)? {
            Answer::NotModified => {
                part.remove();
                return Ok(Fetched::NotModified);
            }
            Answer::Whole => {
                part.file.sync_all().map_err(DownloadError::io(&part.path))?;
                let (_, sha256) = hash_file(call, &part.path)?;
                let checked = check_hash(wanted, &sha256);
                if checked.is_err() {
                    part.restart(&Validators::default())?;
                    if resumed_bytes > 0 {
                        // The beginning was of another file: one more try from there.
                        continue;
                    }
                }
                if let Err(error) = checked {
                    part.remove();
                    return Err(error);
                }
                let (path, validators) = (part.path.clone(), part.validators.clone());
                let got = Got { path, sha256, validators, resumed_bytes, part: Some(part) };
                return Ok(Fetched::New(Box::new(got)));
            }
        }
    }
}

/// Parts nobody came back for.
fn remove_forgotten(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if path.extension().is_some_and(|ending| ending == "part") && age.is_some_and(|age| age > FORGOTTEN) {
            let _ = std::fs::remove_file(path.with_extension("json"));
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Where a file is looked for before the network is asked.
pub fn put_at(dir: &Path, address: &Address) -> PathBuf {
    let unnamed = || format!("{}.download", &hex(&Sha256::digest(address.to_string().as_bytes()))[..16]);
    dir.join(address.file_name().map_or_else(unnamed, str::to_owned))
}

fn by_hand(dir: &Path, wanted: &Wanted<'_>) -> Option<PathBuf> {
    Some(put_at(dir, &wanted.address)).filter(|path| path.is_file())
}

fn check_hash(wanted: &Wanted<'_>, found: &str) -> Result<(), DownloadError> {
    match wanted.sha256 {
        Some(expected) if expected != found => Err(DownloadError::WrongHash {
            name: wanted.name.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Length and SHA-256 of a file.
pub fn hash_file(call: &Call, path: &Path) -> Result<(u64, String), DownloadError> {
    let mut file = File::open(path).map_err(DownloadError::io(path))?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; BUFFER_BYTES]);
    loop {
        call.cancel().check()?;
        match file.read(&mut buffer).map_err(DownloadError::io(path))? {
            0 => return Ok((bytes, hex(&hash.finalize()))),
            count => {
                hash.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}

/// What has come so far of one address, kept between calls.
struct Part {
    path: PathBuf,
    notes: PathBuf,
    /// Locked: two calls never write one part.
    file: File,
    length: u64,
    validators: Validators,
}

impl Part {
    fn open(dir: &Path, wanted: &Wanted<'_>) -> Result<Part, DownloadError> {
        let name = hex(&Sha256::digest(wanted.address.to_string().as_bytes()));
        let path = dir.join(format!("{}.part", &name[..16]));
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(DownloadError::io(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(DownloadError::Busy { dir: dir.display().to_string() });
            }
            Err(TryLockError::Error(error)) => return Err(DownloadError::io(&path)(error)),
        }
        let length = file.seek(SeekFrom::End(0)).map_err(DownloadError::io(&path))?;
        let notes = path.with_extension("json");
        let validators = std::fs::read(&notes).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Part { path, notes, file, length, validators: validators.unwrap_or_default() })
    }

    /// Begins again with the file these validators belong to.
    fn restart(&mut self, validators: &Validators) -> Result<(), DownloadError> {
        let truncated = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        truncated.map_err(DownloadError::io(&self.path))?;
        self.length = 0;
        self.validators = validators.clone();
        let text = serde_json::to_vec(validators).expect("two strings are JSON");
        std::fs::write(&self.notes, text).map_err(DownloadError::io(&self.notes))
    }

    /// What a rest must belong to; a weak etag does not promise equal bytes.
    fn if_range(&self) -> Option<&str> {
        let strong = self.validators.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        strong.or(self.validators.last_modified.as_deref())
    }

    fn remove(self) {
        let _ = std::fs::remove_file(&self.notes);
        let _ = std::fs::remove_file(&self.path);
    }
}

enum Answer {
    NotModified,
    Whole,
}

fn attempts(
    call: &Call,
    network: &Network,
    part: &mut Part,
    wanted: &Wanted<'_>,
) -> Result<Answer, DownloadError> {
    let mut waits = WAITS.iter();
    loop {
        call.cancel().check()?;
        match attempt(call, network, part, wanted) {
            Err(error) if error.may_pass() => match waits.next() {
                Some(wait) => {
                    call.progress("download", format!("{error}; trying again"));
                    call.cancel().wait_timeout(*wait);
                }
                None => return Err(error),
            },
            other => return other,
        }
    }
}

fn attempt(
    call: &Call,
    network: &Network,
    part: &mut Part,
    wanted: &Wanted<'_>,
) -> Result<Answer, DownloadError> {
    let mut address = wanted.address.clone();
    for _ in 0..=MAX_REDIRECTS {
        let agent = client::agent(network, &address)?;
        let stopped = agent.clone();
        let _stop = call.cancel().on_cancel(move || stopped.shutdown());
        call.progress("connect", format!("asking {}", address.host()));
        let mut request = agent.get(address.uri().clone());
        if let (1.., Some(validator)) = (part.length, part.if_range()) {
            request = request
                .header(header::RANGE, format!("bytes={}-", part.length))
                .header(header::IF_RANGE, validator);
        } else if let Some(known) = wanted.known {
            if let Some(etag) = &known.etag {
                request = request.header(header::IF_NONE_MATCH, etag);
            }
            if let Some(date) = &known.last_modified {
                request = request.header(header::IF_MODIFIED_SINCE, date);
            }
        }
        let response = request.call().map_err(|error| {
            call.cancel().check().map_or_else(DownloadError::Fault, |()| DownloadError::Unreachable {
                host: address.host().to_owned(),
                reason: error.to_string(),
            })
        })?;
        let status = response.status();
        match status {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => {
                return receive(call, part, wanted, response).map(|()| Answer::Whole);
            }
            StatusCode::NOT_MODIFIED if wanted.known.is_some() => return Ok(Answer::NotModified),
            StatusCode::RANGE_NOT_SATISFIABLE if part.length > 0 => {
                part.restart(&Validators::default())?;
            }
            status if status.is_redirection() => {
                address = follow(network, &address, text(&response, header::LOCATION))?;
            }
            status => {
                return Err(DownloadError::Status { url: address.to_string(), status: status.as_u16() });
            }
        }
    }
    Err(DownloadError::BadUrl { url: wanted.address.to_string(), reason: "it redirects too often" })
}

/// The next address, when the answer may choose it.
fn follow(network: &Network, from: &Address, location: Option<String>) -> Result<Address, DownloadError> {
    let bad = |reason| DownloadError::BadUrl { url: from.to_string(), reason };
    let to = from.join(&location.ok_or_else(|| bad("it redirects to nowhere"))?)?;
    if from.is_secure() && !to.is_secure() {
        return Err(bad("it redirects from https to http"));
    }
    if to.place() != from.place() && !to.is_among(&network.hosts) {
        let (from, to) = (from.host().to_owned(), to.place());
        return Err(DownloadError::RedirectRefused { from, to });
    }
    Ok(to)
}

fn text<B>(response: &Response<B>, name: header::HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Start and total of `bytes 100-199/200`.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    Some((range.split_once('-')?.0.trim().parse().ok()?, total.trim().parse().ok()))
}

fn receive(
    call: &Call,
    part: &mut Part,
    wanted: &Wanted<'_>,
    response: Response<ureq::Body>,
) -> Result<(), DownloadError> {
    let validators = Validators {
        etag: text(&response, header::ETAG),
        last_modified: text(&response, header::LAST_MODIFIED),
    };
    let body_bytes: Option<u64> = text(&response, header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
    let range = text(&response, header::CONTENT_RANGE).and_then(|text| content_range(&text));
    let expected = match (response.status(), range) {
        (StatusCode::PARTIAL_CONTENT, Some((start, total))) if start == part.length => total,
        (StatusCode::PARTIAL_CONTENT, _) => {
            // A rest that does not fit what we have: begin again.
            part.restart(&Validators::default())?;
            return Err(DownloadError::Truncated { name: wanted.name.to_owned(), got: 0, expected: None });
        }
        _ => {
            part.restart(&validators)?;
            body_bytes
        }
    };
    let too_large = || DownloadError::TooLarge {
        what: format!("the download of {}", wanted.name),
        limit: wanted.max_bytes,
    };
    if expected.is_some_and(|expected| expected > wanted.max_bytes) {
        return Err(too_large());
    }
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        call.cancel().check()?;
        let count = match reader.read(&mut buffer) {
            Ok(count) => count,
            Err(_) => {
                call.cancel().check()?;
                return Err(DownloadError::Truncated {
                    name: wanted.name.to_owned(),
                    got: part.length,
                    expected,
                });
            }
        };
        if count == 0 {
            break;
        }
        part.file.write_all(&buffer[..count]).map_err(DownloadError::io(&part.path))?;
        part.length += count as u64;
        if part.length > wanted.max_bytes {
            return Err(too_large());
        }
        call.report(step(wanted.name, part.length, expected));
    }
    match expected {
        Some(total) if total != part.length => Err(DownloadError::Truncated {
            name: wanted.name.to_owned(),
            got: part.length,
            expected: Some(total),
        }),
        _ => Ok(()),
    }
}

fn step(name: &str, done: u64, total: Option<u64>) -> Progress {
    let mega = |bytes: u64| bytes as f64 / 1e6;
    let message = match total {
        Some(total) => format!("{name}: {:.1} of {:.1} MB", mega(done), mega(total)),
        None => format!("{name}: {:.1} MB", mega(done)),
    };
    Progress { phase: "download".into(), message, done: Some(done), total, ..Progress::default() }
}
