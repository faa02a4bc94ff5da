//! What a flight asks its server.

/// The requests of a flight's streams.
pub trait Requests: Send + Sync {
    /// The JSON body of a stream's n-th request, from 0; `None` ends the stream.
    fn body(&self, stream: u32, attempt: u32) -> Option<bytes::Bytes>;

    /// `max_tokens` of that request.
    fn max_tokens(&self, stream: u32, attempt: u32) -> u64;

    /// The slot or rank that keeps the cache of a stream's document.
    fn home(&self, stream: u32) -> Option<u32>;
}
