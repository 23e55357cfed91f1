//! What the suite calls: tools, prompts and resources that it prescribes. Those that do nothing are data (`fixture.json`).

#![expect(deprecated, reason = "the older protocol has it, so the suite asks for it")]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, CreateMessageRequestParams, ElicitRequestParams, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResultType, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::rounds::{Round, next_round};
use crate::server::responder::Responder;

static FIXTURE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("fixture.json")).unwrap());

/// How long a tool takes from one thing that it says to the next.
const PAUSE: Duration = Duration::from_millis(50);

/// What can change.
#[derive(Debug, Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

/// The server that the suite prescribes.
#[derive(Debug, Clone)]
pub(super) struct Fixture {
    closing: CancellationToken,
    changes: Arc<broadcast::Sender<Change>>,
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self { closing: CancellationToken::new(), changes: Arc::new(broadcast::Sender::new(16)) }
    }

    /// What a tool does that does more than to answer.
    async fn act(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let given = |name: &str| request.arguments.as_ref()?.get(name).cloned();
        match &*request.name {
            "test_tool_with_progress" => {
                for done in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        let told = ProgressNotificationParam::new(token, done).with_total(100.0);
                        context.peer.notify_progress(told).await.map_err(internal)?;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                Ok("it is done".to_owned())
            }
            "test_tool_with_logging" => {
                for said in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    say(context, said).await?;
                    tokio::time::sleep(PAUSE).await;
                }
                Ok("it has said three things".to_owned())
            }
            "test_logging_tool" => {
                if context.meta.log_level().is_some() {
                    say(context, "somebody wants to know").await?;
                }
                Ok("it has said what it may".to_owned())
            }
            "test_sampling" => {
                let prompt = given("prompt").unwrap_or_default();
                let question = json!({
                    "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
                    "maxTokens": 100,
                });
                let question: CreateMessageRequestParams = read(question)?;
                let answer = context.peer.create_message(question).await.map_err(internal)?;
                Ok(format!("LLM response: {}", json!(answer)["content"]["text"]))
            }
            "test_trigger_tool_change" => Ok(self.change(Change::Tools)),
            "test_trigger_prompt_change" => Ok(self.change(Change::Prompts)),
            name => {
                let mut form = FIXTURE["forms"][name].clone();
                if form.is_null() {
                    return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None));
                }
                if let Some(message) = given("message") {
                    form["message"] = message;
                }
                form["mode"] = json!("form");
                let form: ElicitRequestParams = read(form)?;
                let answer = context.peer.create_elicitation(form).await.map_err(internal)?;
                Ok(format!("User response: {}", json!(answer)))
            }
        }
    }

    fn change(&self, change: Change) -> String {
        // It does not matter whether anybody listens.
        let _ = self.changes.send(change);
        format!("{change:?} have changed")
    }
}

impl Responder for Fixture {
    fn closing(&self) -> &CancellationToken {
        &self.closing
    }

    async fn end_work(&self) {}

    fn let_go(&self) {}
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = read(FIXTURE["capabilities"].clone()).unwrap();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("conformance", "1.0.0"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        list::<Tool>("tools").into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(list("tools")))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &*request.name;
        if let Some(answer) = FIXTURE["answers"].get(name) {
            let mut result: CallToolResult = read(answer.clone())?;
            result.result_type = Some(ResultType::COMPLETE);
            return Ok(result.into());
        }
        if let Some(rounds) = FIXTURE["rounds"].get(name) {
            let (responses, state) = (request.input_responses.as_ref(), request.request_state.as_deref());
            return match next_round(rounds, responses, state, &capabilities(&context))? {
                Round::Ask(asked) => Ok(asked.into()),
                Round::Done(text) => Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into()),
            };
        }
        let text = self.act(&request, &context).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(list("resources")))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(list("templates")))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (FIXTURE["contents"].get(uri), id) {
            (Some(contents), _) => contents.clone(),
            (None, Some(id)) => {
                let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                json!({ "uri": uri, "mimeType": "application/json", "text": text.to_string() })
            }
            (None, None) => {
                let message = format!("there is no `{uri}`");
                return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": uri }))));
            }
        };
        Ok(ReadResourceResult::new(read(json!([contents]))?).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(list("prompts")))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = &*request.name;
        if let Some(rounds) = FIXTURE["rounds"].get(name) {
            let (responses, state) = (request.input_responses.as_ref(), request.request_state.as_deref());
            return match next_round(rounds, responses, state, &capabilities(&context))? {
                Round::Ask(asked) => Ok(asked.into()),
                Round::Done(text) => {
                    let message = json!([{ "role": "user", "content": { "type": "text", "text": text } }]);
                    Ok(GetPromptResult::new(read(message)?).into())
                }
            };
        }
        let Some(prompt) = FIXTURE["messages"].get(name) else {
            return Err(ErrorData::invalid_params(format!("there is no prompt `{name}`"), None));
        };
        let mut text = prompt["messages"].to_string();
        for (name, value) in request.arguments.iter().flatten() {
            text = text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
        }
        Ok(GetPromptResult::new(serde_json::from_str(&text).map_err(internal)?).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completed = format!("{}ed", request.argument.value);
        Ok(CompleteResult::new(CompletionInfo::new(vec![completed]).map_err(internal)?))
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let is_gone = context.protocol_version().is_some_and(|version| version.as_str() >= "2026-07-28");
        if is_gone {
            let method = "logging/setLevel";
            return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, method, None));
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                change = changes.recv() => change.map_err(internal)?,
                () = context.cancelled() => return Ok(()),
                () = self.closing.cancelled() => return Ok(()),
            };
            // Whoever has not asked for it is not told, which is an error for the library.
            let _ = match change {
                Change::Tools => context.sink().notify_tool_list_changed().await,
                Change::Prompts => context.sink().notify_prompt_list_changed().await,
            };
        }
    }
}

async fn say(context: &RequestContext<RoleServer>, text: &str) -> Result<(), ErrorData> {
    let said = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
    context.peer.notify_logging_message(said).await.map_err(internal)
}

fn capabilities(context: &RequestContext<RoleServer>) -> ClientCapabilities {
    context.client_capabilities().unwrap_or_default()
}

fn list<T: DeserializeOwned>(name: &str) -> Vec<T> {
    read(FIXTURE[name].clone()).unwrap()
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(internal)
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
