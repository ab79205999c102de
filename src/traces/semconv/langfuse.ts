import type { Convention } from './convention.ts'
import { readCostDetails } from './usage-details.ts'

export const langfuse: Convention = {
  name: 'Langfuse',
  kinds: {
    // `span` and `event` are what it calls everything else, and say nothing.
    'langfuse.observation.type': {
      generation: 'llm',
      embedding: 'embedding',
      agent: 'agent',
      tool: 'tool',
      chain: 'chain',
      retriever: 'retriever',
      guardrail: 'guardrail',
      evaluator: 'evaluator',
    },
  },
  fields: {
    traceName: ['langfuse.trace.name'],
    input: ['langfuse.observation.input', 'langfuse.trace.input'],
    output: ['langfuse.observation.output', 'langfuse.trace.output'],
    model: ['langfuse.observation.model.name'],
    usageDetails: ['langfuse.observation.usage_details'],
    costUsd: [{ key: 'langfuse.observation.cost_details', read: readCostDetails }],
    sessionId: ['langfuse.session.id', 'session.id'],
    userId: ['langfuse.user.id', 'user.id'],
    tags: ['langfuse.trace.tags', 'langfuse.tags'],
    environment: ['langfuse.environment'],
    failure: ['langfuse.observation.level'],
    statusMessage: ['langfuse.observation.status_message'],
    // Its dataset and item ids are of another system: here they would name nothing, and their spans would be refused.
    run: ['langfuse.experiment.name'],
  },
  parameters: { objects: ['langfuse.observation.model.parameters'] },
}
