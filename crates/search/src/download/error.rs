//! What can go wrong between an address and an installed file.

use std::io;
use std::path::{Path, PathBuf};

use mainstay_contract::{ErrorCode, Fault};

#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("{url} cannot be downloaded: {reason}")]
    BadUrl { url: String, reason: &'static str },
    #[error("the host {host} is not allowed for downloads")]
    HostRefused { host: String },
    #[error("{from} redirects to another host, {to}")]
    RedirectRefused { from: String, to: String },
    #[error("{host} cannot be reached: {reason}")]
    Unreachable { host: String, reason: String },
    #[error("{url} answered {status}")]
    Status { url: String, status: u16 },
    #[error("the download of {name} broke off after {got} bytes")]
    Truncated { name: String, got: u64, expected: Option<u64> },
    #[error("{name} has the SHA-256 {found}, not {expected}")]
    WrongHash { name: String, expected: String, found: String },
    #[error("{what} is larger than {limit} bytes")]
    TooLarge { what: String, limit: u64 },
    #[error("the archive holds {what}")]
    TooMuch { what: String },
    #[error("the archive entry {entry} is {reason}")]
    Unsafe { entry: String, reason: &'static str },
    #[error("the archive cannot be read: {reason}")]
    BadArchive { reason: String },
    #[error("the download of {name} does not hold {wanted}")]
    Missing { name: String, wanted: String },
    #[error("no source is known for {name}")]
    NoSource { name: String, hint: String },
    #[error("{path}: {reason}")]
    Settings { path: String, reason: String },
    #[error("another download into {dir} is under way")]
    Busy { dir: String },
    #[error("could not write {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A failure to reach something that can also be put in place by hand.
    #[error("{error}")]
    Offline { error: Box<DownloadError>, url: String, sha256: Option<String>, put_at: PathBuf },
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl DownloadError {
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> DownloadError {
        move |source| DownloadError::Io { path: path.to_owned(), source }
    }

    /// Whether another attempt may do better.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            DownloadError::Truncated { .. }
                | DownloadError::Status { status: 429 | 500 | 502 | 503 | 504, .. }
        )
    }

    /// Whether the same file brought some other way would do.
    pub fn is_about_reaching(&self) -> bool {
        matches!(self, DownloadError::Unreachable { .. } | DownloadError::Status { .. })
    }
}

impl From<DownloadError> for Fault {
    fn from(error: DownloadError) -> Fault {
        let with = |code: ErrorCode| Fault::new(code, &error);
        match &error {
            DownloadError::BadUrl { .. } => {
                with(ErrorCode::InvalidRequest).hint("use an https address, or http with a sha256")
            }
            DownloadError::HostRefused { .. } => {
                with(ErrorCode::Forbidden).hint("the operator allows hosts with --download-hosts")
            }
            DownloadError::RedirectRefused { to, .. } => {
                with(ErrorCode::Forbidden).hint(format!("allow it with --download-hosts {to}"))
            }
            DownloadError::Unreachable { .. } => {
                with(ErrorCode::CapabilityMissing).hint("check network, proxy and certificates")
            }
            DownloadError::Status { status, .. } => with(match status {
                404 | 410 => ErrorCode::NotFound,
                401 | 403 | 407 => ErrorCode::Forbidden,
                _ => ErrorCode::CapabilityMissing,
            })
            .detail("status", *status),
            DownloadError::Truncated { got, expected, .. } => with(ErrorCode::DownloadVerifyFailed)
                .hint("call again: the download goes on where it ended")
                .detail("gotBytes", *got)
                .detail("expectedBytes", *expected),
            DownloadError::WrongHash { expected, found, .. } => with(ErrorCode::DownloadVerifyFailed)
                .hint("nothing was installed; check the address and the hash")
                .detail("expectedSha256", expected.as_str())
                .detail("sha256", found.as_str()),
            DownloadError::TooLarge { limit, .. } => {
                with(ErrorCode::ArchiveTooLarge).detail("limitBytes", *limit)
            }
            DownloadError::TooMuch { .. } => with(ErrorCode::ArchiveTooLarge),
            DownloadError::Unsafe { entry, .. } => {
                with(ErrorCode::ArchiveUnsafe).detail("entry", entry.as_str())
            }
            DownloadError::BadArchive { .. } => with(ErrorCode::ArchiveUnsafe),
            DownloadError::Missing { .. } => with(ErrorCode::NotFound),
            DownloadError::NoSource { hint, .. } => with(ErrorCode::NotFound).hint(hint),
            DownloadError::Settings { .. } => with(ErrorCode::InvalidRequest),
            DownloadError::Busy { .. } => with(ErrorCode::QueueOverloaded).hint("retry when it is done"),
            DownloadError::Io { .. } => Fault::internal(&error),
            DownloadError::Offline { .. } | DownloadError::Fault(_) => match error {
                DownloadError::Offline { error, url, sha256, put_at } => {
                    let put_at = put_at.display().to_string();
                    let fault = Fault::from(*error)
                        .hint(format!("or fetch {url} elsewhere, put it at {put_at} and call again"))
                        .detail("url", url)
                        .detail("putAt", put_at);
                    match sha256 {
                        Some(sha256) => fault.detail("sha256", sha256),
                        None => fault,
                    }
                }
                DownloadError::Fault(fault) => fault,
                _ => unreachable!("only the two variants above come here"),
            },
        }
    }
}
