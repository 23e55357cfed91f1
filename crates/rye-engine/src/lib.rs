//! The five things that can be done with items, each as one function.
//!
//! The engine is the only place that knows all the other crates. It keeps nothing between calls that could be
//! wrong at the next one: what it remembers, it remembers by content, or for as long as the kernel says that nothing has
//! changed.
//!
//! ```
//! use rye_engine::{Engine, EngineSettings, LoadRequest, SpaceSettings};
//! use rye_item::ItemKind;
//!
//! let spaces = SpaceSettings { start: "/".into(), project: None, home: None, user_space: None, system_space: None };
//! let engine = Engine::new(EngineSettings::new(spaces));
//! let request = LoadRequest { kind: ItemKind::Tool, id: "rye/core/extractors/yaml".into(), from: None, to: None };
//! let report = engine.load(&request)?;
//! assert_eq!(report.item.metadata.tool_type.as_deref(), Some("extractor"));
//! # Ok::<(), rye_engine::EngineError>(())
//! ```

mod absent_file;
mod async_run;
mod cancel_run;
mod catalog;
mod copies;
mod create;
mod engine;
mod error;
mod error_code;
mod execute;
mod extractors;
mod folder_watch;
mod graph;
mod help;
mod interpreters;
mod item;
mod items;
mod known_chains;
mod known_trust;
mod laid_out;
mod late_begin;
mod listing;
mod load;
mod locks;
mod memory;
mod metadata_store;
mod next_step;
mod pending_record;
mod project_trust;
mod run_log;
mod runs;
mod search;
mod secret_key_hint;
mod sign;
mod similar;
mod text_item;
mod trust;
mod trust_hint;
mod verify;
mod witness;

pub use absent_file::{AbsentFile, AbsentReason};
pub use async_run::SUPERVISE;
pub use cancel_run::Cancellation;
pub use catalog::CatalogError;
pub use create::NewItem;
pub use engine::{Engine, EngineSettings, Lifetime, Warm, lending_folder};
pub use error::{EngineError, hint_for_issue, with_sources};
pub use error_code::ErrorCode;
pub use execute::{ExecuteReport, ExecuteRequest, Executed, Explanation};
pub use extractors::ExtractorProblem;
pub use graph::{ANCESTORS_VARIABLE, DriveRequest, GraphCheck, GraphStart, KEY_VARIABLE, VerifiedGraph};
pub use help::{HelpAnswer, HelpTopic, HelpTopics, RefusedTopic, TopicSummary};
pub use interpreters::RuntimeInterpreters;
pub use item::{Claim, Item};
pub use load::{Copy, CopyTarget, LoadReport, LoadRequest, TargetSpace};
pub use locks::{LockCheck, LockError, LockReport};
pub use pending_record::PendingRecord;
pub use project_trust::{ProjectReport, SignerCount};
pub use rye_item::{Overwrite, SpaceSettings};
pub use rye_search::{Filters, SearchRequest, Sort};
pub use search::{Detail, FullDetail, SearchHit, SearchReport, SearchedPlace};
pub use sign::{
    SignEvent, SignPreview, SignRefusal, SignReport, SignRequest, Signed, SignedItem, SignedManifest,
    is_pattern,
};
pub use text_item::TextItemError;
pub use trust_hint::sign as sign_command;
pub use verify::{ItemUse, VerifiedItem, VerifyIssue, VerifyReport, VerifyRequest};
