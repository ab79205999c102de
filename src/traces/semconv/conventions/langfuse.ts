import { asJsonObject } from '../json/guarded-json.ts'
import { readCostDetails } from '../usage-details.ts'
import type { Convention, Reader } from './convention.ts'

/** With the Vercel AI SDK, the prompt is a JSON object in the metadata of the call. */
const VERCEL_PROMPT = 'ai.telemetry.metadata.langfusePrompt'

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
    promptName: [
      'langfuse.observation.prompt.name',
      'langfuse.prompt.name',
      { key: VERCEL_PROMPT, read: promptReader('name') },
    ],
    promptVersion: [
      'langfuse.observation.prompt.version',
      'langfuse.prompt.version',
      { key: VERCEL_PROMPT, read: promptReader('version') },
    ],
    promptSource: [{ key: VERCEL_PROMPT, read: readFallback }],
  },
  parameters: { objects: ['langfuse.observation.model.parameters'] },
}

/** The text in the code, which is served while no version can be read, has no version. */
function promptReader(field: 'name' | 'version'): Reader {
  return (value) => {
    const prompt = asJsonObject(value)
    if (!prompt || (field === 'version' && prompt.isFallback === true)) return undefined
    const found = prompt[field]
    return typeof found === 'string' || typeof found === 'number' ? String(found) || undefined : undefined
  }
}

function readFallback(value: unknown): 'fallback' | undefined {
  return asJsonObject(value)?.isFallback === true ? 'fallback' : undefined
}
