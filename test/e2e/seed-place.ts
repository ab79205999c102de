/** An application with one of everything that pages show, one without anything, and three people. */
import type { Client } from '../harness/client.ts'
import type { Person, TestApp } from '../harness/test-app.ts'
import { seedRatedRun } from './agreement-visits.ts'
import { seedLaterTrace } from './compare-traces-visits.ts'
import { seedCompared } from './compare-visits.ts'
import { seedItems } from './dataset-visits.ts'
import { seedDecisionOn } from './decisions-visits.ts'
import { seedEvaluation } from './evaluation-visits.ts'
import { seedExperiments } from './experiment-visits.ts'
import { seedPromptVersions } from './prompts-visits.ts'
import { seedTrace } from './seed-trace.ts'
import { seedTrials } from './trial-visits.ts'

/** Nothing listens on this port: a test of the connection fails at once. */
export const CLOSED_PORT = '127.0.0.1:9'

export type Place = {
  owner: Person
  viewer: Person
  stranger: Person
  filled: string
  empty: string
  component: string
  dataset: string
  run: string
  evaluation: string
  compared: string
  prompt: string
  /** A component with trials. */
  tried: string
  /** One with experiments. */
  improved: string
}

export async function seedPlace(app: TestApp): Promise<Place> {
  const { workspaceId: filled, client: sender } = await app.newWorkspace('Customer support')
  const { workspaceId: empty } = await app.newWorkspace('Search relevance')
  const owner = await app.newPerson([filled, empty].map((workspaceId) => ({ workspaceId, role: 'owner' as const })))
  const viewer = await app.newPerson([{ workspaceId: filled, role: 'viewer' }])
  const client = app.asPerson(owner, filled)
  await client.patch(`/workspaces/${filled}`, { name: 'Customer support', description: 'Everything a customer reads.' })
  await client.create('/components', { name: 'triage' })
  await client.create('/components', { name: 'summariser', description: 'Condenses a thread into three sentences.' })
  const component = await client.create('/components', {
    name: 'support-assistant',
    description: 'First-line answers.',
  })
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'golden answers', traceIds: ['a', 'b'] })
  const hardCases = { name: 'hard cases', description: 'What went wrong in October.' }
  const dataset = await client.create(`${path}/datasets`, hardCases)
  for (const name of ['v1', 'v2', undefined]) await client.create(`${path}/runs`, { datasetId, name, traceIds: ['a'] })
  await client.create(`${path}/evaluations`, { datasetId, name: 'faithfulness' })
  await client.create(`${path}/evaluations`, { datasetId })
  await client.create('/api-keys', { name: 'notebook', expiresAt: null })
  await client.create('/members', { email: 'grace@example.com', role: 'annotator' })
  await seedTrace(sender)
  await seedLaterTrace(sender)
  await seedRejectedKey(app, client)
  const ratings = ['wrong', 'partly', 'right'].map((value, score) => ({ value, score }))
  await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
  await seedItems(client, component, dataset)
  const run = await seedRatedRun(app, { owner, workspaceId: filled, component, dataset })
  await seedDecisionOn(app.asPerson(owner, filled), { component, dataset, run })
  const baseUrl = `http://${CLOSED_PORT}/v1`
  await client.create('/connections', { name: 'Local', baseUrl, apiKey: 'secret', models: ['llama-4'] })
  const headers = { authorization: 'Bearer secret', 'x-tenant': 'support' }
  await client.create('/endpoints', { name: 'staging', baseUrl: `http://${CLOSED_PORT}/answer`, headers })
  const evaluation = await seedEvaluation(client, component)
  const tried = await seedTrials(client)
  const improved = await seedExperiments(client)
  const price = { inputPerMillion: 0.2, outputPerMillion: 0.6 }
  await client.create('/prices', { modelPattern: 'our-llama-.*', ...price })
  await client.create('/prices', {
    modelPattern: 'gpt-5',
    provider: 'openai',
    ...price,
    validFrom: '2026-01-01T00:00:00Z',
  })
  await client.send('PUT', '/retention', { body: { days: 90 } })
  const compared = await seedCompared(client)
  const prompt = await seedPromptVersions(client, component)
  const stranger = await app.newPerson()
  const places = { filled, empty, component, dataset, run, evaluation, compared, prompt, tried, improved }
  return { owner, viewer, stranger, ...places }
}

async function seedRejectedKey(app: TestApp, client: Client): Promise<void> {
  const { body: key } = await client.post('/api-keys', { name: 'old laptop', role: 'editor' })
  await client.delete(`/api-keys/${key.id}`)
  await app.withKey(String(key.key)).get('/me')
}
