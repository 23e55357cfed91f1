//! The ends of the pipes to a server that the protocol's library has.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::server_pipes::ServerPipes;

/// What the library reads from a server: all but the answers to direct calls.
#[derive(Debug)]
pub(super) struct LibraryOutput {
    pub(super) pipes: Arc<ServerPipes>,
    pub(super) receiver: Receiver,
}

/// What the library writes to a server.
#[derive(Debug)]
pub(super) struct LibraryInput {
    pub(super) pipes: Arc<ServerPipes>,
    pub(super) sender: Sender,
}

impl AsyncRead for LibraryOutput {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { pipes, receiver } = self.get_mut();
        pipes
            .poll_read(context, buffer, |context, buffer| Pin::new(&mut *receiver).poll_read(context, buffer))
    }
}

impl AsyncWrite for LibraryInput {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self { pipes, sender } = self.get_mut();
        pipes.poll_write(bytes, || Pin::new(sender).poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().sender).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().sender).poll_shutdown(context)
    }
}

impl Drop for LibraryOutput {
    fn drop(&mut self) {
        self.pipes.close_output();
    }
}

impl Drop for LibraryInput {
    fn drop(&mut self) {
        self.pipes.close_input();
    }
}
