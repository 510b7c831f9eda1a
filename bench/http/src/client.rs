//! The little of HTTP a client needs that stays connected.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub enum Outcome {
    Answered,
    /// The code of the envelope, or what happened to the connection.
    Refused(String),
}

/// One search on a connection that is opened when there is none.
pub fn search(stream: &mut Option<BufReader<TcpStream>>, address: &str, query: &str) -> Outcome {
    let body = format!("{{\"query\":\"{query}\"}}");
    let result = connected(stream, address).and_then(|stream| exchange(stream, address, "/search", &body));
    match result {
        Ok((200, _)) => Outcome::Answered,
        Ok((status, body)) => {
            let code = body.split("\"code\":\"").nth(1).and_then(|rest| rest.split('"').next());
            Outcome::Refused(code.map_or_else(|| format!("status {status}"), str::to_owned))
        }
        Err(error) => {
            *stream = None;
            Outcome::Refused(format!("connection: {:?}", error.kind()))
        }
    }
}

/// One request on a connection of its own.
pub fn post(address: &str, path: &str, body: &str) -> io::Result<(u16, String)> {
    exchange(connected(&mut None, address)?, address, path, body)
}

fn connected<'s>(
    stream: &'s mut Option<BufReader<TcpStream>>,
    address: &str,
) -> io::Result<&'s mut BufReader<TcpStream>> {
    if stream.is_none() {
        let opened = TcpStream::connect(address)?;
        opened.set_nodelay(true)?;
        opened.set_read_timeout(Some(Duration::from_secs(600)))?;
        *stream = Some(BufReader::new(opened));
    }
    Ok(stream.as_mut().expect("it was opened above"))
}

fn exchange(
    stream: &mut BufReader<TcpStream>,
    address: &str,
    path: &str,
    body: &str,
) -> io::Result<(u16, String)> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.get_mut().write_all(format!("{head}{body}").as_bytes())?;
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let status = line.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().unwrap_or(0);
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
}
