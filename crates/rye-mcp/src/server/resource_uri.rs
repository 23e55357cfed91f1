//! The names of resources: `rye://KIND/ID` for items, `rye://output/RUN/STREAM` for what runs have written.

use std::fmt;
use std::path::{Path, PathBuf};

use lillux::process::Channel;
use rmcp::model::Resource;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_run::journal::RunId;
use url::Url;

/// What a resource is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// An item, of one space or of the nearest that has it.
    Item(ItemRef, Option<Space>),
    /// What a run has written, from some byte on.
    Output { run: RunId, channel: Channel, offset: u64 },
}

/// The name of a resource, read or to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResourceUri {
    pub(super) subject: Subject,
    /// The project that it is seen from; the server's own, if there is none.
    pub(super) project: Option<PathBuf>,
}

/// The first part of the name of what a run has written.
const OUTPUT: &str = "output";

impl ResourceUri {
    pub(super) fn item(item: &ItemRef, space: Option<Space>, project: Option<&Path>) -> Self {
        Self { subject: Subject::Item(item.clone(), space), project: project.map(Path::to_owned) }
    }

    pub(super) fn output(run: RunId, channel: Channel, offset: u64, project: Option<&Path>) -> Self {
        Self { subject: Subject::Output { run, channel, offset }, project: project.map(Path::to_owned) }
    }

    /// Reads a name. Nothing but what this type writes is understood, in any order of its questions.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "rye")?;
        let path = decode(url.path().strip_prefix('/')?)?;
        let (mut space, mut project, mut offset) = (None, None, 0);
        for (name, value) in url.query_pairs() {
            match &*name {
                "space" => space = Some(value.parse().ok()?),
                "project" => project = Some(PathBuf::from(value.into_owned())),
                "offset" => offset = value.parse().ok()?,
                _ => return None,
            }
        }
        let subject = match url.host_str()? {
            OUTPUT => {
                let (run, channel) = path.split_once('/')?;
                let channel = match channel {
                    "stdout" => Channel::Stdout,
                    "stderr" => Channel::Stderr,
                    _ => return None,
                };
                Subject::Output { run: run.parse().ok()?, channel, offset }
            }
            kind => {
                let kind = ItemKind::ALL.into_iter().find(|known| known.name() == kind)?;
                Subject::Item(ItemRef::new(kind, ItemId::new(path).ok()?), space)
            }
        };
        Some(Self { subject, project })
    }

    /// A link to the resource.
    pub(super) fn link(&self, name: &str, bytes: u64) -> Resource {
        Resource::new(self.to_string(), name).with_size(bytes)
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut questions = url::form_urlencoded::Serializer::new(String::new());
        match &self.subject {
            Subject::Item(item, space) => {
                write!(f, "rye://{}/{}", item.kind.name(), encode(item.id.as_str()))?;
                if let Some(space) = space {
                    questions.append_pair("space", space.name());
                }
            }
            Subject::Output { run, channel, offset } => {
                let stream = match channel {
                    Channel::Stdout => "stdout",
                    Channel::Stderr => "stderr",
                };
                write!(f, "rye://{OUTPUT}/{run}/{stream}")?;
                if *offset > 0 {
                    questions.append_pair("offset", &offset.to_string());
                }
            }
        }
        if let Some(project) = &self.project {
            questions.append_pair("project", &project.to_string_lossy());
        }
        let questions = questions.finish();
        if questions.is_empty() { Ok(()) } else { write!(f, "?{questions}") }
    }
}

/// Writes each part of an id so that no character of it means anything in a URL.
fn encode(id: &str) -> String {
    let part = |part: &str| url::form_urlencoded::byte_serialize(part.as_bytes()).collect::<String>();
    id.split('/').map(|text| part(text).replace('+', "%20")).collect::<Vec<_>>().join("/")
}

fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let digits = str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use lillux::clock::SystemClock;

    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let item = ItemRef::new(ItemKind::Tool, ItemId::new("my/tool").unwrap());
        let run = RunId::generate(&SystemClock);
        for (uri, expect) in [
            (ResourceUri::item(&item, None, None), "rye://tool/my/tool".to_owned()),
            (
                ResourceUri::item(&item, Some(Space::User), Some(Path::new("/a b/ü"))),
                "rye://tool/my/tool?space=user&project=%2Fa+b%2F%C3%BC".to_owned(),
            ),
            (ResourceUri::output(run, Channel::Stderr, 0, None), format!("rye://output/{run}/stderr")),
            (
                ResourceUri::output(run, Channel::Stdout, 7, None),
                format!("rye://output/{run}/stdout?offset=7"),
            ),
        ] {
            assert_eq!(uri.to_string(), expect);
            assert_eq!(ResourceUri::parse(&expect), Some(uri));
        }
    }

    #[test]
    fn nothing_else_is_a_name() {
        for text in [
            "",
            "file:///etc/passwd",
            "rye://tool/",
            "rye://thing/x",
            "rye://output/nothing/stdout",
            "rye://tool/x?space=moon",
            "rye://tool/x?other=1",
        ] {
            assert_eq!(ResourceUri::parse(text), None, "{text}");
        }
    }
}
