//! The part of a login that happens in a browser.

use std::collections::BTreeMap;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use lillux::Digest;
use url::Url;

use super::UserAgent;
use super::discovery::Place;
use super::error::OAuthError;
use super::registration::RegisteredClient;
use super::secret_text::SecretText;

/// A code, for which tokens are given to whoever knows the verifier.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) text: SecretText,
    pub(super) verifier: SecretText,
    pub(super) redirect_uri: String,
}

/// What is sent along with the person, and has to come back or to be known later.
struct Question {
    state: SecretText,
    verifier: SecretText,
}

/// Sends the person to whoever logs people in, and checks what they come back with.
pub(super) fn authorize(
    place: &Place,
    client: &RegisteredClient,
    scopes: &[String],
    agent: &dyn UserAgent,
) -> Result<Code, OAuthError> {
    let question = Question { state: random()?, verifier: random()? };
    let redirect_uri = agent.redirect_uri();
    let address = question.address(place, client, scopes, &redirect_uri)?;
    let answer = agent.visit(address.as_str())?;
    let text = question.check(place, &answer)?;
    Ok(Code { text, verifier: question.verifier, redirect_uri })
}

impl Question {
    fn address(
        &self,
        place: &Place,
        client: &RegisteredClient,
        scopes: &[String],
        redirect_uri: &str,
    ) -> Result<Url, OAuthError> {
        let endpoint = &place.issuer.authorization_endpoint;
        let mut url = Url::parse(endpoint).map_err(|_| OAuthError::Insecure { address: endpoint.clone() })?;
        let digest = Digest::of(self.verifier.expose().as_bytes());
        let challenge = Base64UrlUnpadded::encode_string(digest.as_bytes());
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("state", self.state.expose())
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &place.resource);
        if !scopes.is_empty() {
            query.append_pair("scope", &scopes.join(" "));
        }
        if scopes.iter().any(|scope| scope == "offline_access") {
            // A refresh token is only given to whoever makes sure that the person knows.
            query.append_pair("prompt", "consent");
        }
        drop(query);
        Ok(url)
    }

    /// The code, if the answer is for this question and from whom it should be. Nothing else that it says counts before.
    fn check(&self, place: &Place, answer: &str) -> Result<SecretText, OAuthError> {
        let malformed = |reason: &str| OAuthError::malformed("the answer to the login", reason);
        let url = Url::parse(answer).map_err(|_| malformed("it is no address"))?;
        let mut values = BTreeMap::new();
        for (name, value) in url.query_pairs() {
            if values.insert(name.into_owned(), value.into_owned()).is_some() {
                return Err(malformed("it says something twice"));
            }
        }
        if values.get("state").is_none_or(|state| state != self.state.expose()) {
            return Err(OAuthError::OtherState);
        }
        let issuer = &place.issuer;
        match values.get("iss") {
            Some(found) if *found != issuer.issuer => {
                let (expected, found) = (issuer.issuer.clone(), shown(found));
                return Err(OAuthError::OtherIssuer { expected, found });
            }
            None if issuer.authorization_response_iss_parameter_supported => {
                return Err(OAuthError::NoIssuer { issuer: issuer.issuer.clone() });
            }
            _ => {}
        }
        if let Some(error) = values.get("error") {
            let more = values.get("error_description").map(|text| format!(": {text}")).unwrap_or_default();
            return Err(OAuthError::Denied { said: shown(&format!("{error}{more}")) });
        }
        let code = values.remove("code").ok_or_else(|| malformed("it has no code"))?;
        Ok(SecretText::new(code))
    }
}

/// What somebody said, as far as it can be shown.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 300;
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// 256 bits that nobody can guess, as letters that need no encoding.
fn random() -> Result<SecretText, OAuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| OAuthError::System {
        doing: "get random numbers",
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(SecretText::new(Base64UrlUnpadded::encode_string(&bytes)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(names_itself: bool) -> Place {
        let issuer = json!({
            "issuer": "https://login.example",
            "authorization_endpoint": "https://login.example/authorize?tenant=1",
            "token_endpoint": "https://login.example/token",
            "authorization_response_iss_parameter_supported": names_itself,
        });
        let issuer = serde_json::from_value(issuer).unwrap();
        Place { resource: "https://mcp.example".to_owned(), scopes: None, issuer }
    }

    fn question() -> Question {
        Question { state: SecretText::new("right"), verifier: SecretText::new("verifier") }
    }

    #[test]
    fn an_answer_counts_if_it_is_ours_and_from_whom_it_should_be() {
        let check = |query: &str, names_itself: bool, expect: &str| {
            let answer = format!("http://127.0.0.1:1/callback?{query}");
            let found = match question().check(&place(names_itself), &answer) {
                Ok(code) => code.expose().to_owned(),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expect, "{query}");
        };
        let other = "the answer belongs to another login: its state is not ours";
        check("code=c&state=right", false, "c");
        check("code=c&state=right&iss=https://login.example", true, "c");
        check("code=c&state=wrong", false, other);
        check("code=c", false, other);
        check("error=access_denied&state=wrong", false, other);
        check(
            "code=c&state=right",
            true,
            "`https://login.example` promises to name itself in its answer, and has not",
        );
        let stranger =
            "an answer is from `https://login.example/`, and the login is at `https://login.example`";
        check("code=c&state=right&iss=https://login.example/", false, stranger);
        check("error=x&state=right&iss=https://login.example/", false, stranger);
        check(
            "error=access_denied&error_description=no%1b%5B&state=right",
            false,
            "the login was refused: access_denied: no[",
        );
        check(
            "code=c&code=d&state=right",
            false,
            "`the answer to the login` gave an answer that does not fit: it says something twice",
        );
        check(
            "state=right",
            false,
            "`the answer to the login` gave an answer that does not fit: it has no code",
        );
    }

    #[test]
    fn the_address_keeps_its_own_query_and_hides_the_verifier() {
        let client = serde_json::from_value(json!({ "id": "me", "method": "none" })).unwrap();
        let url = question().address(
            &place(false),
            &client,
            &["a".to_owned(), "b".to_owned()],
            "http://127.0.0.1:1/callback",
        );
        assert_eq!(
            url.unwrap().as_str(),
            "https://login.example/authorize?tenant=1&response_type=code&client_id=me\
             &redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&state=right\
             &code_challenge=iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ&code_challenge_method=S256\
             &resource=https%3A%2F%2Fmcp.example&scope=a+b"
        );
    }
}
