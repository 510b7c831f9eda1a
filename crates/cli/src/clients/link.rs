//! Links that make a client offer to add the entry.

use super::{Client, Entry};

/// The link, for clients that know such links.
pub fn install_link(client: Client, name: &str, entry: &Entry) -> Option<String> {
    let mut config = entry.to_json(client);
    match client {
        Client::VsCode => {
            let fields = config.as_object_mut().expect("an entry is an object");
            fields.shift_insert(0, "name".into(), name.into());
            Some(format!("vscode:mcp/install?{}", escaped(&config.to_string())))
        }
        Client::Cursor => {
            let config = escaped(&base64(config.to_string().as_bytes()));
            let name = escaped(name);
            Some(format!("cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={config}"))
        }
        _ => None,
    }
}

/// Percent-encodes everything but unreserved characters.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at > group.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_what_is_left() {
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn links_carry_the_whole_entry() {
        let entry = Entry { command: "mainstay".into(), args: vec!["mcp".into()] };
        assert_eq!(
            install_link(Client::VsCode, "m", &entry).unwrap(),
            "vscode:mcp/install?%7B%22name%22%3A%22m%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22mainstay%22%2C\
             %22args%22%3A%5B%22mcp%22%5D%7D"
        );
        assert_eq!(
            install_link(Client::Cursor, "m", &entry).unwrap(),
            "cursor://anysphere.cursor-deeplink/mcp/install?name=m&config=\
             eyJjb21tYW5kIjoibWFpbnN0YXkiLCJhcmdzIjpbIm1jcCJdfQ%3D%3D"
        );
        assert_eq!(install_link(Client::Zed, "m", &entry), None);
    }
}
