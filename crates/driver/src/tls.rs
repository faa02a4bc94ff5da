//! TLS by rustls: the system's certificates, a private authority, or none at all.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::target::Protocol;

/// HTTP/2's name in the TLS handshake (RFC 9113 section 3.2).
const HTTP2: &[u8] = b"h2";

/// How a server's certificate is judged.
#[derive(Debug, Clone, Default)]
pub struct TlsSettings {
    /// PEM text of certificates to trust besides the system's.
    pub ca_pem: Option<Vec<u8>>,
    /// Accept any certificate. Recorded in the run.
    pub insecure: bool,
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file of `--ca` holds no certificate.
    #[error("the certificate file holds no PEM certificate that can be used")]
    NoCertificate,
    /// rustls refused the settings.
    #[error("TLS cannot be set up")]
    Rustls(#[from] rustls::Error),
}

/// A client configuration that offers one version of HTTP.
pub(crate) fn client_config(
    settings: &TlsSettings,
    protocol: Protocol,
) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let mut config = if settings.insecure {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AcceptAny { provider }))
            .with_no_client_auth()
    } else {
        builder
            .with_root_certificates(roots(settings)?)
            .with_no_client_auth()
    };
    config.alpn_protocols = vec![match protocol {
        Protocol::Http1 => b"http/1.1".to_vec(),
        Protocol::Http2 => HTTP2.to_vec(),
    }];
    Ok(Arc::new(config))
}

/// Whether both sides agreed on HTTP/2.
pub(crate) fn speaks_http2<T>(stream: &tokio_rustls::client::TlsStream<T>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(HTTP2)
}

fn roots(settings: &TlsSettings) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = &settings.ca_pem {
        let own: Vec<_> = CertificateDer::pem_slice_iter(pem)
            .filter_map(Result::ok)
            .collect();
        let (added, _) = roots.add_parsable_certificates(own);
        if added == 0 {
            return Err(TlsError::NoCertificate);
        }
    }
    Ok(roots)
}

/// Accepts every certificate but still checks that the peer holds its key.
#[derive(Debug)]
struct AcceptAny {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
