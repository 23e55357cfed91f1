//! The inputs, and a test of each target for each kind of them.

use std::collections::BTreeSet;

use rye_fuzz::corpus::{self, Seed};
use rye_fuzz::{Mutator, Target, hostile};

use crate::support::check_all;

/// How many mutations of its seeds each target gets. A run on demand can afford more.
const MUTATIONS: usize = 1_000;

/// Where the mutations begin. Another number gives others, which are as good.
const FIRST_MUTATION: u64 = 3;

macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn seeds() {
                super::seeds(stringify!($name));
            }

            #[test]
            fn hostile() {
                super::hostile(stringify!($name));
            }

            #[test]
            fn mutations() {
                super::mutations(stringify!($name));
            }
        })*

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),*];
            assert_eq!(tested.to_vec(), Target::ALL.iter().map(|target| target.name).collect::<Vec<_>>());
        }
    };
}

targets! {
    canonical_json dotenv envelope extractor graph graph_template index item_id javascript json key_pem markdown parameters
    process_handle python query signature signature_line signed_document template text_rules toml typescript yaml
}

#[test]
fn every_folder_of_the_corpus_is_of_a_target_and_has_seeds() {
    let folders = std::fs::read_dir(corpus::folder()).unwrap();
    let folders: BTreeSet<_> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, Target::ALL.iter().map(|target| target.name.to_owned()).collect());
    for target in Target::ALL {
        let seeds = corpus::seeds(target.name).unwrap();
        assert!(seeds.len() >= 10, "{}", target.name);
        assert!(seeds.iter().all(|seed| seed.bytes.len() <= 16 * 1024), "{}", target.name);
    }
}

fn seeds(name: &str) {
    check_all(target(name), corpus::seeds(name).unwrap());
}

fn hostile(name: &str) {
    check_all(target(name), hostile::inputs());
}

fn mutations(name: &str) {
    let seeds = corpus::seeds(name).unwrap();
    let mut mutator = Mutator::new(FIRST_MUTATION);
    let mutations = (0..MUTATIONS).map(|number| {
        let bytes = mutator.mutate(&seeds);
        Seed { name: format!("mutation {number}"), bytes }
    });
    check_all(target(name), mutations);
}

fn target(name: &str) -> &'static Target {
    Target::named(name).unwrap()
}
