//! `system_binary` and `binary`: a program in `PATH`, or first where projects and users keep programs.

use std::path::Path;

use super::Resolver;
use super::search_words::SearchWord;
use crate::error::{OptionError, OptionErrorKind};
use crate::options::{Options, is_plain_name};
use crate::report::{Finding, Place};
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["binary", "search"];

struct Binary<'a> {
    name: &'a str,
    search: Vec<SearchWord>,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let name = options.text("binary")?;
    if let Some(name) = name.filter(|name| !is_plain_name(name) && !Path::new(name).is_absolute()) {
        return Err(options.error("binary", OptionErrorKind::NotAName { value: name.to_owned() }));
    }
    Ok(Box::new(Binary {
        name: options.required("binary", name.or(options.fallback()))?,
        search: SearchWord::read(options)?.unwrap_or_else(|| vec![SearchWord::System]),
    }))
}

impl Resolver for Binary<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        if Path::new(self.name).is_absolute() {
            return search.probe_path(self.name);
        }
        let names = [self.name];
        self.search.iter().find_map(|word| match word {
            SearchWord::System => search.probe_path(self.name),
            SearchWord::Project | SearchWord::Kiwi => word.folders(search).iter().find_map(|folder| {
                let in_bin = search.probe_names(&folder.join("bin"), &names);
                let in_venv = in_bin.or_else(|| search.probe_installation(&folder.join(".venv"), &names));
                in_venv.or_else(|| search.probe_names(&folder.join("node_modules/.bin"), &names))
            }),
            SearchWord::User => {
                let places = search.places();
                let own = places.user_space.map(|space| space.join("bin"));
                let local = places.home.map(|home| home.join(".local/bin"));
                let folders: Vec<_> = own.into_iter().chain(local).collect();
                if folders.is_empty() {
                    search.record(Place::User, Finding::NoSuchPlace);
                }
                folders.iter().find_map(|folder| search.probe_names(folder, &names))
            }
        })
    }
}
