//! What the protocol's library calls.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CustomRequest, CustomResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams,
    GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use rye_engine::EngineError;
use rye_item::Spaces;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::arguments;
use super::attestation::Attestations;
use super::blocking::caught;
use super::consent::OpenQuestions;
use super::execute::Execution;
use super::failure::Failure;
use super::live_runs::LiveRuns;
use super::outputs::Outputs;
use super::places::Places;
use super::projects::Projects;
use super::resource_uri::ResourceUri;
use super::responder::Responder;
use super::sent_parameters::sent_arguments;
use super::settings::ServerSettings;
use super::{help, load, prompts, resources, search, sign, tasks, tools};

/// What every client is told once.
const INSTRUCTIONS: &str = "RYE runs tools that are files. Find one with `search`, read its parameters with `load`, run \
    it with `execute`. Name the project that you work in by its absolute path in `project_path`. A tool that you \
    wrote or changed has to be signed before it runs: `sign` asks the operator. `help` explains the rest.";

/// How long the last answers have to be written.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The methods that there are.
const METHODS: [&str; 14] = [
    "completion/complete",
    "initialize",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// The server, shared by all connections.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: ServerSettings,
    pub(super) projects: Projects,
    pub(super) outputs: Outputs,
    pub(super) attestations: Attestations,
    pub(super) live: LiveRuns,
    pub(super) places: Places,
    pub(super) questions: OpenQuestions,
    /// Cancelled when everything has to end.
    pub(super) closing: CancellationToken,
}

/// One connection's view of the server.
#[derive(Debug, Clone)]
pub(super) struct Server(pub(super) Arc<Shared>);

impl Shared {
    fn new(settings: ServerSettings) -> Self {
        Self {
            projects: Projects::new(settings.engine.clone()),
            outputs: Outputs::new(settings.engine.state.as_deref()),
            attestations: Attestations::default(),
            live: LiveRuns::default(),
            places: Places::new(),
            questions: OpenQuestions::default(),
            closing: CancellationToken::new(),
            settings,
        }
    }

    pub(super) fn user_space(&self) -> Result<PathBuf, Failure> {
        let path = Spaces::user_path(&self.projects.settings().spaces);
        path.ok_or_else(|| EngineError::NoUserSpace.into())
    }
}

impl Responder for Server {
    fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }

    async fn end_work(&self) {
        self.0.live.end_all().await;
        // Whoever does not read its answers by then does not want to know.
        let _ = tokio::time::timeout(LAST_ANSWERS, self.0.places.backlog().is_empty()).await;
    }

    fn let_go(&self) {
        self.0.projects.close();
    }
}

impl Server {
    pub(super) fn new(settings: ServerSettings) -> Self {
        Self(Arc::new(Shared::new(settings)))
    }

    async fn call(
        &self,
        call: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let server = &self.0;
        let sent = sent_arguments(context)?;
        let given = call.arguments.clone();
        let reply = match &*call.name {
            "search" => {
                let arguments: arguments::SearchArguments = arguments::read(given)?;
                let engine = server.projects.engine(arguments.project_path.as_deref())?;
                server.places.look(move || search::search(&engine, &arguments)).await?
            }
            "load" => return load::load(server, arguments::read(given)?, call, context).await,
            "execute" => {
                let arguments = arguments::read(given)?;
                return Execution { server, arguments, sent, call, context }.carry_out().await;
            }
            "sign" => return sign::sign(server, arguments::read(given)?, call, context).await,
            _ => {
                let arguments: arguments::HelpArguments = arguments::read(given)?;
                let engine = server.projects.engine(arguments.project_path.as_deref())?;
                match help::known(&engine, &arguments) {
                    Some(known) => known?,
                    None => server.places.look(move || help::help(&engine, &arguments)).await?,
                }
            }
        };
        Ok(CallToolResult::from(reply).into())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_tasks()
            .build();
        let implementation = Implementation::new("rye", env!("CARGO_PKG_VERSION")).with_title("RYE");
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !tools::all().iter().any(|tool| tool.name == request.name) {
            let message = format!("there is no tool `{}`: an item is run by `execute`", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        tracing::debug!("call of {}", request.name);
        // The library moves what it is given from place to place, so that should be small.
        let response = caught(Box::pin(self.call(&request, &context))).await;
        Ok(response.unwrap_or_else(|failure| {
            tracing::debug!("{} failed: {}", request.name, failure.code);
            CallToolResult::from(failure).into()
        }))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let offset = offset(request)?;
        let engine = self.0.projects.engine(None).map_err(protocol_error)?;
        let (page, next) =
            self.0.places.look(move || resources::list(&engine, offset)).await.map_err(protocol_error)?;
        let mut result = ListResourcesResult::with_all_items(page);
        result.next_cursor = next.map(|next| next.to_string());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let not_found = || {
            let data = json!({ "uri": request.uri });
            ErrorData::resource_not_found(format!("there is no `{}`", request.uri), Some(data))
        };
        let uri = ResourceUri::parse(&request.uri).ok_or_else(not_found)?;
        let server = Arc::clone(&self.0);
        // The library cancels the token of a request when it takes the answer.
        let read = self.0.places.look_at_much(context.ct, move || {
            let engine = server.projects.engine(uri.project.as_deref())?;
            resources::read(&engine, &server.outputs, &uri)
        });
        match read.await {
            Ok(Some(contents)) => Ok(ReadResourceResult::new(contents).into()),
            Ok(None) => Err(not_found()),
            Err(failure) if matches!(failure.code, "ITEM_NOT_FOUND" | "RUN_NOT_FOUND") => Err(not_found()),
            Err(failure) => Err(protocol_error(failure)),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let offset = offset(request)?;
        let engine = self.0.projects.engine(None).map_err(protocol_error)?;
        let (page, next) =
            self.0.places.look(move || prompts::list(&engine, offset)).await.map_err(protocol_error)?;
        let mut result = ListPromptsResult::with_all_items(page);
        result.next_cursor = next.map(|next| next.to_string());
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let engine = self.0.projects.engine(None).map_err(protocol_error)?;
        let messages =
            self.0.places.look(move || prompts::get(&engine, &request.name, request.arguments)).await;
        Ok(GetPromptResult::new(messages.map_err(protocol_error)?).into())
    }

    /// The library takes a request whose parameters it cannot read for one that it does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if METHODS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the parameters of `{method}` cannot be read"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(&self.0.live, &request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(&self.0.live, &request.task_id)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(&self.0.live, &request.task_id)
    }
}

/// Where a page begins.
fn offset(request: Option<PaginatedRequestParams>) -> Result<usize, ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(0),
        Some(cursor) => {
            cursor.parse().map_err(|_| ErrorData::invalid_params("the cursor is none of ours", None))
        }
    }
}

/// A failure where there is no result that could say so.
#[expect(clippy::needless_pass_by_value, reason = "for use in `map_err`")]
fn protocol_error(failure: Failure) -> ErrorData {
    let code = match failure.code {
        "INTERNAL" => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    ErrorData::new(code, failure.message.clone(), Some(failure.to_json()))
}
