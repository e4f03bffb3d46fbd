//! Where something is called, and whether it may be: the name is on the list, and what it resolves to is not
//! private.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use http::Uri;

/// Where something is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallAddress {
    host: String,
    secure: bool,
    port: u16,
    pub(crate) path: String,
    explicit_port: bool,
}

impl CallAddress {
    pub(crate) fn read(url: &str) -> Result<CallAddress, String> {
        let wrong = |why: &str| format!("{url:?} cannot be called: {why}");
        let uri: Uri = url.parse().map_err(|_| wrong("it is no address"))?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(_) | None => return Err(wrong("expected https://host/path or http://host/path")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it names no host"))?;
        if authority.as_str().contains('@') {
            // It is not shown.
            return Err("the address cannot be called: it holds a user name or password".to_owned());
        }
        let host = authority.host().trim_matches(['[', ']']).to_lowercase();
        if host.is_empty() {
            return Err(wrong("it names no host"));
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let explicit_port = authority.port().is_some();
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        Ok(CallAddress { host, secure, port, path, explicit_port })
    }

    pub(crate) fn is_secure(&self) -> bool {
        self.secure
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether its name can only mean this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// `host:port`.
    pub(crate) fn named(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    /// What stands in the Host header.
    pub(crate) fn header(&self) -> String {
        match (self.explicit_port, self.host.contains(':')) {
            (true, _) => self.named(),
            (false, true) => format!("[{}]", self.host),
            (false, false) => self.host.clone(),
        }
    }

    /// Whether the list names this host, with this port or with none.
    pub(crate) fn is_listed(&self, hosts: &[String]) -> bool {
        let named = self.named();
        let plain = named.rsplit_once(':').map_or(named.as_str(), |(host, _)| host);
        hosts.iter().any(|host| host.eq_ignore_ascii_case(&named) || host.eq_ignore_ascii_case(plain))
    }

    /// The address to connect to. It is checked and then used itself, so that a name cannot mean one
    /// address when it is checked and another when it is called.
    pub(crate) async fn resolve(&self, private: bool) -> Result<SocketAddr, String> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let found: Vec<_> = found.map_err(|error| format!("{}: {error}", self.host))?.collect();
        let usable = found.iter().find(|address| private || !is_private(address.ip()));
        usable.copied().ok_or_else(|| match found.is_empty() {
            true => format!("{} has no address", self.host),
            false => format!("{} is a private address; nudge.private_addresses is false", self.host),
        })
    }
}

/// Whether an address is not one of the public internet.
pub(crate) fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let special = a == 0 || a >= 240 || (a, b, c) == (192, 0, 0) || a == 198 && (b == 18 || b == 19);
            ip.is_loopback()
                || ip.is_private()
                || ip.is_link_local()
                || ip.is_multicast()
                || ip.is_documentation()
                || shared
                || special
        }
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.segments();
            let embedded = match (ip.to_ipv4_mapped(), ip.segments()) {
                (Some(ip), _) => Some(ip),
                // NAT64 and 6to4 lead to an address of the other kind.
                (None, [0x64, 0xff9b, 0, 0, 0, 0, high, low])
                | (None, [0x2002, high, low, _, _, _, _, _]) => {
                    Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
                }
                (None, _) => None,
            };
            ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_multicast()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
                || (first, second) == (0x2001, 0xdb8)
                || embedded.is_some_and(|ip| is_private(IpAddr::V4(ip)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_6_private_addresses_are_known_in_every_disguise() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
        ] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101"] {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn sec_6_only_listed_hosts_are_called() {
        let listed = |url: &str, hosts: &[&str]| {
            let hosts: Vec<_> = hosts.iter().map(|host| (*host).to_owned()).collect();
            CallAddress::read(url).unwrap().is_listed(&hosts)
        };
        assert!(listed("http://Hooks.example/x", &["hooks.example"]));
        assert!(listed("http://hooks.example:8080/x", &["hooks.example:8080"]));
        assert!(!listed("http://hooks.example:8080/x", &["hooks.example:80"]));
        assert!(!listed("http://hooks.example.evil/x", &["hooks.example"]));
        assert!(!listed("http://evil/hooks.example", &["hooks.example"]));
        assert!(listed("http://[::1]:9/", &["[::1]"]));
        assert!(listed("https://hooks.example/x", &["hooks.example:443"]));
        assert!(!listed("https://hooks.example/x", &["hooks.example:80"]));
        for url in ["ftp://a/", "a", "http://", "http://user:pw@a/", "/x"] {
            assert!(CallAddress::read(url).is_err(), "{url}");
        }
    }
}
