import { SPAN_KINDS } from '../../storing/mapped-span.ts'
import type { Convention } from './convention.ts'

/**
 * The attributes that we define. `promptic.*` are the names of earlier clients; LangSmith's bridge puts both under `langsmith.metadata.`.
 */
export const ownAttributes: Convention = {
  name: 'Touchstone',
  kinds: Object.fromEntries(
    spelled('kind').map((key) => [key, Object.fromEntries(SPAN_KINDS.map((kind) => [kind, kind]))]),
  ),
  fields: {
    input: spelled('input'),
    output: spelled('output'),
    costUsd: spelled('cost_usd'),
    sessionId: spelled('session.id'),
    userId: spelled('user.id'),
    tags: spelled('tags'),
    component: [...spelled('component'), ...spelled('ai_component')],
    dataset: spelled('dataset'),
    run: spelled('run'),
    datasetId: spelled('dataset.id'),
    itemId: spelled('item.id'),
    source: ownOnly('source'),
    prompt: ownOnly('prompt'),
    promptLabel: ownOnly('prompt.label'),
    promptSource: ownOnly('prompt.source'),
  },
}

/** Attributes that earlier clients did not have. */
function ownOnly(name: string): string[] {
  return [`touchstone.${name}`, `langsmith.metadata.touchstone.${name}`]
}

function spelled(name: string): string[] {
  const own = ['touchstone', 'promptic'].map((prefix) => `${prefix}.${name}`)
  return [...own, ...own.map((key) => `langsmith.metadata.${key}`)]
}
