import type { SpanKind } from '../../storing/mapped-span.ts'
import type { Convention } from './convention.ts'

/** By type of span, in both spellings of model calls. Only the innermost span of a model call reports its usage. */
const KINDS: Readonly<Record<string, SpanKind>> = {
  agent_run: 'agent',
  model_generation: 'chain',
  llm_generation: 'chain',
  model_step: 'chain',
  llm_step: 'chain',
  model_inference: 'llm',
  tool_call: 'tool',
  mcp_tool_call: 'tool',
  processor_run: 'chain',
  workflow_run: 'chain',
  workflow_step: 'chain',
}
const TYPES = [...Object.keys(KINDS), 'model_chunk', 'llm_chunk', 'generic']

/** Mastra's exporter. Next to the attributes of the GenAI convention, each type of span has its own names for input and output. */
export const mastra: Convention = {
  name: 'Mastra',
  kinds: { 'mastra.span.type': KINDS },
  fields: {
    input: TYPES.map((type) => `mastra.${type}.input`),
    output: TYPES.map((type) => `mastra.${type}.output`),
    sessionId: ['mastra.metadata.sessionId', 'mastra.metadata.threadId'],
    userId: ['mastra.metadata.userId', 'mastra.metadata.resourceId'],
    tags: ['mastra.tags'],
    environment: ['mastra.metadata.environment'],
  },
}
