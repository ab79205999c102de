/** The twenty operations of the specification as data, and a resource of each kind to try them on. */
import type { Client } from '../harness/client.ts'
import type { SeededWorkspace, TestApp } from '../harness/test-app.ts'

/** One of each, below one another. */
export type Chain = {
  component: string
  dataset: string
  run: string
  annotation: string
  evaluation: string
}

export async function seedChain(client: Client): Promise<Chain> {
  const component = await client.create('/components', { name: 'Summarizer' })
  const at = `/components/${component}`
  const dataset = await client.create(`${at}/datasets`, { name: 'Questions', traceIds: ['t1', 't2'] })
  const run = await client.create(`${at}/runs`, { datasetId: dataset, name: 'First', traceIds: ['t1', 't2'] })
  const annotation = await client.create(`${at}/runs/${run}/annotations`, { traceDbId: 't1', rating: 'positive' })
  const evaluation = await client.create(`${at}/evaluations`, { datasetId: dataset, runId: run, name: 'Check' })
  return { component, dataset, run, annotation, evaluation }
}

export type SharedChain = SeededWorkspace & { ids: Chain }

const shared = new WeakMap<TestApp, Promise<SharedChain>>()

/** A chain that tests of one server share. Only for tests that delete nothing and count nothing but what they add. */
export function sharedChain(app: TestApp): Promise<SharedChain> {
  const known = shared.get(app) ?? newChain(app)
  shared.set(app, known)
  return known
}

async function newChain(app: TestApp): Promise<SharedChain> {
  const workspace = await app.newWorkspace()
  return { ...workspace, ids: await seedChain(workspace.client) }
}

export type Operation = {
  method: 'GET' | 'POST' | 'DELETE'
  /** As the specification writes it. */
  template: string
  status: number
  body?: (ids: Chain) => Record<string, unknown>
  /** The least role that may do it. */
  role: 'viewer' | 'annotator' | 'editor'
  auth: 'key-or-session' | 'session'
}

const reading = { method: 'GET', status: 200, role: 'viewer', auth: 'key-or-session' } as const
const deleting = { method: 'DELETE', status: 204, role: 'editor', auth: 'key-or-session' } as const
const creating = { method: 'POST', status: 201, role: 'editor', auth: 'key-or-session' } as const

const COMPONENT = '/components/{componentId}'
const DATASET = `${COMPONENT}/datasets/{datasetId}`
const RUN = `${COMPONENT}/runs/{runId}`

export const OPERATIONS: readonly Operation[] = [
  { ...reading, template: '/workspace' },
  { ...reading, template: '/workspaces', auth: 'session' },
  { ...reading, template: '/components' },
  { ...creating, template: '/components', body: () => ({ name: 'Another' }) },
  { ...reading, template: COMPONENT },
  { ...deleting, template: COMPONENT },
  { ...reading, template: `${COMPONENT}/datasets` },
  { ...creating, template: `${COMPONENT}/datasets`, body: () => ({ name: 'Another' }) },
  { ...reading, template: DATASET },
  { ...deleting, template: DATASET },
  { ...reading, template: `${DATASET}/annotations` },
  { ...reading, template: `${COMPONENT}/runs` },
  { ...creating, template: `${COMPONENT}/runs`, body: ({ dataset }) => ({ datasetId: dataset }) },
  { ...reading, template: RUN },
  { ...deleting, template: RUN },
  { ...reading, template: `${RUN}/annotations` },
  { ...creating, template: `${RUN}/annotations`, body: () => ({ traceDbId: 't2' }), role: 'annotator' },
  // An annotator may delete an annotation of their own; this one is of another person.
  { ...deleting, template: `${RUN}/annotations/{annotationId}` },
  { ...reading, template: `${COMPONENT}/evaluations` },
  { ...creating, template: `${COMPONENT}/evaluations`, body: ({ dataset }) => ({ datasetId: dataset }), status: 202 },
]

export const POSTS = OPERATIONS.filter(({ method }) => method === 'POST')
export const LISTS = OPERATIONS.filter(({ method, template }) => method === 'GET' && /s$/.test(template))

export function pathOf({ template }: Pick<Operation, 'template'>, ids: Chain): string {
  return template
    .replace('{componentId}', ids.component)
    .replace('{datasetId}', ids.dataset)
    .replace('{runId}', ids.run)
    .replace('{annotationId}', ids.annotation)
}

/** Sends an operation as it is meant to be sent. */
export function perform(client: Client, operation: Operation, ids: Chain, headers: Record<string, string> = {}) {
  const body = operation.body?.(ids)
  return client.send(operation.method, pathOf(operation, ids), { headers, ...(body === undefined ? {} : { body }) })
}

/** A name for it.each: objects with a title of their own. */
export function titled<Item extends Pick<Operation, 'method' | 'template'>>(operations: readonly Item[]) {
  return operations.map((operation) => ({ title: `${operation.method} ${shortened(operation.template)}`, operation }))
}

/** The runner cuts titles off after forty characters. */
function shortened(template: string): string {
  return template.replace('/components/{componentId}', '…')
}
