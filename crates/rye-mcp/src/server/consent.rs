//! Asking whoever is at the client.
//!
//! A client of the older protocol is asked by a request of ours while its call waits. In the newer one there are no such
//! requests: the call is answered with a question, and comes again with the answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base64ct::{Base64UrlUnpadded, Encoding as _};
use lillux::Digest;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;

use super::failure::Failure;
use super::policy::{FILE, Rule};

/// So many questions may be open at a time.
const OPEN: usize = 64;
/// What a question is called among those of a call.
const QUESTION: &str = "consent";

/// Why something is not done that the operator has decided about.
const REFUSED: &str = "the operator's policy refuses it";

/// Why an answer does not count that was right when it was asked for.
const CHANGED: &str = "what was asked about has changed since; call again to have it asked again";

/// The questions that were sent and not answered yet.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions(Mutex<Vec<OpenQuestion>>);

/// A question that was sent.
#[derive(Debug)]
struct OpenQuestion {
    /// By what it is known to the client.
    state: String,
    /// The call that it was the answer to.
    call: Digest,
    /// What whoever answers has seen.
    about: Option<Digest>,
}

/// Whether a call may go on.
#[derive(Debug)]
pub(super) enum Consent {
    /// It may.
    Given,
    /// The client has to ask first, and to call again.
    Asked(Box<InputRequiredResult>),
}

/// What needs consent.
#[derive(Debug)]
pub(super) struct Question {
    /// What the operator has decided.
    pub(super) rule: Rule,
    /// The name of that decision in the policy.
    pub(super) name: &'static str,
    /// What would be done.
    pub(super) action: String,
    /// The same as a question.
    pub(super) message: String,
    /// What the operator can run in place of it.
    pub(super) command: String,
    /// What it would be done to, if that can change before there is an answer.
    pub(super) about: Option<Digest>,
}

impl OpenQuestions {
    /// Finds out whether a call may go on.
    pub(super) async fn ask(
        &self,
        question: &Question,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Consent, Failure> {
        if !question.has_to_be_asked(context)? {
            return Ok(Consent::Given);
        }
        let is_stateless = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if is_stateless {
            self.ask_by_answer(question, request)
        } else {
            question.ask_by_request(context).await
        }
    }

    fn ask_by_answer(
        &self,
        question: &Question,
        request: &CallToolRequestParams,
    ) -> Result<Consent, Failure> {
        let call = digest_of(request);
        if let (Some(responses), Some(state)) = (&request.input_responses, &request.request_state) {
            self.take(state, call, question.about).map_err(|reason| question.refused(reason))?;
            let answer = responses.get(QUESTION).cloned().unwrap_or_default();
            return match serde_json::from_value::<ElicitResult>(answer) {
                Ok(answer) => question.decide(&answer),
                Err(_) => Err(question.refused("the answer to the question cannot be read")),
            };
        }
        let state = self.open(call, question.about)?;
        let ask = InputRequest::Elicitation(ElicitRequest::new(question.form()?));
        let questions: InputRequests = BTreeMap::from([(QUESTION.to_owned(), ask)]);
        Ok(Consent::Asked(Box::new(InputRequiredResult::new(Some(questions), Some(state)))))
    }

    fn open(&self, call: Digest, about: Option<Digest>) -> Result<String, Failure> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Failure::internal(error.to_string()))?;
        let state = Base64UrlUnpadded::encode_string(&bytes);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN {
            open.remove(0);
        }
        open.push(OpenQuestion { state: state.clone(), call, about });
        Ok(state)
    }

    /// Finds out whether this question was asked about this call, and about what it would do now. It counts once.
    fn take(&self, state: &str, call: Digest, about: Option<Digest>) -> Result<(), &'static str> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().position(|asked| asked.state == state && asked.call == call);
        match found.map(|at| open.remove(at)) {
            Some(asked) if asked.about == about => Ok(()),
            Some(_) => Err(CHANGED),
            None => Err("this is the answer to another question, or comes too late"),
        }
    }
}

impl Question {
    /// Whether nobody has decided yet, and somebody can.
    pub(super) fn has_to_be_asked(&self, context: &RequestContext<RoleServer>) -> Result<bool, Failure> {
        match self.rule {
            Rule::Allow => return Ok(false),
            Rule::Refuse => return Err(self.refused(REFUSED)),
            Rule::Ask => {}
        }
        let can_ask = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        if can_ask.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()) {
            Ok(true)
        } else {
            Err(self.refused("the operator has to be asked, and this client cannot do that"))
        }
    }

    /// Why nothing was done about it, if nobody waits any more who could be asked.
    pub(super) fn unasked(&self) -> Failure {
        self.refused(match self.rule {
            Rule::Refuse => REFUSED,
            Rule::Ask | Rule::Allow => {
                "the call was answered before that was known, so nobody could be asked"
            }
        })
    }

    /// Why nothing was done about it, if it is not what somebody has agreed to any more.
    pub(super) fn changed(&self) -> Failure {
        self.refused(CHANGED)
    }

    async fn ask_by_request(&self, context: &RequestContext<RoleServer>) -> Result<Consent, Failure> {
        let asked = context.peer.create_elicitation(self.form()?);
        let answer = tokio::select! {
            answer = asked => answer,
            () = context.ct.cancelled() => return Err(Failure::cancelled()),
        };
        match answer {
            Ok(answer) => self.decide(&answer),
            Err(error) => Err(self.refused(&format!("the client could not ask: {error}"))),
        }
    }

    fn decide(&self, answer: &ElicitResult) -> Result<Consent, Failure> {
        let says_yes = answer.content.as_ref().is_some_and(|content| content["agree"] == true);
        match answer.action {
            ElicitationAction::Accept if says_yes => Ok(Consent::Given),
            _ => Err(self.refused("whoever was asked has not agreed")),
        }
    }

    fn form(&self) -> Result<ElicitRequestParams, Failure> {
        let schema = ElicitationSchema::builder().required_bool("agree").build();
        let requested_schema = schema.map_err(|error| Failure::internal(error.to_string()))?;
        let message = self.message.clone();
        Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
    }

    fn refused(&self, reason: &str) -> Failure {
        let Self { name, command, action, .. } = self;
        let hint = format!(
            "ask the operator to run `{command}`, or to say `{name}: allow` in `{FILE}` of the user space"
        );
        Failure::no_consent(format!("{action} needs consent: {reason}"), hint)
    }
}

/// A call, but for the answers that it brings.
fn digest_of(request: &CallToolRequestParams) -> Digest {
    let arguments = serde_json::to_string(&request.arguments).unwrap_or_default();
    Digest::of(format!("{}\n{arguments}", request.name).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_once_and_for_its_own_call() {
        let questions = OpenQuestions::default();
        let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
        let state = questions.open(one, None).unwrap();
        questions.take(&state, other, None).unwrap_err();
        questions.take(&state, one, None).unwrap();
        questions.take(&state, one, None).unwrap_err();
    }

    #[test]
    fn an_answer_counts_for_what_was_seen() {
        let questions = OpenQuestions::default();
        let call = Digest::of(b"call");
        let (seen, changed) = (Some(Digest::of(b"seen")), Some(Digest::of(b"changed")));
        let state = questions.open(call, seen).unwrap();
        assert_eq!(questions.take(&state, call, changed), Err(CHANGED));
        let state = questions.open(call, seen).unwrap();
        questions.take(&state, call, seen).unwrap();
    }
}
