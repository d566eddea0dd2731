//! Which model answers, and which one classifies.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use adroit_model::{ModelClient, ModelError, ProviderConfig, client};
use adroit_protocol::settings::{ModelSettings, Provider};

use crate::permissions::SessionPermissions;
use crate::secrets::Secrets;
use crate::session::{Shared, default_model};
use crate::settings::SettingsStore;

/// How long a classifier may take where the settings do not say.
const PATIENCE: Duration = Duration::from_secs(20);

/// Chooses by the settings of the moment.
pub(crate) struct ModelChoice {
    settings: Arc<SettingsStore>,
    secrets: Arc<Secrets>,
    permissions: Arc<SessionPermissions>,
    project: PathBuf,
    operator_delay: Option<Duration>,
}

/// A model that classifies.
pub(crate) struct ChosenModel {
    pub(crate) client: Arc<dyn ModelClient>,
    pub(crate) model: String,
    /// How long it may take.
    pub(crate) patience: Duration,
}

impl ModelChoice {
    pub(crate) fn new(
        shared: &Shared,
        permissions: &Arc<SessionPermissions>,
        project: PathBuf,
        operator_delay: Option<Duration>,
    ) -> Arc<Self> {
        Arc::new(Self {
            settings: Arc::clone(&shared.settings),
            secrets: Arc::clone(&shared.secrets),
            permissions: Arc::clone(permissions),
            project,
            operator_delay,
        })
    }

    fn settings(&self) -> ModelSettings {
        self.settings
            .effective(Some(&self.project), self.permissions.trusted())
            .model
            .clone()
    }

    /// The client for the model in force, with its name there.
    pub(crate) fn for_turn(&self) -> Result<(Arc<dyn ModelClient>, String), ModelError> {
        let model = self.settings();
        let name = model
            .name
            .clone()
            .unwrap_or_else(|| default_model(model.provider.unwrap_or_default()).to_owned());
        Ok((self.client(&model)?, name))
    }

    /// The model that classifies in auto mode; none with the offline operator.
    pub(crate) fn for_classifier(&self) -> Result<Option<ChosenModel>, ModelError> {
        let model = self.settings();
        let provider = model.provider.unwrap_or_default();
        if provider == Provider::Offline {
            return Ok(None);
        }
        let name = model
            .classifier
            .clone()
            .or_else(|| model.name.clone())
            .unwrap_or_else(|| default_model(provider).to_owned());
        Ok(Some(ChosenModel {
            client: self.client(&model)?,
            model: name,
            patience: model
                .classifier_timeout_seconds
                .map_or(PATIENCE, |seconds| Duration::from_secs(seconds.into())),
        }))
    }

    fn client(&self, model: &ModelSettings) -> Result<Arc<dyn ModelClient>, ModelError> {
        let provider = model.provider.unwrap_or_default();
        let mut config = configured(model);
        if provider != Provider::Offline {
            config.key = self.secrets.key(provider);
        }
        if let Some(delay) = self.operator_delay {
            config.operator_delay = delay;
        }
        client(&config)
    }
}

/// What the settings say of a provider, without its key.
#[must_use]
pub fn configured(model: &ModelSettings) -> ProviderConfig {
    let mut config = ProviderConfig::new(model.provider.unwrap_or_default());
    config.base_url.clone_from(&model.base_url);
    let seconds = |value: u32| Duration::from_secs(value.max(1).into());
    if let Some(value) = model.response_timeout_seconds {
        config.response_timeout = seconds(value);
    }
    if let Some(value) = model.idle_timeout_seconds {
        config.idle_timeout = seconds(value);
    }
    config
}
