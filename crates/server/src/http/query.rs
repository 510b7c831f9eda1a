//! Percent-encoding in paths and queries.

use mainstay_contract::{Fault, FaultResult};

/// Decodes `%XX`; in a query `+` is a space. Broken escapes and bytes that are not UTF-8 are refused.
pub fn decode(text: &str, plus_is_space: bool) -> FaultResult<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                match (digit(rest.next()), digit(rest.next())) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    _ => return Err(Fault::invalid("the address holds a broken percent escape")),
                }
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    let text =
        String::from_utf8(bytes).map_err(|_| Fault::invalid("the address holds bytes that are not UTF-8"))?;
    match text.contains('\0') {
        true => Err(Fault::invalid("the address holds a NUL character")),
        false => Ok(text),
    }
}

/// The one value of the one parameter an endpoint knows.
pub fn only(query: Option<&str>, name: &str) -> FaultResult<Option<String>> {
    let mut found = None;
    for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (decode(key, true)?, decode(value, true)?);
        if key != name {
            let shown: String = key.chars().take(80).collect();
            return Err(Fault::invalid(format!("unknown parameter: {shown}"))
                .detail("parameter", shown)
                .hint(format!("the only parameter is {name}")));
        }
        if value.is_empty() {
            return Err(Fault::invalid(format!("the parameter {name} is empty")));
        }
        if found.replace(value).is_some() {
            return Err(Fault::invalid(format!("the parameter {name} is given twice")));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_anything_odd_is_refused() {
        assert_eq!(only(Some("repo=%2Fa+b%C3%A9"), "repo").unwrap().unwrap(), "/a bé");
        assert_eq!(only(None, "repo").unwrap(), None);
        for query in
            ["repo=%ff%fe%", "repo=%4", "repo=%zz", "zz=1", "repo=a&repo=b", "repo=%00", "repo=", "repo"]
        {
            assert!(only(Some(query), "repo").is_err(), "{query}");
        }
        assert_eq!(decode("a+b%2Fc", false).unwrap(), "a+b/c");
    }
}
