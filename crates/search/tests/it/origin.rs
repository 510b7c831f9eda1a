//! A web server that misbehaves on request, and a proxy in front of it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256};

pub const CERTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/certs");

/// What stands at one path.
#[derive(Clone, Default)]
pub struct Page {
    pub body: Vec<u8>,
    pub etag: Option<&'static str>,
    /// Breaks the connection after so many bytes of the body, this many times.
    pub cut: Option<(usize, usize)>,
    pub redirect: Option<String>,
    pub status: Option<u16>,
    /// Sends the head and the first byte, then nothing more.
    pub hangs: bool,
    /// Says nothing of the length.
    pub chunked: bool,
}

impl Page {
    pub fn of(body: impl Into<Vec<u8>>) -> Page {
        Page { body: body.into(), etag: Some("\"one\""), ..Page::default() }
    }
}

/// A request as it came: path and headers.
#[derive(Debug, Clone)]
pub struct Seen {
    pub line: String,
    pub headers: HashMap<String, String>,
}

#[derive(Clone, Default)]
struct State {
    pages: Arc<Mutex<HashMap<String, Page>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

pub struct Origin {
    pub address: String,
    scheme: &'static str,
    state: State,
}

impl Origin {
    pub fn start() -> Origin {
        Origin::listen("http", answer)
    }

    /// The same behind TLS, with a certificate of the authority in `certs/ca.pem`.
    pub fn start_tls() -> Origin {
        let chain = CertificateDer::pem_file_iter(format!("{CERTS}/localhost.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(format!("{CERTS}/localhost.key")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain.map(Result::unwrap).collect(), key)
            .unwrap();
        let config = Arc::new(config);
        Origin::listen("https", move |stream, state| {
            let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            answer(rustls::StreamOwned::new(session, stream), state);
        })
    }

    fn listen(scheme: &'static str, serve: impl Fn(TcpStream, &State) + Send + Sync + 'static) -> Origin {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("localhost:{}", listener.local_addr().unwrap().port());
        let state = State::default();
        let (shared, serve) = (state.clone(), Arc::new(serve));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, serve) = (shared.clone(), Arc::clone(&serve));
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Origin { address, scheme, state }
    }

    pub fn put(&self, path: &str, page: Page) {
        self.state.pages.lock().unwrap().insert(path.to_owned(), page);
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_head(stream: &mut impl Read) -> Option<Seen> {
    let mut reader = BufReader::with_capacity(1, stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    (!line.is_empty()).then(|| Seen { line: line.trim_end().to_owned(), headers })
}

fn answer(mut stream: impl Read + Write, state: &State) {
    let Some(seen) = read_head(&mut stream) else { return };
    state.seen.lock().unwrap().push(seen.clone());
    let path = seen.line.split(' ').nth(1).unwrap_or_default().to_owned();
    let page = {
        let mut pages = state.pages.lock().unwrap();
        let page = pages.get_mut(&path);
        let copy = page.as_ref().map(|page| (**page).clone());
        if let Some(Page { cut: Some((_, times)), .. }) = page {
            *times = times.saturating_sub(1);
        }
        copy
    };
    let _ = respond(&mut stream, &seen, page);
}

fn respond(stream: &mut impl Write, seen: &Seen, page: Option<Page>) -> std::io::Result<()> {
    let close = "Connection: close\r\n";
    let Some(page) = page else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\n{close}Content-Length: 0\r\n\r\n");
    };
    if let Some(status) = page.status {
        return write!(stream, "HTTP/1.1 {status} No\r\n{close}Content-Length: 0\r\n\r\n");
    }
    if let Some(location) = &page.redirect {
        return write!(
            stream,
            "HTTP/1.1 302 Found\r\n{close}Location: {location}\r\nContent-Length: 0\r\n\r\n"
        );
    }
    let etag = page.etag.map(|etag| format!("ETag: {etag}\r\n")).unwrap_or_default();
    if page.etag.is_some() && seen.headers.get("if-none-match").map(String::as_str) == page.etag {
        return write!(stream, "HTTP/1.1 304 Not Modified\r\n{close}{etag}\r\n");
    }
    let range = seen.headers.get("range").and_then(|text| text.strip_prefix("bytes=")?.strip_suffix('-'));
    let start: usize = range.and_then(|text| text.parse().ok()).unwrap_or(0);
    let is_same = seen.headers.get("if-range").map(String::as_str) == page.etag;
    let (start, total) = (if is_same { start } else { 0 }, page.body.len());
    let body = &page.body[start.min(total)..];
    if page.chunked {
        write!(stream, "HTTP/1.1 200 OK\r\n{close}{etag}Transfer-Encoding: chunked\r\n\r\n")?;
        for chunk in body.chunks(1 << 16) {
            write!(stream, "{:x}\r\n", chunk.len())?;
            stream.write_all(chunk)?;
            write!(stream, "\r\n")?;
        }
        return write!(stream, "0\r\n\r\n");
    }
    match start {
        0 => write!(stream, "HTTP/1.1 200 OK\r\n")?,
        _ => write!(
            stream,
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{}/{total}\r\n",
            total - 1
        )?,
    }
    write!(stream, "{close}{etag}Content-Length: {}\r\n\r\n", body.len())?;
    if page.hangs {
        stream.write_all(&body[..1])?;
        stream.flush()?;
        std::thread::park();
    }
    let sent = match page.cut {
        Some((after, 1..)) => after.min(body.len()),
        _ => body.len(),
    };
    stream.write_all(&body[..sent])?;
    stream.flush()
}

/// A proxy that opens tunnels; returns its address and the places it was asked for.
pub fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let shared = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let Some(seen) = read_head(&mut client) else { continue };
            let place = seen.line.split(' ').nth(1).unwrap_or_default().to_owned();
            shared.lock().unwrap().push(seen.line.clone());
            let Ok(mut server) = TcpStream::connect(&place) else { continue };
            client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
            let (mut up, mut down) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut up, &mut server);
                let _ = server.shutdown(Shutdown::Write);
            });
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut down, &mut client);
                let _ = client.shutdown(Shutdown::Write);
            });
        }
    });
    (address, asked)
}
