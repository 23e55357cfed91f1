//! The plan of a request.

use lillux::http::HttpMethod;
use rye_template::Scope;
use serde_json::{Map, Value};
use url::Url;

use super::action::{HttpAuth, HttpBody, HttpPlan};
use super::error::{PlanErrorKind, SettingError};
use super::settings::Settings;

/// What becomes of an address that still has placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfilled {
    /// It is no address.
    Refuse,
    /// It is shown as it is; nothing will be sent.
    Show,
}

/// Fills in what the configuration says about a request.
pub(super) fn http<L, V>(
    settings: Settings<'_>,
    scope: &Scope<'_, L>,
    unfilled: Unfilled,
) -> Result<HttpPlan, PlanErrorKind>
where
    L: Fn(&str) -> Option<V>,
    V: AsRef<str>,
{
    let wrong = |key: &str, expected| SettingError::WrongType { key: key.to_owned(), expected };
    let method = scope.render_text(settings.text("method")?.unwrap_or("GET"))?.to_ascii_uppercase();
    let method: HttpMethod = method.parse().map_err(|_| wrong("method", "an HTTP method"))?;
    let url = scope.render_text(settings.text("url")?.ok_or(SettingError::Missing { key: "url" })?)?;
    let query = filled_map(settings, "query", scope)?;
    let url = match Url::parse(&url) {
        Ok(url) => with_query(url, &query).into(),
        Err(_) if unfilled == Unfilled::Show => url,
        Err(_) => return Err(wrong("url", "an address such as `https://host/path`").into()),
    };
    let headers = filled_map(settings, "headers", scope)?;
    let headers = headers.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    let body = settings.get("body").map(|body| scope.render_value(body)).transpose()?;
    let body = body.filter(|body| !body.is_null()).map(|body| match body {
        Value::String(text) => HttpBody::Text(text),
        other => HttpBody::Json(other),
    });
    let auth = settings.map("auth")?.map(read_auth).transpose()?;
    let retries = settings.whole_number("retries")?.unwrap_or(0);
    Ok(HttpPlan { method, url, headers, body, auth, retries })
}

/// A map with its values filled in. It may be a placeholder itself, which then stands for a map.
fn filled_map<L, V>(
    settings: Settings<'_>,
    key: &str,
    scope: &Scope<'_, L>,
) -> Result<Map<String, Value>, PlanErrorKind>
where
    L: Fn(&str) -> Option<V>,
    V: AsRef<str>,
{
    let wrong = || SettingError::WrongType { key: key.to_owned(), expected: "a map" };
    let filled = match settings.get(key) {
        None => return Ok(Map::new()),
        Some(Value::Object(map)) => {
            let fill = |(name, value): (&String, &Value)| Ok((name.clone(), scope.render_value(value)?));
            return map.iter().map(fill).collect();
        }
        Some(placeholder) => scope.render_value(placeholder)?,
    };
    match filled {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(wrong().into()),
    }
}

/// A list in the query stands for its name once for each element, and null for nothing.
fn with_query(mut url: Url, query: &Map<String, Value>) -> Url {
    for (name, value) in query {
        match value {
            Value::Null => {}
            Value::Array(values) => {
                url.query_pairs_mut().extend_pairs(values.iter().map(|value| (name, text(value))));
            }
            value => {
                url.query_pairs_mut().append_pair(name, &text(value));
            }
        }
    }
    url
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The names of secrets are not templates: a parameter must not choose which secret goes out.
fn read_auth(auth: &Map<String, Value>) -> Result<HttpAuth, SettingError> {
    const EXPECTED: &str = "one of {bearer: NAME}, {basic: {user, password: NAME}}, {header: {name, value: NAME}}, {oauth2: {…}}";
    let wrong = || SettingError::WrongType { key: "auth".to_owned(), expected: EXPECTED };
    let mut entries = auth.iter();
    let (Some((form, value)), None) = (entries.next(), entries.next()) else { return Err(wrong()) };
    let part = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    match form.as_str() {
        "bearer" => Ok(HttpAuth::Bearer { secret: value.as_str().ok_or_else(wrong)?.to_owned() }),
        "basic" => Ok(HttpAuth::Basic {
            user: part("user").ok_or_else(wrong)?,
            secret: part("password").ok_or_else(wrong)?,
        }),
        "header" => Ok(HttpAuth::Header {
            name: part("name").ok_or_else(wrong)?,
            secret: part("value").ok_or_else(wrong)?,
        }),
        "oauth2" => Ok(HttpAuth::OAuth2 {
            token_url: part("token_url").ok_or_else(wrong)?,
            client_id: part("client_id").ok_or_else(wrong)?,
            client_secret: part("client_secret"),
            refresh_token: part("refresh_token").ok_or_else(wrong)?,
            scope: part("scope"),
        }),
        _ => Err(wrong()),
    }
}
