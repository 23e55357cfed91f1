//! Finding out who logs people in at a server, and how.

use serde::Deserialize;
use url::Url;

use super::challenge::Challenge;
use super::error::OAuthError;
use super::web::Web;

/// What a server says about itself (RFC 9728).
#[derive(Debug, Clone, Deserialize)]
struct ResourceMetadata {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    scopes_supported: Option<Vec<String>>,
}

/// What whoever logs people in says about itself (RFC 8414, and the same in `OpenID` Connect).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct IssuerMetadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) registration_endpoint: Option<String>,
    #[serde(default)]
    pub(super) scopes_supported: Option<Vec<String>>,
    #[serde(default)]
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub(super) client_id_metadata_document_supported: bool,
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// All that has to be known for a login at a server.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// What a token is for, exactly as the server says it.
    pub(super) resource: String,
    /// What the server says can be allowed.
    pub(super) scopes: Option<Vec<String>>,
    pub(super) issuer: IssuerMetadata,
}

impl Place {
    /// Asks a server, and whom it names.
    pub(super) async fn find(web: &Web, server: &str, challenge: &Challenge) -> Result<Self, OAuthError> {
        let address = web.checked(server)?;
        let described = describe(web, &address, challenge).await?;
        let (resource, issuer, scopes) = match described {
            Some(about) => {
                if !is_about(&about.resource, &address) {
                    let resource = about.resource;
                    return Err(OAuthError::OtherResource { server: server.to_owned(), resource });
                }
                let first = about.authorization_servers.into_iter().next();
                let issuer = first.ok_or_else(|| OAuthError::NoMetadata { server: server.to_owned() })?;
                (about.resource, issuer, about.scopes_supported)
            }
            // Servers of the first form of the protocol log people in themselves.
            None => (server.to_owned(), address.origin().ascii_serialization(), None),
        };
        let issuer = issuer_metadata(web, &issuer).await?;
        Ok(Self { resource, scopes, issuer })
    }
}

/// What a server says about itself: where it says so, or where everybody does.
async fn describe(
    web: &Web,
    server: &Url,
    challenge: &Challenge,
) -> Result<Option<ResourceMetadata>, OAuthError> {
    if let Some(address) = &challenge.resource_metadata {
        let found = web.description(address).await?;
        return found.map(Some).ok_or_else(|| OAuthError::malformed(address, "it is not there"));
    }
    for path in [server.path(), ""] {
        let address = well_known(server, "oauth-protected-resource", path);
        if let Some(found) = web.description(&address).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether a description is about the server that is reached at an address: it is at the same place, or above it.
fn is_about(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let above = resource.path().trim_end_matches('/');
    let below = server.path().strip_prefix(above);
    resource.origin() == server.origin()
        && resource.fragment().is_none()
        && resource.query().is_none_or(|query| server.query() == Some(query))
        && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn issuer_metadata(web: &Web, issuer: &str) -> Result<IssuerMetadata, OAuthError> {
    let address = web.checked(issuer)?;
    let path = address.path().trim_end_matches('/');
    let mut places = vec![well_known(&address, "oauth-authorization-server", path)];
    places.push(well_known(&address, "openid-configuration", path));
    if !path.is_empty() {
        let origin = address.origin().ascii_serialization();
        places.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    for place in places {
        let Some(found) = web.description::<IssuerMetadata>(&place).await? else { continue };
        // Compared letter by letter: whoever is only nearly the same is somebody else.
        if found.issuer != issuer {
            return Err(OAuthError::OtherIssuer { expected: issuer.to_owned(), found: found.issuer });
        }
        if !found.code_challenge_methods_supported.iter().any(|method| method == "S256") {
            return Err(OAuthError::NoPkce { issuer: found.issuer });
        }
        web.checked(&found.authorization_endpoint)?;
        web.checked(&found.token_endpoint)?;
        return Ok(found);
    }
    Err(OAuthError::NoMetadata { server: issuer.to_owned() })
}

/// The address of a description, which stands between host and path.
fn well_known(of: &Url, name: &str, path: &str) -> String {
    let path = if path == "/" { "" } else { path };
    format!("{}/.well-known/{name}{path}", of.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_speaks_for_itself_and_for_what_is_below() {
        let server = Url::parse("https://example.com/a/mcp").unwrap();
        for good in [
            "https://example.com",
            "https://example.com/",
            "https://example.com/a",
            "https://example.com/a/mcp",
            "https://EXAMPLE.com:443/a/",
        ] {
            assert!(is_about(good, &server), "{good}");
        }
        for bad in [
            "https://example.org",
            "http://example.com",
            "https://example.com:8443",
            "https://example.com/a/mc",
            "https://example.com/a/mcp/x",
            "https://example.com/b",
            "https://example.com/a#b",
            "https://example.com/a?tenant=b",
            "example.com",
        ] {
            assert!(!is_about(bad, &server), "{bad}");
        }
    }

    #[test]
    fn descriptions_stand_between_host_and_path() {
        let url = Url::parse("https://example.com:8443/a/b?c").unwrap();
        assert_eq!(well_known(&url, "x", url.path()), "https://example.com:8443/.well-known/x/a/b");
        assert_eq!(well_known(&url, "x", "/"), "https://example.com:8443/.well-known/x");
        assert_eq!(well_known(&url, "x", ""), "https://example.com:8443/.well-known/x");
    }
}
