import type { Page } from 'playwright-core'
import type { Client } from '../harness/client.ts'
import { seedComparedRuns } from './seed-compared-runs.ts'

const COMPARED = '/a/:filled/c/:compared/compare'

/** The comparison of two runs, with its item view, its dialog and the blind mode. */
export const COMPARE_VISITS = [
  { name: 'compare', as: 'owner', path: COMPARED, heading: 'Every metric', prepare: seeItem },
  { name: 'compare-as-viewer', as: 'viewer', path: `${COMPARED}?margin=0.05`, heading: 'Items', prepare: seeItem },
  { name: 'compare-traces', as: 'viewer', path: COMPARED, heading: 'Items', prepare: openTraces },
  { name: 'compare-blind', as: 'owner', path: COMPARED, heading: 'Items', prepare: preferBlind },
  { name: 'compare-nothing', as: 'owner', path: '/a/:filled/c/:component/compare', heading: 'Choose two runs' },
] as const

/** Returns the id of the component. */
export async function seedCompared(client: Client): Promise<string> {
  const questions = Array.from({ length: 30 }, (_, index) => `Is part ${index + 1} covered by the warranty?`)
  const { component } = await seedComparedRuns(client, { name: 'answer-agent', questions })
  return component
}

async function seeItem(page: Page): Promise<void> {
  await page.getByRole('article', { name: 'Item' }).waitFor()
}

async function openTraces(page: Page): Promise<void> {
  await seeItem(page)
  await page.getByRole('button', { name: 'Both traces' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open the whole trace' }).nth(1).waitFor()
}

async function preferBlind(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Prefer blind' }).click()
  await page.getByRole('region', { name: 'Answer B' }).waitFor()
}
