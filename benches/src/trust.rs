//! Verifying and signing, against reading, hashing and writing the same bytes.

mod anchor_folder;
mod signed_chain;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lillux::Digest;
use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rye_engine::{Engine, EngineSettings, SignRequest, SpaceSettings};
use rye_item::Space;
use rye_metadata::SignatureComment;
use rye_trust::{ExistingKey, KeyFolder, Keyring, NewSigningKey, VerifyMemo};

pub(crate) use self::anchor_folder::AnchorFolder;
pub(crate) use self::signed_chain::SignedChain;
use crate::comparison::{Comparison, Goal};
use crate::report::Findings;
use crate::tree::stat_walk;
use crate::workshop::settle;
use crate::{Effort, Result};

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let (samples, items, files, slow_samples) = match effort {
        Effort::Quick => (10, 50, 50, 2),
        Effort::Full => (1000, 10_000, 5_000, 10),
    };
    let bench = Operator::new()?;
    let mut comparisons = bench.chain(samples)?;
    comparisons.push(bench.signing(items, slow_samples)?);
    comparisons.extend(bench.anchor(files, slow_samples, samples.min(200))?);
    Ok(comparisons.into())
}

/// An operator with a key, and a project that they trust.
pub(crate) struct Operator {
    folder: tempfile::TempDir,
    key: SigningKey,
    keyring: Keyring,
}

fn comment() -> SignatureComment {
    SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true }
}

impl Operator {
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("project/.ai/tools"))?;
        let keys = KeyFolder::at(&folder.path().join("home/.ai"));
        let existing = ExistingKey::Refuse;
        keys.generate(&NewSigningKey { owner: "bench", passphrase: None, existing, now: SystemClock.now() })?;
        let (key, keyring) = (keys.signing_key(None)?, keys.keyring()?);
        Ok(Self { folder, key, keyring })
    }

    fn tools(&self) -> PathBuf {
        self.folder.path().join("project/.ai/tools")
    }

    fn spaces(&self) -> SpaceSettings {
        SpaceSettings {
            start: self.folder.path().join("project"),
            project: None,
            home: Some(self.folder.path().join("home")),
            user_space: None,
            system_space: None,
        }
    }

    /// Verifying a chain whose files are in the page cache.
    fn chain(&self, samples: usize) -> Result<Vec<Comparison>> {
        let chain = SignedChain::make(self)?;
        settle();
        let (paths, warm) = (chain.paths(), VerifyMemo::default());
        let (public, statement) = (self.key.public_key(), [b's'; 200]);
        let signature = self.key.sign(&statement);
        let compare = |what: &str, goal, verify: &dyn Fn() -> Result<()>| {
            let floor = &mut || paths.iter().try_for_each(|path| read_and_hash(path));
            Comparison::measure(what, samples, goal, &mut || verify(), floor)
        };
        Ok(vec![
            compare("verify a chain of 22 KB / read and hash it", Goal::Times(3.0), &|| {
                chain.verify(&VerifyMemo::default())
            })?,
            compare("as many signatures, and nothing else / the same", Goal::Open, &|| {
                Ok(paths.iter().try_for_each(|_| public.verify(&statement, &signature))?)
            })?,
            compare("verify a known chain of 22 KB / the same", Goal::Times(1.2), &|| chain.verify(&warm))?,
        ])
    }

    /// Signing many items, each time with another key, since what is signed already stays as it is.
    fn signing(&self, count: usize, samples: usize) -> Result<Comparison> {
        let engine = Engine::new(EngineSettings::new(self.spaces()));
        engine.trust_project()?;
        let text = |number: usize| {
            format!(
                "# version: 1.0.0\n# tool_type: shell\n# executor_id: rye/core/runtimes/bash/bash\n\
                 # description: Tool {number}\n{}",
                "echo hello\n".repeat(100)
            )
        };
        let signed = self.tools().join("many");
        let written = self.folder.path().join("written");
        let write = |folder: &Path| -> Result<()> {
            for number in 0..count {
                let below = folder.join(format!("{}", number % 100));
                if number < 100 {
                    fs::create_dir_all(&below)?;
                }
                fs::write(below.join(format!("t{number}.sh")), text(number))?;
            }
            Ok(())
        };
        write(&signed)?;
        let mut seed = 0;
        let request = SignRequest { pattern: "many/**".to_owned(), kind: None, space: Some(Space::Project) };
        Comparison::measure(
            format!("sign {count} items / write {count} files"),
            samples,
            Goal::Times(3.0),
            &mut || {
                seed += 1;
                let report = engine.sign(&request, &SigningKey::from_seed(&[seed; 32]), &|_| {})?;
                let is_done =
                    report.items.len() == count && report.items.iter().all(|item| item.result.is_ok());
                if is_done { Ok(()) } else { Err("not everything was signed".into()) }
            },
            &mut || write(&written),
        )
    }

    /// Checking an anchor in which nothing has changed, and copying one that nobody has seen yet.
    fn anchor(&self, count: usize, slow_samples: usize, samples: usize) -> Result<Vec<Comparison>> {
        let anchor = AnchorFolder::make(self, count)?;
        let (mut ours, mut theirs) = (Vec::new(), 0);
        let built = Comparison::measure(
            format!("snapshot of {count} files / hash and copy"),
            slow_samples,
            Goal::Times(1.5),
            &mut || {
                ours.push(anchor.store(&format!("cache{}", ours.len()))?);
                ours.last().map_or(Ok(()), |store| anchor.take(store))
            },
            &mut || {
                theirs += 1;
                hash_and_copy(anchor.folder(), &self.folder.path().join(format!("copy{theirs}")))
            },
        )?;
        settle();
        let store = anchor.store("cache")?;
        anchor.take(&store)?;
        let checked = Comparison::measure(
            format!("check {count} files / stat walk"),
            samples,
            Goal::Times(1.2),
            &mut || anchor.take(&store),
            &mut || stat_walk(anchor.folder()).map(drop),
        )?;
        // An ordinary user cannot remove what nobody may write to, so that is left to those who have made it.
        for store in ours.iter().chain([&store]) {
            store.collect(Duration::ZERO)?;
        }
        Ok(vec![checked, built])
    }
}

fn read_and_hash(path: &Path) -> Result<()> {
    std::hint::black_box(Digest::of(&fs::read(path)?));
    Ok(())
}

fn hash_and_copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            hash_and_copy(&entry.path(), &target)?;
        } else {
            let bytes = fs::read(entry.path())?;
            std::hint::black_box(Digest::of(&bytes));
            fs::write(target, bytes)?;
        }
    }
    Ok(())
}
