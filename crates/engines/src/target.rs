//! What is the same in every request of the control plane.

use std::fmt;

use http::header::HOST;
use http::{HeaderName, HeaderValue};

use crate::address::{Address, Scheme};

/// How a request names what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// HTTP/1.1 with the path alone.
    #[default]
    Origin,
    /// HTTP/1.1 with the whole address, as a forwarding proxy wants it.
    Absolute,
    /// HTTP/2.
    Http2,
}

/// What is the same in every request to one server.
#[derive(Clone)]
pub struct Target {
    /// Plain or TLS.
    pub scheme: Scheme,
    /// `host:port` as the `Host` header and messages carry it.
    pub authority: String,
    /// Path in front of every route, without a final slash; empty for none.
    pub path_prefix: String,
    /// Authorization and headers of the user's own. Values are never printed.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// How requests are written.
    pub form: Form,
}

impl Target {
    /// The target that an address names.
    pub fn new(address: &Address, headers: Vec<(HeaderName, HeaderValue)>) -> Self {
        Self {
            scheme: address.scheme,
            authority: address.authority(),
            path_prefix: address.path_prefix.clone(),
            headers,
            form: Form::default(),
        }
    }

    /// The same with requests written in another way.
    #[must_use]
    pub fn written(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The request target of a route.
    pub(crate) fn uri(&self, path: &str) -> String {
        let path = format!("{}{path}", self.path_prefix);
        match self.form {
            Form::Origin => path,
            Form::Absolute => format!("{}://{}{path}", self.scheme.word(), self.authority),
            // HTTP/2 has no `Host`: one of the user's own takes the authority's place.
            Form::Http2 => {
                let host = self.headers.iter().find(|(name, _)| *name == HOST);
                let host = host.and_then(|(_, value)| value.to_str().ok());
                let authority = host.unwrap_or(&self.authority);
                format!("{}://{authority}{path}", self.scheme.word())
            }
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Target")
            .field("scheme", &self.scheme)
            .field("authority", &self.authority)
            .field("path_prefix", &self.path_prefix)
            .field("form", &self.form)
            .field("headers", &names)
            .finish()
    }
}
