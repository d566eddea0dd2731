//! The request to the model, from the conversation and the settings of the moment.

use std::sync::Arc;

use adroit_model::{ModelClient, ModelError, ModelRequest};

use crate::Session;
use crate::context::estimate;
use crate::instructions;

impl Session {
    /// Who is asked, and what.
    pub(super) fn request(&self) -> Result<(Arc<dyn ModelClient>, Arc<ModelRequest>), ModelError> {
        let (client, model) = self.model()?;
        let pool = &self.engine.pool;
        let options = pool.describe_options(self.interactive());
        let messages = self.context().sent();
        let request = ModelRequest {
            model,
            system: instructions::system(&self.project, self.trusted(), &pool.deferred_names()),
            tools: pool.definitions(&options),
            tool_cache_breakpoint: pool.cache_breakpoint(),
            messages: messages.into(),
            max_output_tokens: self.max_output_tokens(),
            thinking: None,
        };
        Ok((client, Arc::new(request)))
    }

    /// About how many tokens of a request are not its conversation.
    pub(crate) fn surroundings(&self) -> u64 {
        let pool = &self.engine.pool;
        let options = pool.describe_options(self.interactive());
        let system = instructions::system(&self.project, self.trusted(), &pool.deferred_names());
        estimate::surroundings(&system, &pool.definitions(&options))
    }
}
