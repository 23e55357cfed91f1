//! Sending a request.

use std::time::Duration;

use base64ct::{Base64, Encoding as _};
use lillux::CancelToken;
use lillux::http::{HttpClient, HttpClientOptions, HttpEnding, HttpMethod, HttpOutcome, HttpRequest, Retry};
use rye_plan::{HttpAuth, HttpBody, HttpPlan};
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::error::RunnerError;
use super::outcome::{Failure, HttpAnswer, Outcome, Start, Stream};
use super::process::masked;
use super::{HttpSender, RunContext};
use crate::secrets::SecretValues;

/// The wait before the first retry.
const BACKOFF: Duration = Duration::from_millis(200);

pub(super) fn send(
    plan: &HttpPlan,
    timeout: Duration,
    context: &RunContext<'_>,
) -> Result<Outcome, RunnerError> {
    let client = context.http.client()?;
    let mut request = HttpRequest::new(plan.method, &plan.url)?.timeout(timeout);
    for (name, value) in &plan.headers {
        request = request.header(name, value)?;
    }
    request = match &plan.body {
        None => request,
        Some(HttpBody::Text(text)) => request.body(text.as_bytes()),
        Some(HttpBody::Json(value)) => {
            let has_type = plan.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            let request =
                if has_type { request } else { request.header("content-type", "application/json")? };
            request.body(value.to_string())
        }
    };
    if let Some(auth) = &plan.auth {
        request = authorize(request, auth, client, timeout, context)?;
    }
    if plan.retries > 0 {
        request = request.retry(Retry::Idempotent { max: plan.retries, backoff: BACKOFF });
    }
    let request = request.response_limit(context.stream_limit());
    let answer = client.send(&request, context.cancel)?;
    outcome(answer, context)
}

fn outcome(answer: HttpOutcome, context: &RunContext<'_>) -> Result<Outcome, RunnerError> {
    let text = |bytes: &[u8]| context.mask.mask_text(&String::from_utf8_lossy(bytes)).into_owned();
    let headers = answer.headers.iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
    let failure = match answer.ending {
        HttpEnding::Complete if answer.status < 400 => None,
        HttpEnding::Complete => Some(Failure::Status { status: answer.status }),
        HttpEnding::LimitExceeded => Some(Failure::OutputLimit { channel: lillux::process::Channel::Stdout }),
    };
    let http = HttpAnswer { status: answer.status, url: text(answer.url.as_str().as_bytes()), headers };
    Ok(Outcome {
        failure,
        exit_code: None,
        output: masked(answer.body, context.mask)?,
        errors: Stream::default(),
        http: Some(http),
        duration: answer.duration,
        containment: None,
        start: Start::Cold,
        remains: None,
    })
}

fn authorize(
    request: HttpRequest,
    auth: &HttpAuth,
    client: &HttpClient,
    timeout: Duration,
    context: &RunContext<'_>,
) -> Result<HttpRequest, RunnerError> {
    let secret = |name: &str| context.secrets.get(name).map_or("", |value| value.expose_secret());
    let (header, value) = match auth {
        HttpAuth::Bearer { secret: name } => ("authorization", format!("Bearer {}", secret(name))),
        HttpAuth::Basic { user, secret: name } => {
            let pair = Base64::encode_string(format!("{user}:{}", secret(name)).as_bytes());
            ("authorization", format!("Basic {pair}"))
        }
        HttpAuth::Header { name: header, secret: name } => (header.as_str(), secret(name).to_owned()),
        HttpAuth::OAuth2 { .. } => {
            let token = access_token(auth, client, timeout, context.secrets, context.cancel)?;
            ("authorization", format!("Bearer {token}"))
        }
    };
    Ok(request.secret_header(header, value)?)
}

/// Asks for an access token with the refresh token.
fn access_token(
    auth: &HttpAuth,
    client: &HttpClient,
    timeout: Duration,
    secrets: &SecretValues,
    cancel: Option<&CancelToken>,
) -> Result<String, RunnerError> {
    let HttpAuth::OAuth2 { token_url, client_id, client_secret, refresh_token, scope } = auth else {
        return Ok(String::new());
    };
    let secret = |name: &str| secrets.get(name).map_or("", |value| value.expose_secret());
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "refresh_token");
    form.append_pair("refresh_token", secret(refresh_token));
    form.append_pair("client_id", client_id);
    if let Some(name) = client_secret {
        form.append_pair("client_secret", secret(name));
    }
    if let Some(scope) = scope {
        form.append_pair("scope", scope);
    }
    let request = HttpRequest::new(HttpMethod::Post, token_url)?
        .header("content-type", "application/x-www-form-urlencoded")?
        .timeout(timeout)
        .body(form.finish());
    let answer = client.send(&request, cancel)?;
    let body: Value = serde_json::from_slice(&answer.body.bytes).unwrap_or_default();
    match body.get("access_token").and_then(Value::as_str) {
        Some(token) if answer.status < 400 => Ok(token.to_owned()),
        _ => Err(RunnerError::NoToken { url: token_url.clone(), status: answer.status }),
    }
}

impl HttpSender {
    fn client(&self) -> Result<&HttpClient, RunnerError> {
        if let Some(client) = self.0.get() {
            return Ok(client);
        }
        let client = HttpClient::new(HttpClientOptions::default())?;
        Ok(self.0.get_or_init(|| client))
    }
}
