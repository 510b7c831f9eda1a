//! Access tokens, signed with keys made for the test.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

pub enum Key {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair),
}

pub fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}

impl Key {
    pub fn ed() -> Key {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Key::Ed(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
    }

    pub fn ec() -> Key {
        let (how, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(how, &random).unwrap();
        Key::Ec(EcdsaKeyPair::from_pkcs8(how, document.as_ref(), &random).unwrap())
    }

    pub fn algorithm(&self) -> &'static str {
        match self {
            Key::Ed(_) => "EdDSA",
            Key::Ec(_) => "ES256",
        }
    }

    /// The public part, as an issuer publishes it.
    pub fn public(&self, id: &str) -> Value {
        match self {
            Key::Ed(pair) => {
                let x = base64url(pair.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": id, "x": x })
            }
            Key::Ec(pair) => {
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = (base64url(&point[..32]), base64url(&point[32..]));
                json!({ "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": id, "x": x, "y": y })
            }
        }
    }

    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| base64url(value.to_string().as_bytes());
        let message = format!("{}.{}", part(header), part(claims));
        let signed = match self {
            Key::Ed(pair) => pair.sign(message.as_bytes()).as_ref().to_vec(),
            Key::Ec(pair) => pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap().as_ref().to_vec(),
        };
        format!("{message}.{}", base64url(&signed))
    }
}
