//! Asking for tokens.

use std::time::Duration;

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded;
use zeroize::Zeroizing;

use super::authorization::{Code, shown};
use super::discovery::Place;
use super::error::OAuthError;
use super::login::{Login, now};
use super::registration::RegisteredClient;
use super::secret_text::SecretText;
use super::web::{Reply, Web};

/// The answer of those who give tokens.
#[derive(Debug, Deserialize)]
struct Tokens {
    access_token: SecretText,
    token_type: String,
    #[serde(default)]
    expires_in: Option<Value>,
    #[serde(default)]
    refresh_token: Option<SecretText>,
}

/// What is said by those who give none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Refusal {
    error: Option<String>,
    error_description: Option<String>,
}

/// So long before its end a token is renewed, unless that is more than half of its time.
const MARGIN: Duration = Duration::from_secs(30);

/// Gives a code, and gets tokens for it.
pub(super) async fn redeem(
    web: &Web,
    place: &Place,
    client: RegisteredClient,
    code: &Code,
    scopes: Vec<String>,
) -> Result<Login, OAuthError> {
    let endpoint = &place.issuer.token_endpoint;
    let grant = [
        ("grant_type", "authorization_code"),
        ("code", code.text.expose()),
        ("redirect_uri", code.redirect_uri.as_str()),
        ("code_verifier", code.verifier.expose()),
        ("resource", place.resource.as_str()),
    ];
    let secrets = [&code.text, &code.verifier];
    let Tokens { access_token, expires_in, refresh_token, .. } =
        request(web, endpoint, &client, &grant, &secrets).await?;
    Ok(Login {
        issuer: place.issuer.issuer.clone(),
        resource: place.resource.clone(),
        token_endpoint: endpoint.clone(),
        client,
        access_token,
        refresh_token,
        renew_at: expires_in.as_ref().and_then(end),
        scopes,
    })
}

/// Gets new tokens without a person. `None` if those who give them do not know the login any more.
pub(super) async fn refresh(web: &Web, login: &Login) -> Result<Option<Login>, OAuthError> {
    let Some(refresh_token) = &login.refresh_token else { return Ok(None) };
    let grant = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh_token.expose()),
        ("resource", login.resource.as_str()),
    ];
    let tokens = request(web, &login.token_endpoint, &login.client, &grant, &[refresh_token]).await;
    let Tokens { access_token, expires_in, refresh_token, .. } = match tokens {
        Ok(tokens) => tokens,
        Err(OAuthError::NoToken { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(Login {
        access_token,
        refresh_token: refresh_token.or_else(|| login.refresh_token.clone()),
        renew_at: expires_in.as_ref().and_then(end),
        ..login.clone()
    }))
}

/// When a token is to be renewed: a while before it ends. Some write the number as a text.
fn end(expires_in: &Value) -> Option<u64> {
    let seconds = match expires_in {
        Value::String(text) => text.parse::<u64>().ok()?,
        number => number.as_u64()?,
    };
    let margin = MARGIN.as_secs().min(seconds / 2);
    Some(now().saturating_add(seconds - margin))
}

async fn request(
    web: &Web,
    endpoint: &str,
    client: &RegisteredClient,
    grant: &[(&str, &str)],
    secrets: &[&SecretText],
) -> Result<Tokens, OAuthError> {
    let form = form(grant, client);
    let reply = web.post_form(endpoint, form, client.password().as_ref()).await?;
    // Whoever is too busy to answer has not refused.
    if reply.status.is_server_error() || reply.status == StatusCode::TOO_MANY_REQUESTS {
        return Err(OAuthError::malformed(endpoint, format!("its status is {}", reply.status)));
    }
    if !reply.status.is_success() {
        let secrets: Vec<_> = secrets.iter().copied().chain(&client.secret).collect();
        return Err(OAuthError::NoToken { address: endpoint.to_owned(), said: said(&reply, &secrets) });
    }
    // What is wrong with it is not said, since there may be a token in it.
    let malformed = |reason| OAuthError::malformed(endpoint, reason);
    let tokens: Tokens =
        serde_json::from_slice(&reply.body).map_err(|_| malformed("it is no answer with a token"))?;
    if !tokens.token_type.eq_ignore_ascii_case("bearer") {
        return Err(malformed("its token is of another kind than `Bearer`"));
    }
    let can_be_sent = |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    if !can_be_sent(tokens.access_token.expose()) {
        return Err(malformed("its token cannot be sent"));
    }
    Ok(tokens)
}

fn form(grant: &[(&str, &str)], client: &RegisteredClient) -> Zeroizing<String> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(grant).extend_pairs(client.fields());
    Zeroizing::new(form.finish())
}

/// What a refusal says, unless it repeats what nobody may see.
pub(super) fn said(reply: &Reply, secrets: &[&SecretText]) -> String {
    let Refusal { error, error_description } = serde_json::from_slice(&reply.body).unwrap_or_default();
    let words: Vec<_> = [error, error_description].into_iter().flatten().map(|text| shown(&text)).collect();
    let tells = |secret: &SecretText| words.iter().any(|word| word.contains(secret.expose()));
    if words.is_empty() || secrets.iter().any(|secret| tells(secret)) {
        return format!("its status is {}", reply.status);
    }
    words.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_without_secrets() {
        let check = |body: &str, expect: &str| {
            let body = Zeroizing::new(body.as_bytes().to_vec());
            let reply = Reply { status: StatusCode::BAD_REQUEST, body };
            assert_eq!(said(&reply, &[&SecretText::new("hunter2")]), expect);
        };
        check("", "its status is 400 Bad Request");
        check("<html>", "its status is 400 Bad Request");
        check(r#"{"error":"invalid_grant"}"#, "invalid_grant");
        check(r#"{"error":"invalid_grant","error_description":"too\u001b old"}"#, "invalid_grant: too old");
        check(r#"{"error":"x","error_description":"hunter2 is old"}"#, "its status is 400 Bad Request");
    }
}
