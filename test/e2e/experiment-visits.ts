import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'

const EXPERIMENTS = '/a/:filled/c/:improved/experiments'

/** The set-up, and what needs no model. A search and a verdict are in `experiment-story.test.ts`. */
export const EXPERIMENT_VISITS = [
  {
    name: 'experiments-none',
    as: 'owner',
    path: '/a/:filled/c/:component/experiments',
    heading: 'No experiment yet',
  },
  { name: 'experiments-waiting', as: 'owner', path: EXPERIMENTS, heading: 'Experiments', prepare: seeList },
  {
    name: 'experiments-numbers',
    as: 'owner',
    path: `${EXPERIMENTS}?view=table`,
    heading: 'Experiments',
    prepare: seeList,
  },
  { name: 'experiment-waits', as: 'owner', path: EXPERIMENTS, heading: 'Experiments', prepare: openWaiting },
  { name: 'experiment-canceled', as: 'viewer', path: EXPERIMENTS, heading: 'Experiments', prepare: openCanceled },
  { name: 'new-experiment-leaks', as: 'owner', path: `${EXPERIMENTS}/new`, heading: 'New experiment', prepare: fill },
  { name: 'new-experiment-json', as: 'owner', path: `${EXPERIMENTS}/new?view=json`, heading: 'New experiment' },
  { name: 'new-experiment-as-viewer', as: 'viewer', path: `${EXPERIMENTS}/new`, heading: 'Not for your role' },
] as const

/** A component of its own: one experiment on a dataset with leaks waits for its start, another one was canceled. Nothing is called. Returns its id. */
export async function seedExperiments(client: Client): Promise<string> {
  const component = await client.create('/components', { name: 'order-search' })
  const path = `/components/${component}`
  const promptId = await client.create(`${path}/prompts`, { name: 'answer-order' })
  const messages = [
    { role: 'system', content: 'You answer customers of a shop.\n\nNever promise a date that you do not know.' },
    { role: 'user', content: '{{question}}' },
  ]
  const content = { messages, provider: 'Local', model: 'llama-4', parameters: { maxTokens: 100 } }
  expect((await client.post(`${path}/prompts/${promptId}/versions`, { content })).status).toBe(201)
  const datasetId = await client.create(`${path}/datasets`, { name: 'items with copies' })
  const asking = (question: string, split?: string) => ({
    input: JSON.stringify({ question }),
    expected: 'Friday',
    ...(split && { split }),
  })
  const copied = 'The Alder frame came in two parcels and one slat is broken. How do I send it back?'
  const { status, text } = await client.post(`${path}/datasets/${datasetId}/items`, [
    asking(copied, 'train'),
    asking(`${copied}!!`, 'test'),
    ...Array.from({ length: 78 }, (_, place) => asking(`${place}?`)),
  ])
  expect(status, text).toBe(201)
  for (const name of ['waits for its start', 'canceled by hand']) {
    const evaluators = [{ type: 'exactMatch', name: 'correct' }]
    const body = { name, datasetId, prompt: { promptId, version: 1 }, evaluators, splits: SHARES }
    const id = await client.create(`${path}/experiments`, body)
    if (name.startsWith('canceled'))
      expect((await client.send('POST', `${path}/experiments/${id}/cancel`)).status).toBe(202)
  }
  return component
}

const SHARES = { train: 0.3, validation: 0.2, test: 0.5, seed: 7 }

async function seeList(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'canceled by hand' }).waitFor()
}

async function openWaiting(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'waits for its start' }).click()
  await page.getByRole('heading', { name: 'Not started yet.' }).waitFor()
}

async function openCanceled(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'canceled by hand' }).click()
  await page.getByRole('heading', { name: 'Canceled.' }).waitFor()
  await page.getByText('never promise', { exact: false }).waitFor()
}

async function fill(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Prompt' }).selectOption({ label: 'answer-order' })
  await page.getByRole('combobox', { name: 'Dataset' }).selectOption({ label: 'items with copies (80 items)' })
  await page.getByRole('checkbox', { name: /Same as expected/ }).check()
  await page.getByText(/one in train, one in test/).waitFor()
  await page.getByText('Freeze a paragraph').click()
  await page.getByText('Guards and limits').click()
}
