//! Random graphs, from a number.

use std::fmt::Write as _;

use serde_json::json;

use super::Outcome;
use crate::StepId;

/// The text of a valid graph. The same seed gives the same one. Every node has a way out, and nodes may be visited again.
#[must_use]
pub fn random_graph(seed: u64) -> String {
    let mut random = Random(seed);
    let count = 1 + random.below(12);
    let mut text = String::from(
        "tool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\npermissions: {execute: [demo/*]}\nconfig:\n  start: n0\n",
    );
    let policy = random.one_of(&["fail", "continue"]);
    let _ = writeln!(text, "  max_steps: {}\n  on_error: {policy}", 1 + random.below(40));
    if random.below(3) == 0 {
        let hook = random.one_of(&["graph_started", "after_step", "error", "limit", "graph_completed"]);
        let _ = writeln!(text, "  hooks: {{{hook}: [{{item_id: demo/note}}, {{item_id: demo/note2}}]}}");
    }
    text.push_str("  nodes:\n");
    for index in 0..count {
        node(&mut text, &mut random, index, count);
    }
    let _ = writeln!(
        text,
        "    n{count}: {{type: return, output: {{x: '${{state.x || null}}', r: '${{result || 0}}'}}}}"
    );
    text
}

/// How a step of a random graph ends: always in the same way for the same seed and step.
#[must_use]
pub fn random_outcome(seed: u64, step: &StepId) -> Outcome {
    let mut random = Random(
        step.to_string()
            .bytes()
            .fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
    );
    match random.below(12) {
        0 | 1 => Outcome::Fails("not this time".to_owned()),
        2 => Outcome::FailsForGood("never".to_owned()),
        3 => Outcome::InterruptedThen(crate::Answer::Retry),
        4 => Outcome::Gives(json!({"n": random.below(5), "list": [1, "two", null]})),
        _ => Outcome::Gives(json!({"n": random.below(5), "list": []})),
    }
}

fn node(text: &mut String, random: &mut Random, index: u64, count: u64) {
    let _ = writeln!(text, "    n{index}:");
    let kind = random.below(6);
    match kind {
        0 => text.push_str("      type: gate\n"),
        1 => text.push_str(
            "      type: gate\n      wait: manual\n      message: 'go on, ${inputs.who || \"you\"}?'\n",
        ),
        2 => {
            let over =
                random.one_of(&["[1, 2, 3]", "'${state.list || [4, 5]}'", "[]", "'${inputs.missing}'"]);
            let parallel = 1 + random.below(4);
            let _ = writeln!(text, "      type: foreach\n      over: {over}\n      parallel: {parallel}");
            text.push_str("      collect: {into: list, value: '${result.n || error.message}'}\n");
            text.push_str("      action: {item_id: demo/each, params: {it: '${item}', at: '${index}'}}\n");
        }
        _ => {
            let params = random.one_of(&[
                "{}",
                "{x: '${state.x || 1}'}",
                "{x: 'a ${inputs.who || 2} b'}",
                "{x: '${state.x}'}",
            ]);
            let _ = writeln!(text, "      action: {{item_id: demo/step, params: {params}}}");
        }
    }
    let is_call = kind > 1;
    if is_call && random.below(2) == 0 {
        let _ = writeln!(
            text,
            "      retry: {{max: {}, backoff: {}ms, jitter: 0.3}}",
            random.below(4),
            random.below(3) * 500
        );
    }
    if is_call {
        let _ = writeln!(text, "      on_interrupt: {}", random.one_of(&["retry", "fail", "ask"]));
    }
    if is_call && random.below(3) == 0 {
        text.push_str("      timeout: 5s\n");
    }
    match random.below(4) {
        0 => {
            let _ = writeln!(text, "      on_error: n{}", random.below(count + 1));
        }
        1 if kind != 0 => text.push_str("      on_error: continue\n"),
        _ => {}
    }
    if random.below(2) == 0 || index == 0 {
        text.push_str("      assign: {x: '${result.n || 7}', list: '${result.list || []}'}\n");
    }
    let (to, op) = (random.below(count + 1), random.one_of(&["eq", "gt", "lte", "neq"]));
    let _ = writeln!(
        text,
        "      next:\n        - {{to: n{to}, when: {{path: state.x, op: {op}, value: {}}}}}",
        random.below(5)
    );
    let _ = writeln!(text, "        - {{to: n{}}}", index + 1);
}

/// A generator that is the same everywhere (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let count = u64::try_from(choices.len()).unwrap_or(1);
        choices[usize::try_from(self.below(count)).unwrap_or(0)]
    }
}
