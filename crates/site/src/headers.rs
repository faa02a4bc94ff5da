//! Headers of every answer.

use axum::response::Response;
use http::HeaderValue;
use http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

/// Styles, script and pictures of our own only; no frame may hold the site.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// For pictures that other sites may show.
pub(crate) const EMBEDDABLE: [(HeaderName, &str); 1] = [(RESOURCE_POLICY, "cross-origin")];

const SECURITY: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Adds what browsers need to be strict.
pub(crate) async fn secure(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in SECURITY {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(RESOURCE_POLICY)
        .or_insert(HeaderValue::from_static("same-origin"));
    response
}
