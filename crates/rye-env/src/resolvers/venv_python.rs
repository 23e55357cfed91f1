//! `venv_python`: the Python of a virtual environment.

use super::Resolver;
use super::search_words::SearchWord;
use crate::error::OptionError;
use crate::options::Options;
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["search"];

struct VenvPython {
    search: Vec<SearchWord>,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let search = SearchWord::read(options)?.unwrap_or(SearchWord::DEFAULT.to_vec());
    Ok(Box::new(VenvPython { search }))
}

impl Resolver for VenvPython {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        self.search.iter().find_map(|word| {
            if *word == SearchWord::System {
                return ["python3", "python"].iter().find_map(|name| search.probe_path(name));
            }
            let folders = word.folders(search);
            folders.iter().find_map(|folder| search.probe_installation(&folder.join(".venv"), &["python"]))
        })
    }
}
