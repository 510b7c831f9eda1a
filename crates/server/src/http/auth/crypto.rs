//! The signatures of access tokens, checked with the library that rustls computes with. Nothing is signed here.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error as BadSignature, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes ours the provider of this process; the first call wins and the others change nothing.
pub fn install() {
    let _ = PROVIDER.install_default();
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn rsa(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        Algorithm::RS256 => &signature::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &signature::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &signature::RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &signature::RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &signature::RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

fn curve(algorithm: Algorithm) -> Option<&'static dyn VerificationAlgorithm> {
    Some(match algorithm {
        Algorithm::ES256 => &signature::ECDSA_P256_SHA256_FIXED,
        Algorithm::ES384 => &signature::ECDSA_P384_SHA384_FIXED,
        Algorithm::EdDSA => &signature::ED25519,
        _ => return None,
    })
}

/// Whether tokens signed this way can be checked: with public keys only, since a shared secret could also sign.
pub fn is_supported(algorithm: Algorithm) -> bool {
    rsa(algorithm).is_some() || curve(algorithm).is_some()
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if key.family() != algorithm.family() || !is_supported(*algorithm) {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    Ok(Box::new(Check { algorithm: *algorithm, key: key.kind().clone() }))
}

struct Check {
    algorithm: Algorithm,
    key: DecodingKeyKind,
}

impl Verifier<Vec<u8>> for Check {
    fn verify(&self, message: &[u8], signed: &Vec<u8>) -> std::result::Result<(), BadSignature> {
        let checked = match (&self.key, rsa(self.algorithm), curve(self.algorithm)) {
            (DecodingKeyKind::RsaModulusExponent { n, e }, Some(parameters), _) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signed)
            }
            (DecodingKeyKind::SecretOrDer(point), _, Some(curve)) => {
                UnparsedPublicKey::new(curve, point).verify(message, signed)
            }
            _ => return Err(BadSignature::new()),
        };
        checked.map_err(|_| BadSignature::new())
    }
}

impl JwtVerifier for Check {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
