import type { Page } from 'playwright-core'
import type { Person, TestApp } from '../harness/test-app.ts'
import { TRACE_ID } from './seed-trace.ts'

/** The pages about the raters of a run and of a dataset. */
export const AGREEMENT_VISITS = [
  { name: 'run-ratings', as: 'owner', path: '/a/:filled/c/:component/runs/:run?tab=ratings', heading: 'Raters' },
  {
    name: 'run-agreement',
    as: 'owner',
    path: '/a/:filled/c/:component/runs/:run?tab=agreement',
    heading: 'Disagreements',
    prepare: seeDisagreement,
  },
  {
    name: 'run-agreement-peek',
    as: 'owner',
    path: '/a/:filled/c/:component/runs/:run?tab=agreement',
    heading: 'Disagreements',
    prepare: resolveDisagreement,
  },
  {
    name: 'run-agreement-as-viewer',
    as: 'viewer',
    path: '/a/:filled/c/:component/runs/:run?tab=agreement&state=all',
    heading: 'Disagreements',
    prepare: openDisagreement,
  },
  {
    name: 'dataset-agreement',
    as: 'viewer',
    path: '/a/:filled/c/:component/datasets/:dataset/agreement',
    heading: 'Agreement on hard cases',
    prepare: openDisagreement,
  },
] as const

interface RatedRun {
  owner: Person
  workspaceId: string
  component: string
  dataset: string
}

/** A run with a trace that two people rated differently. Returns its id. */
export async function seedRatedRun(
  app: TestApp,
  { owner, workspaceId, component, dataset }: RatedRun,
): Promise<string> {
  const runs = `/components/${component}/runs`
  const created = { datasetId: dataset, name: 'v3', traceIds: [TRACE_ID] }
  const run = await app.asPerson(owner, workspaceId).create(runs, created)
  const rater = await app.newPerson([{ workspaceId, role: 'annotator' }])
  for (const [person, rating] of [[owner, 'right'] as const, [rater, 'partly'] as const]) {
    const annotation = { traceDbId: TRACE_ID, rating, comment: `It is ${rating}.` }
    await app.asPerson(person, workspaceId).post(`${runs}/${run}/annotations`, annotation)
  }
  return run
}

async function seeDisagreement(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Disagreements' }).getByText('It is partly.').waitFor()
}

async function openDisagreement(page: Page): Promise<void> {
  await seeDisagreement(page)
  await page.keyboard.press('j')
  await page.getByRole('complementary', { name: 'Disagreement' }).getByText('It is partly.').waitFor()
}

async function resolveDisagreement(page: Page): Promise<void> {
  await openDisagreement(page)
  await page.keyboard.press('3')
  await page.getByRole('status').getByText('Resolved as right.').waitFor()
  await page.keyboard.press('u')
  await page.getByRole('status').getByText('The last change is undone.').waitFor()
}
