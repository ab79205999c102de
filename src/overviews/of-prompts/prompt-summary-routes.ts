import { notFound } from '../../base/errors.ts'
import { findComponent } from '../../components/component-queries.ts'
import { ComponentParams } from '../../components/component-schemas.ts'
import { readUuid } from '../../http/query-parameters.ts'
import { ok, route } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { readKeysetPage } from '../keyset-page.ts'
import { readPromptPeriod } from './prompt-period.ts'
import { PromptChanges, PromptChangesQuery, PromptSummaries, PromptSummariesQuery } from './prompt-summary-schemas.ts'
import { readPromptChanges } from './read-prompt-changes.ts'
import { readPromptSummaries } from './read-prompt-summaries.ts'

const reading = {
  method: 'GET',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  tag: 'Prompts',
  params: ComponentParams,
  isCancellable: true,
} as const

const getPromptSummaries = route({
  ...reading,
  path: '/components/:componentId/prompt-summaries',
  summary:
    'List prompts, newest first, with how their versions were used in production, how good they were and what they cost',
  query: PromptSummariesQuery,
  responses: { 200: PromptSummaries },
  handle: async ({ db, clock, principal: { workspaceId }, params: { componentId }, query, signal }) => {
    const q = db.bulk({ application: workspaceId, signal, from: 'request' })
    const period = readPromptPeriod(query.days, clock.now())
    const promptId = query.prompt_id === undefined ? undefined : readUuid('prompt_id', query.prompt_id)
    await requireComponent(q, workspaceId, componentId)
    const asked = { workspaceId, componentId, promptId, metric: query.metric ?? 'rating', period }
    return ok(await readPromptSummaries(q, { ...asked, ...readKeysetPage(query) }))
  },
})

const getPromptChanges = route({
  ...reading,
  path: '/components/:componentId/prompt-changes',
  summary: 'List saved versions and changes of labels of all prompts of a component, newest first',
  query: PromptChangesQuery,
  responses: { 200: PromptChanges },
  handle: async ({ db, principal, params: { componentId }, query, signal }) => {
    const { workspaceId } = principal
    const q = db.bulk({ application: workspaceId, signal, from: 'request' })
    await requireComponent(q, workspaceId, componentId)
    return ok(await readPromptChanges(q, principal, componentId, query))
  },
})

export const promptSummaryRoutes = [getPromptSummaries, getPromptChanges]

async function requireComponent(q: Queries, workspaceId: string, componentId: string): Promise<void> {
  const [component] = await findComponent(q, { workspaceId, componentId })
  if (!component) throw notFound('Component')
}
