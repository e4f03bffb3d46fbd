//! TLS for whoever is called: certificates are checked against the system's roots and a configured one.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Whom to trust. The system's roots are read when they are first needed.
#[derive(Clone, Default)]
pub struct Tls {
    extra: Vec<CertificateDer<'static>>,
    config: Arc<OnceLock<Arc<ClientConfig>>>,
}

impl Tls {
    /// Trusts the authorities in this file too.
    pub fn with_authorities(file: &Path) -> Result<Tls, String> {
        let wrong = |why: String| format!("{}: {why}", file.display());
        let text = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
        let extra: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        match extra {
            Ok(extra) if !extra.is_empty() => Ok(Tls { extra, config: Arc::default() }),
            Ok(_) | Err(_) => Err(wrong("expected certificates in PEM".to_owned())),
        }
    }

    pub(crate) async fn connect(&self, stream: TcpStream, host: &str) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        TlsConnector::from(self.config()?).connect(name, stream).await
    }

    fn config(&self) -> io::Result<Arc<ClientConfig>> {
        if let Some(config) = self.config.get() {
            return Ok(config.clone());
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for authority in &self.extra {
            roots.add(authority.clone()).map_err(io::Error::other)?;
        }
        if roots.is_empty() {
            return Err(io::Error::other("this machine has no root certificates; install ca-certificates"));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(self.config.get_or_init(|| Arc::new(config)).clone())
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("extra", &self.extra.len()).finish_non_exhaustive()
    }
}
