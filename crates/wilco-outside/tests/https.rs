//! Webhooks over https: the certificate is checked, against a configured authority too.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use wilco_engine::{How, NudgeJob};
use wilco_outside::{Outside, Secret, Tls, Webhooks};
use wilco_protocol::{Name, Time};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A server with a certificate of its own for `localhost`; what it was sent, and the certificate in PEM.
async fn server() -> (SocketAddr, mpsc::Receiver<String>, String) {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (got, calls) = mpsc::channel(10);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate hangs up.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut bytes = vec![0; 8192];
            let mut text = String::new();
            while !text.contains("inbox.unread") {
                match stream.read(&mut bytes).await {
                    Ok(0) | Err(_) => break,
                    Ok(count) => text.push_str(&String::from_utf8_lossy(&bytes[..count])),
                }
            }
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            let _ = stream.shutdown().await;
            let _ = got.send(text).await;
        }
    });
    (address, calls, own.cert.pem())
}

fn outside(tls: Tls) -> Outside {
    let hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let secret = Some(Secret::read(SECRET).unwrap());
    Outside { webhooks: Webhooks { hosts, private: true, secret, tls }, ..Outside::default() }
}

fn job(url: String) -> NudgeJob {
    NudgeJob {
        id: "nudge-1".to_owned(),
        agent: Name::new("bob"),
        session: "bob".to_owned(),
        how: How::Webhook { url },
        line: String::new(),
        priority: Default::default(),
        messages: Vec::new(),
        has_hooks: false,
    }
}

#[tokio::test]
async fn msg_21_webhooks_go_over_https_to_whoever_a_known_authority_vouches_for() {
    let (address, mut calls, certificate) = server().await;
    let url = format!("https://localhost:{}/hook?x=1", address.port());
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("authority.pem");
    std::fs::write(&file, certificate).unwrap();

    let trusting = outside(Tls::with_authorities(&file).unwrap());
    trusting.nudge(&job(url.clone()), Time::ZERO).await.unwrap();
    let got = calls.recv().await.unwrap();
    assert!(got.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{got}");
    assert!(got.contains(&format!("host: localhost:{}\r\n", address.port())), "{got}");
    assert!(got.contains("webhook-signature: v1,") && got.contains("inbox.unread"), "{got}");
}

/// SEC-6: nothing is sent to whoever cannot show that it is the one that was meant.
#[tokio::test]
async fn sec_6_an_unknown_certificate_or_another_name_gets_nothing() {
    let (address, mut calls, certificate) = server().await;
    let url = format!("https://localhost:{}/hook", address.port());
    let error = outside(Tls::default()).nudge(&job(url), Time::ZERO).await.unwrap_err();
    assert!(error.contains("certificate"), "{error}");

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("authority.pem");
    std::fs::write(&file, certificate).unwrap();
    let trusting = outside(Tls::with_authorities(&file).unwrap());
    let other_name = format!("https://127.0.0.1:{}/hook", address.port());
    let error = trusting.nudge(&job(other_name), Time::ZERO).await.unwrap_err();
    assert!(error.contains("not valid for name"), "{error}");
    assert!(calls.try_recv().is_err(), "nothing was sent");
}

#[test]
fn cfg_1_a_file_of_authorities_holds_certificates() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("authority.pem");
    assert!(Tls::with_authorities(&file).unwrap_err().contains("authority.pem"));
    std::fs::write(&file, "no certificate").unwrap();
    assert!(Tls::with_authorities(&file).unwrap_err().contains("expected certificates in PEM"));
}
