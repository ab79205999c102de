import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/wait-for.ts'

const EVALUATION = '/a/:filled/c/:component/evaluations/:evaluation'

/** The pages of an evaluation: one with failed scores, and one that failed as a whole. */
export const EVALUATION_VISITS = [
  { name: 'evaluation', as: 'owner', path: EVALUATION, heading: 'Metrics', prepare: seeCases },
  {
    name: 'evaluation-as-viewer',
    as: 'viewer',
    path: `${EVALUATION}?metric=same`,
    heading: 'Metrics',
    prepare: openCase,
  },
  {
    name: 'evaluation-no-case',
    as: 'owner',
    path: `${EVALUATION}?metric=same&state=retrying`,
    heading: 'No case matches',
  },
  { name: 'evaluation-delete', as: 'owner', path: EVALUATION, heading: 'Metrics', prepare: askToDelete },
  {
    name: 'evaluation-failed',
    as: 'owner',
    path: '/a/:filled/c/:component/evaluations',
    heading: 'Evaluations',
    prepare: openFailed,
  },
] as const

/** An evaluation in which one of three evaluators cannot reach its model. Returns its id. */
export async function seedEvaluation(client: Client, component: string): Promise<string> {
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'stored answers' })
  const items = Array.from({ length: 12 }, (_, place) => ({
    input: `Where is order ${place}?`,
    output: place % 3 === 0 ? 'On its way.' : 'It has arrived.',
    expected: 'On its way.',
  }))
  await client.post(`${path}/datasets/${datasetId}/items`, items)
  const evaluators = [
    { type: 'exactMatch', name: 'same' },
    { type: 'tokenF1', name: 'words in common' },
    { type: 'llmJudge', name: 'polite', instructions: 'Is it polite?' },
  ]
  const body = { datasetId, name: 'nightly', config: { evaluators, provider: 'Local' } }
  const id = await client.create(`${path}/evaluations`, body)
  await until(async () => expect((await client.get(`${path}/evaluations/${id}`)).body.status).toBe('completed'))
  return id
}

async function seeCases(page: Page): Promise<void> {
  await page
    .getByRole('region', { name: /^Failures/ })
    .getByRole('button')
    .first()
    .waitFor()
  await page.getByText('Where is order 0?').first().waitFor()
}

async function openCase(page: Page): Promise<void> {
  await seeCases(page)
  await page.keyboard.press('j')
  await page.getByRole('button', { name: 'Next case' }).waitFor()
  await page.getByText('On its way.').last().waitFor()
}

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More about this evaluation' }).click()
  await page.getByRole('menuitem', { name: 'Delete evaluation' }).click()
  await page.getByRole('dialog').waitFor()
}

async function openFailed(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'faithfulness' }).click()
  await page.getByRole('heading', { name: 'Cases', exact: true }).waitFor()
}
