//! The content security policy of the report: its own script by hash, nothing from elsewhere.

use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

/// What the browser may load for a page with this script, whatever a name in the data holds.
pub(super) fn of(script: &str) -> String {
    let hash = BASE64_STANDARD.encode(Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'sha256-{hash}'; \
         base-uri 'none'; form-action 'none'"
    )
}
