import { SPAN_KINDS } from '../mapped-span.ts'
import type { Convention } from './convention.ts'

/** What people write for us on purpose. `promptic.*` are the spellings of the clients that were there before. */
export const ownAttributes: Convention = {
  name: 'Touchstone',
  kinds: { 'touchstone.kind': Object.fromEntries(SPAN_KINDS.map((kind) => [kind, kind])) },
  fields: {
    input: ['touchstone.input'],
    output: ['touchstone.output'],
    costUsd: ['touchstone.cost_usd'],
    sessionId: ['touchstone.session.id'],
    userId: ['touchstone.user.id'],
    tags: ['touchstone.tags'],
    component: ['touchstone.component', 'promptic.ai_component'],
    dataset: ['touchstone.dataset', 'promptic.dataset'],
    run: ['touchstone.run', 'promptic.run'],
    datasetId: ['touchstone.dataset.id', 'promptic.dataset.id'],
    itemId: ['touchstone.item.id', 'promptic.item.id'],
  },
}
