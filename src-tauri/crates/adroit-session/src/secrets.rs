//! Keys of model providers: from the environment, the system's keyring, or a file that
//! only the person may read where there is no keyring.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adroit_model::Secret;
use adroit_protocol::command::{KeyOrigin, KeyState};
use adroit_protocol::settings::Provider;

use crate::AppDirectories;
use crate::file::{self, FileError, Privacy};

const SERVICE: &str = "adroit";

/// Where keys are kept.
#[derive(Debug)]
pub struct Secrets {
    file: PathBuf,
    keyring: bool,
}

/// A key could not be stored.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It is empty.
    #[error("the key is empty")]
    Empty,
    /// Neither the keyring nor the file could take it.
    #[error("the key could not be stored: {0}")]
    File(#[from] FileError),
}

impl Secrets {
    /// The keys of this person.
    #[must_use]
    pub fn new(directories: &AppDirectories) -> Self {
        Self {
            file: directories.keys(),
            keyring: keyring_is_reachable(),
        }
    }

    /// The keys in a file only: for tests.
    #[must_use]
    pub fn in_file(file: PathBuf) -> Self {
        Self {
            file,
            keyring: false,
        }
    }

    /// The provider's key, the environment first: it is the most deliberate place.
    #[must_use]
    pub fn key(&self, provider: Provider) -> Option<Secret> {
        if let Some((_, key)) = from_environment(provider) {
            return Some(Secret::new(key));
        }
        if self.keyring
            && let Some(key) = from_keyring(provider)
        {
            return Some(Secret::new(key));
        }
        self.stored().remove(provider.word()).map(Secret::new)
    }

    /// What is known of the key. Never the key.
    #[must_use]
    pub fn state(&self, provider: Provider) -> KeyState {
        let (origin, place) = if let Some((variable, _)) = from_environment(provider) {
            (KeyOrigin::Environment, format!("the variable {variable}"))
        } else if self.keyring && from_keyring(provider).is_some() {
            (KeyOrigin::Keyring, "the system's keyring".to_owned())
        } else if self.stored().contains_key(provider.word()) {
            (
                KeyOrigin::File,
                format!("{}, readable by you only", self.file.display()),
            )
        } else {
            (KeyOrigin::None, String::new())
        };
        KeyState {
            provider,
            origin,
            place,
        }
    }

    /// Stores a key: in the keyring, else in the file.
    ///
    /// # Errors
    /// An empty key, or a file that cannot be written.
    pub fn store(&self, provider: Provider, key: &str) -> Result<(), SecretError> {
        let key = key.trim();
        if key.is_empty() {
            return Err(SecretError::Empty);
        }
        if self.keyring {
            let stored = keyring::v1::Entry::new(SERVICE, provider.word())
                .and_then(|entry| entry.set_password(key));
            match stored {
                Ok(()) => {
                    // One place only: an old copy in the file would come back when the keyring is locked.
                    self.change(|keys| {
                        keys.remove(provider.word());
                    })?;
                    return Ok(());
                }
                Err(error) => {
                    tracing::warn!(%error, "the keyring did not take the key; using the file")
                }
            }
        }
        self.change(|keys| {
            keys.insert(provider.word().to_owned(), key.to_owned());
        })?;
        Ok(())
    }

    /// Removes the stored key. One in the environment is not ours to remove.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn clear(&self, provider: Provider) -> Result<(), SecretError> {
        if self.keyring
            && let Ok(entry) = keyring::v1::Entry::new(SERVICE, provider.word())
            && let Err(error) = entry.delete_credential()
        {
            tracing::debug!(%error, "no key was removed from the keyring");
        }
        self.change(|keys| {
            keys.remove(provider.word());
        })?;
        Ok(())
    }

    fn stored(&self) -> BTreeMap<String, String> {
        file::read_optional(&self.file)
            .ok()
            .flatten()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    fn change(&self, edit: impl FnOnce(&mut BTreeMap<String, String>)) -> Result<(), FileError> {
        file::with_lock(&self.file, || {
            let before = self.stored();
            let mut keys = before.clone();
            edit(&mut keys);
            if keys == before {
                return Ok(());
            }
            let text = serde_json::to_string_pretty(&keys).unwrap_or_else(|_| "{}".to_owned());
            file::write_whole(&self.file, &text, Privacy::Private)
        })?
    }
}

/// The variables that hold a provider's key; children never inherit them.
#[must_use]
pub fn variables(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::Offline => &[],
        Provider::Anthropic => &["ANTHROPIC_API_KEY"],
        Provider::OpenaiChat => &["OPENAI_API_KEY"],
    }
}

fn from_environment(provider: Provider) -> Option<(&'static str, String)> {
    variables(provider).iter().find_map(|variable| {
        std::env::var(variable)
            .ok()
            .filter(|key| !key.trim().is_empty())
            .map(|key| (*variable, key))
    })
}

fn from_keyring(provider: Provider) -> Option<String> {
    keyring::v1::Entry::new(SERVICE, provider.word())
        .ok()?
        .get_password()
        .ok()
}

/// Asking a keyring that is not there costs seconds of D-Bus time-outs: without a session
/// bus there is none.
fn keyring_is_reachable() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || std::env::var_os("XDG_RUNTIME_DIR")
            .is_some_and(|folder| PathBuf::from(folder).join("bus").exists())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_file_is_for_the_person_only_and_the_key_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::in_file(folder.path().join("keys.json"));
        secrets.store(Provider::OpenaiChat, " sk-test \n").unwrap();
        let mode = std::fs::metadata(folder.path().join("keys.json"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let state = secrets.state(Provider::OpenaiChat);
        assert!(!format!("{state:?}").contains("sk-test"));
        secrets.clear(Provider::OpenaiChat).unwrap();
        assert_eq!(secrets.stored().len(), 0);
    }

    #[test]
    fn an_empty_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::in_file(folder.path().join("keys.json"));
        assert!(matches!(
            secrets.store(Provider::Anthropic, "  "),
            Err(SecretError::Empty)
        ));
    }
}
