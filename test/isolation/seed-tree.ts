import type { Client } from '../harness/client.ts'
import { sendSpans, spanIdOf } from '../harness/otlp-json.ts'
import type { Person, TestApp } from '../harness/test-app.ts'
import { type Ids, PROMPT_NAME, REJECTING_URL } from './route-requests.ts'
import { waitForJobs } from './workspace-rows.ts'

/**
 * Both workspaces have a trace of this id, with spans of the same ids: a query that forgets its workspace finds the other one's
 * spans by it, or its annotations.
 */
export const SHARED_TRACE = '5a4ed5a4ed5a4ed5a4ed5a4ed5a4ed5a'

/** A workspace with one of everything in it. `ids` are those of its tree. */
export type Tenant = {
  workspaceId: string
  owner: Person
  /** As the owner, in a browser. */
  session: Client
  key: Client
  secret: string
  ids: Ids
}

/** Every text in the workspace holds `mark`. */
export async function seedTenant(app: TestApp, mark: string): Promise<Tenant> {
  const { workspaceId, key } = await app.newWorkspace(`${mark} workspace`)
  const owner = await app.newPerson([{ workspaceId, role: 'owner' }])
  const session = app.asPerson(owner, workspaceId)
  await session.patch(`/workspaces/${workspaceId}`, { description: `${mark} of the workspace` })
  const ids = await seedTree(session, { workspaceId, mark })
  await sendSharedTrace(app.withKey(key), mark)
  await waitForJobs(app.storage, workspaceId)
  return { workspaceId, owner, session, key: app.withKey(key), secret: key, ids }
}

/** As an exporter sends it, with the mark wherever a span may hold a text. */
async function sendSharedTrace(key: Client, mark: string): Promise<void> {
  const trace = { traceId: SHARED_TRACE, start: Date.now() }
  const root = {
    ...trace,
    spanId: spanIdOf(1),
    name: `${mark} span`,
    attributes: {
      'input.value': `${mark} question`,
      'output.value': `${mark} answer`,
      'session.id': `${mark} session`,
      'user.id': `${mark} user`,
      'touchstone.tags': [`${mark} tag`],
      [`${mark} attribute`]: `${mark} value`,
    },
    status: 'error' as const,
    statusMessage: `${mark} failure`,
    events: [{ name: `${mark} event`, attributes: { [`${mark} detail`]: 1 } }],
  }
  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': `${mark} model`,
    'gen_ai.usage.input_tokens': mark.length,
  }
  const child = { ...trace, spanId: spanIdOf(2), parentSpanId: root.spanId, attributes: call }
  const resource = { 'service.name': `${mark} service`, 'deployment.environment': `${mark} environment` }
  await sendSpans(key, [root, child], resource)
}

/** The name that the sender of a tree's trace gave it: one of its own in every tree. */
export function senderIdOf({ componentId = '' }: Ids): string {
  return componentId.replaceAll('-', '')
}

/** A trial with one call, which a worker has failed for good. */
async function seedTrial(
  session: Client,
  { inComponent, datasetId, mark }: { inComponent: string; datasetId: string; mark: string },
): Promise<string> {
  const variant = { name: `${mark} variant`, target: { type: 'worker', queue: 'seeded' } }
  const trial = { datasetId, name: `${mark} trial`, sample: { n: 1 }, variants: [variant] }
  const trialId = await session.create(`${inComponent}/trials`, trial)
  const path = `${inComponent}/trials/${trialId}`
  const { body } = await session.post(`${path}/calls/lease`, { queue: 'seeded', waitSeconds: 20 })
  const [call]: { id: number; lease: string }[] = Object(body.calls)
  await session.post(`${path}/calls/${call?.id}/fail`, { lease: call?.lease, error: `${mark} error of a worker` })
  return trialId
}

/** An experiment with a dataset of its own, canceled before its start. */
async function seedExperiment(
  session: Client,
  { componentId, provider, mark }: Record<'componentId' | 'provider' | 'mark', string>,
): Promise<{ experimentId: string; evaluatorId: string }> {
  const { body: created } = await session.post('/experiments', {
    aiComponentId: componentId,
    targetModel: `${mark} model`,
    provider,
    name: `${mark} experiment`,
    description: `${mark} description`,
    initialPrompt: `${mark} content`,
  })
  const experimentId = String(created.id)
  const cases = [{ inputPayload: { input: `${mark} input` }, expectedPayload: `${mark} expected` }]
  await session.post(`/components/${componentId}/datasets/${created.datasetId}/cases`, cases)
  const evaluators = [{ name: `${mark} evaluator`, type: 'f1', weight: 1, description: `${mark} description` }]
  const { body: added } = await session.post(`/experiments/${experimentId}/evaluators`, evaluators)
  await session.post(`/components/${componentId}/experiments/${experimentId}/cancel`, undefined)
  const [evaluator]: { id?: string }[] = Object(added).data
  return { experimentId, evaluatorId: String(evaluator?.id) }
}

/** One of everything that has an id, each below the one before it. */
export async function seedTree(
  session: Client,
  { workspaceId, mark }: { workspaceId: string; mark: string },
): Promise<Ids> {
  const description = `${mark} description`
  const traceIds = [SHARED_TRACE, `${mark} trace`]
  const componentId = await session.create('/components', { name: `${mark} component`, description })
  const inComponent = `/components/${componentId}`
  const promptId = await session.create(`${inComponent}/prompts`, { name: PROMPT_NAME, description })
  for (const place of [1, 2, 3]) {
    const content = { messages: [{ role: 'user', content: `${mark} content ${place}` }], model: `${mark} model` }
    const version = { content, note: `${mark} version`, labels: place === 1 ? [] : ['production'] }
    await session.post(`${inComponent}/prompts/${promptId}/versions`, version)
  }
  const dataset = { name: `${mark} dataset`, description, traceIds }
  const datasetId = await session.create(`${inComponent}/datasets`, dataset)
  const item = { input: `${mark} input`, output: `${mark} output`, expected: `${mark} expected`, metadata: { mark } }
  await session.post(`${inComponent}/datasets/${datasetId}/items`, item)
  const [newest] = await session.list(`${inComponent}/datasets/${datasetId}/items?limit=1`)
  const itemId = String(newest?.id)
  const importPath = `${inComponent}/datasets/${datasetId}/import?file_name=${encodeURIComponent(`${mark} file`)}`
  const imported = await session.post(importPath, `input\n${mark} imported\n`, { 'content-type': 'text/csv' })
  const importId = String(imported.body.importId)
  const runId = await session.create(`${inComponent}/runs`, { datasetId, name: `${mark} run`, traceIds })
  const candidate = await session.create(`${inComponent}/runs`, { datasetId, name: `${mark} second run` })
  const preference = { baseline: runId, candidate, itemId, better: 'candidate', shownLeft: 'baseline' }
  await session.send('PUT', `${inComponent}/comparisons/preferences`, { body: preference })
  const note = { rating: `${mark} rating`, comment: `${mark} comment` }
  const annotations = `${inComponent}/runs/${runId}/annotations`
  await session.create(annotations, { traceDbId: `${mark} trace`, ...note })
  const annotationId = await session.create(annotations, { traceDbId: SHARED_TRACE, ...note })
  const config = { evaluators: [{ type: 'humanRating', name: `${mark} evaluator`, positive: [note.rating] }] }
  const evaluation = { datasetId, runId, name: `${mark} evaluation`, config }
  const evaluationId = await session.create(`${inComponent}/evaluations`, evaluation)
  const traceId = await session.create(`${inComponent}/traces`, {
    traceId: senderIdOf({ componentId }),
    name: `${mark} native trace`,
    input: `${mark} native input`,
    sessionId: `${mark} native session`,
    spans: [
      { name: `${mark} native span`, model: `${mark} model`, inputTokens: 1, metadata: { [`${mark} field`]: 1 } },
    ],
  })
  const { body: outline } = await session.get(`/traces/${traceId}/outline`)
  const spanId = String(Array.isArray(outline.spanIds) && outline.spanIds[0])
  await session.send('PUT', `/traces/${traceId}/annotation`, {
    body: { ...note, correctedOutput: `${mark} correction` },
  })
  const commentId = await session.create(`/traces/${traceId}/comments`, { text: `${mark} comment on a trace` })
  const correction = { correctedOutput: `${mark} corrected output` }
  await session.send('PUT', `${annotations}/${annotationId}/corrected-output`, { body: correction })
  const trialId = await seedTrial(session, { inComponent, datasetId, mark })
  const price = { modelPattern: `${mark} model`, inputPerMillion: 1, outputPerMillion: 1 }
  const priceId = await session.create('/prices', price)
  const connection = { name: `${mark} connection ${componentId}`, baseUrl: REJECTING_URL, models: [`${mark} judge`] }
  const connectionId = await session.create('/connections', connection)
  const inExperiment = await seedExperiment(session, { componentId, provider: connection.name, mark })
  const headers = { [`x-${mark}-header`.toLowerCase()]: `${mark} value` }
  const endpoint = { name: `${mark} endpoint ${componentId}`, baseUrl: REJECTING_URL, headers }
  const endpointId = await session.create('/endpoints', endpoint)
  const keyId = await session.create('/api-keys', { name: `${mark} key` })
  const email = `${mark}-${componentId}@example.com`.toLowerCase()
  const userId = await session.create('/members', { email, role: 'viewer' })
  const view = { name: `${mark} view`, query: `${mark} query`, columns: [`${mark} column`], shared: true }
  const viewId = await session.create('/views', view)
  const baselineRunId = runId
  const candidateRunId = candidate
  const decided = { baselineRunId, candidateRunId, decision: 'hold', note: `${mark} decision` }
  const decisionId = await session.create(`${inComponent}/decisions`, decided)
  await session.patch('/sharing', { linksAllowed: true })
  await session.send('PUT', '/trace-settings', { body: { createsComponents: true } })
  const linkId = await session.create(`${inComponent}/decisions/${decisionId}/links`, { expiresInDays: 1 })
  const inDecision = { decisionId, linkId, baselineRunId, candidateRunId }
  const inTree = { componentId, datasetId, itemId, runId, annotationId, evaluationId, traceId, spanId, commentId }
  return {
    workspaceId,
    ...inTree,
    promptId,
    trialId,
    ...inExperiment,
    aiComponentId: componentId,
    importId,
    priceId,
    connectionId,
    endpointId,
    keyId,
    userId,
    viewId,
    ...inDecision,
    baseline: runId,
    candidate,
  }
}
