//! The scenarios, and random graphs.

use proptest::prelude::*;
use rye_graph::conformance::{Player, random_graph, random_outcome, scenarios};
use rye_graph::{Graph, Snapshot, Walker};
use serde_json::json;

/// The walk as it is after it was written and read.
fn through_json(walker: &Walker) -> Walker {
    let text = serde_json::to_string(walker.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    assert_eq!(&snapshot, walker.snapshot(), "{text}");
    Walker::restore(walker.graph().clone(), snapshot).unwrap()
}

#[test]
fn every_scenario_has_its_trace() {
    let mut wrong = String::new();
    for scenario in scenarios() {
        let graph =
            Graph::parse(&scenario.graph).unwrap_or_else(|error| panic!("{}: {error}", scenario.about));
        for restored in [false, true] {
            let walker = Walker::new(graph.clone(), scenario.inputs.clone());
            let player = Player::new(|step: &_, params: &_| scenario.outcome(step, params));
            let trace = player.play(walker, |walker| if restored { through_json(&walker) } else { walker });
            if trace != scenario.trace {
                wrong.extend(["# ", &scenario.about, "\n", &trace.join("\n"), "\n"]);
            }
        }
    }
    assert_eq!(wrong, "");
}

fn play(seed: u64, restored: bool) -> (Vec<String>, u32) {
    let text = random_graph(seed);
    let graph = Graph::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let walker = Walker::new(graph.clone(), json!({"who": "Ada"}));
    let mut steps = 0;
    let trace = Player::new(|step: &_, _: &_| random_outcome(seed, step)).play(walker, |walker| {
        steps = walker.snapshot().steps();
        assert!(steps <= graph.max_steps());
        if restored { through_json(&walker) } else { walker }
    });
    (trace, steps)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_same_events_give_the_same_commands_and_every_run_ends(seed: u64) {
        let (trace, _) = play(seed, false);
        prop_assert!(trace.last().unwrap().starts_with("finish "), "{:?}\n{}", trace, random_graph(seed));
        prop_assert_eq!(&play(seed, false).0, &trace);
        prop_assert_eq!(&play(seed, true).0, &trace);
    }
}
