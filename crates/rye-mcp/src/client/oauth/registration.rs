//! Who we are for those who log people in.

use base64ct::{Base64, Encoding as _};
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::form_urlencoded::byte_serialize;
use zeroize::Zeroizing;

use super::discovery::IssuerMetadata;
use super::error::OAuthError;
use super::secret_text::SecretText;
use super::token_request::said;
use super::web::Web;

/// A client that the operator has registered.
#[derive(Debug, Clone)]
pub struct GivenClient {
    /// What it is called. An address that begins with `https://` is that of a description of the client, for those who read
    /// such descriptions.
    pub id: String,
    /// Its secret, if it has one.
    pub secret: Option<SecretText>,
    /// Where it is registered, if that is known.
    pub issuer: Option<String>,
}

/// A client that somebody knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RegisteredClient {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<SecretText>,
    pub(super) method: AuthMethod,
}

/// How a client shows who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AuthMethod {
    #[serde(rename = "none")]
    None,
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}

/// The answer to a registration.
#[derive(Debug, Deserialize)]
struct Registration {
    client_id: String,
    client_secret: Option<SecretText>,
    token_endpoint_auth_method: Option<String>,
}

const NAME: &str = "RYE";

impl RegisteredClient {
    /// Who we are at an issuer: the client that the operator has given, one that describes itself, or one that is registered
    /// now.
    pub(super) async fn at(
        web: &Web,
        issuer: &IssuerMetadata,
        given: Option<&GivenClient>,
        redirect_uri: &str,
    ) -> Result<Self, OAuthError> {
        match given {
            Some(given) if !given.id.starts_with("https://") => return Self::given(issuer, given),
            Some(described) if issuer.client_id_metadata_document_supported => {
                return Ok(Self { id: described.id.clone(), secret: None, method: AuthMethod::None });
            }
            _ => {}
        }
        let Some(endpoint) = &issuer.registration_endpoint else {
            return Err(OAuthError::NoRegistration { issuer: issuer.issuer.clone() });
        };
        register(web, issuer, endpoint, redirect_uri).await
    }

    fn given(issuer: &IssuerMetadata, given: &GivenClient) -> Result<Self, OAuthError> {
        if let Some(expected) = given.issuer.as_ref().filter(|at| **at != issuer.issuer) {
            let (expected, found) = (expected.clone(), issuer.issuer.clone());
            return Err(OAuthError::Moved { expected, found });
        }
        let method = method(issuer, None, given.secret.is_some());
        Ok(Self { id: given.id.clone(), secret: given.secret.clone(), method })
    }

    /// What a form has to say about the client.
    pub(super) fn fields(&self) -> Vec<(&'static str, &str)> {
        let mut fields = Vec::new();
        if self.method != AuthMethod::Basic {
            fields.push(("client_id", self.id.as_str()));
        }
        if let (AuthMethod::Post, Some(secret)) = (self.method, &self.secret) {
            fields.push(("client_secret", secret.expose()));
        }
        fields
    }

    /// The header that says who the client is, if that is how it does so.
    pub(super) fn password(&self) -> Option<SecretText> {
        let (AuthMethod::Basic, Some(secret)) = (self.method, &self.secret) else { return None };
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = Zeroizing::new(format!("{}:{}", encoded(&self.id), encoded(secret.expose())));
        Some(SecretText::new(format!("Basic {}", Base64::encode_string(pair.as_bytes()))))
    }
}

async fn register(
    web: &Web,
    issuer: &IssuerMetadata,
    endpoint: &str,
    redirect_uri: &str,
) -> Result<RegisteredClient, OAuthError> {
    let wanted = [AuthMethod::None, AuthMethod::Basic, AuthMethod::Post];
    let wanted = wanted.into_iter().find(|method| supports(issuer, *method)).unwrap_or(AuthMethod::None);
    let body = json!({
        "client_name": NAME,
        "application_type": "native",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted,
    });
    let reply = web.post_json(endpoint, &body).await?;
    if !reply.status.is_success() {
        let reason = format!("it does not register us: {}", said(&reply, &[]));
        return Err(OAuthError::malformed(endpoint, reason));
    }
    // What is wrong with it is not said, since it has a secret in it.
    let registration: Registration = serde_json::from_slice(&reply.body)
        .map_err(|_| OAuthError::malformed(endpoint, "it is no registration of a client"))?;
    let Registration { client_id: id, client_secret: secret, token_endpoint_auth_method: named } =
        registration;
    let method = method(issuer, named.as_deref(), secret.is_some());
    Ok(RegisteredClient { id, secret, method })
}

/// How a client shows who it is: as it was told, or in the best way that both sides can.
fn method(issuer: &IssuerMetadata, named: Option<&str>, has_secret: bool) -> AuthMethod {
    if !has_secret {
        return AuthMethod::None;
    }
    match named {
        Some("none") => AuthMethod::None,
        Some("client_secret_basic") => AuthMethod::Basic,
        Some("client_secret_post") => AuthMethod::Post,
        _ => {
            let ways = [AuthMethod::Basic, AuthMethod::Post, AuthMethod::None];
            ways.into_iter().find(|method| supports(issuer, *method)).unwrap_or(AuthMethod::Basic)
        }
    }
}

/// Whoever does not say takes a password.
fn supports(issuer: &IssuerMetadata, method: AuthMethod) -> bool {
    let name = match method {
        AuthMethod::None => "none",
        AuthMethod::Basic => "client_secret_basic",
        AuthMethod::Post => "client_secret_post",
    };
    match &issuer.token_endpoint_auth_methods_supported {
        Some(supported) => supported.iter().any(|supported| supported == name),
        None => method == AuthMethod::Basic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(methods: Option<&[&str]>) -> IssuerMetadata {
        let mut value = json!({
            "issuer": "https://a",
            "authorization_endpoint": "https://a/authorize",
            "token_endpoint": "https://a/token",
        });
        if let Some(methods) = methods {
            value["token_endpoint_auth_methods_supported"] = json!(methods);
        }
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_client_shows_who_it_is_as_it_was_told_or_as_both_can() {
        let check = |methods: Option<&[&str]>, named: Option<&str>, has_secret: bool, expect: AuthMethod| {
            assert_eq!(method(&issuer(methods), named, has_secret), expect, "{methods:?} {named:?}");
        };
        check(None, None, true, AuthMethod::Basic);
        check(None, None, false, AuthMethod::None);
        check(Some(&["none"]), None, true, AuthMethod::None);
        check(Some(&["client_secret_post", "client_secret_basic"]), None, true, AuthMethod::Basic);
        check(Some(&["client_secret_post"]), None, true, AuthMethod::Post);
        check(Some(&["client_secret_basic"]), Some("client_secret_post"), true, AuthMethod::Post);
        check(Some(&["private_key_jwt"]), None, true, AuthMethod::Basic);
    }

    #[test]
    fn names_and_secrets_are_encoded_before_they_are_joined() {
        let secret = Some(SecretText::new("a:b c"));
        let client = RegisteredClient { id: "x:y".to_owned(), secret, method: AuthMethod::Basic };
        let header = client.password().unwrap();
        let sent = header.expose().strip_prefix("Basic ").unwrap();
        assert_eq!(Base64::decode_vec(sent).unwrap(), b"x%3Ay:a%3Ab+c");
        assert_eq!(client.fields(), []);
        let client = RegisteredClient { method: AuthMethod::Post, ..client };
        assert_eq!(client.fields(), [("client_id", "x:y"), ("client_secret", "a:b c")]);
        assert_eq!(client.password(), None);
    }
}
