import { readCostDetails } from '../usage-details.ts'
import type { Convention } from './convention.ts'

export const langfuse: Convention = {
  name: 'Langfuse',
  kinds: {
    // Langfuse uses `span` and `event` for everything else; they imply no kind.
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
    // Dataset and item ids of Langfuse do not exist here, so their spans would be rejected.
    run: ['langfuse.experiment.name'],
  },
  parameters: { objects: ['langfuse.observation.model.parameters'] },
}
