//! The request to the model, from the conversation and the settings of the moment.

use std::sync::Arc;

use adroit_model::{ModelClient, ModelError, ModelRequest, SystemBlock};
use adroit_protocol::permission::Mode;
use adroit_tools::AgentKind;

use crate::Session;
use crate::agents::AGENT;
use crate::context::estimate;
use crate::instructions::{self, Surroundings};

/// The tool that presents a plan.
const EXIT_PLAN_MODE: &str = "ExitPlanMode";

impl Session {
    /// Who is asked, and what.
    pub(super) fn request(&self) -> Result<(Arc<dyn ModelClient>, Arc<ModelRequest>), ModelError> {
        let (client, model) = self.model()?;
        let pool = &self.engine.pool;
        let options = pool.describe_options(self.interactive());
        let messages = self.context().sent();
        let request = ModelRequest {
            model,
            system: self.system(),
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
        estimate::surroundings(&self.system(), &pool.definitions(&options))
    }

    /// What the model is told before the conversation.
    fn system(&self) -> Vec<SystemBlock> {
        let pool = &self.engine.pool;
        let planning =
            self.permission_snapshot().mode == Mode::Plan && pool.find(EXIT_PLAN_MODE).is_some();
        let agents: Vec<AgentKind> = match pool.find(AGENT) {
            Some(_) => {
                let known = self.agent_definitions().known.into_iter();
                known
                    .filter(|definition| definition.file.is_some())
                    .map(|definition| definition.kind())
                    .collect()
            }
            None => Vec::new(),
        };
        instructions::system(&Surroundings {
            introduction: self.identity.as_ref().map(|who| who.introduction.as_str()),
            project: &self.project,
            trusted: self.trusted(),
            deferred: &pool.deferred_names(),
            agents: &agents,
            planning,
        })
    }
}
