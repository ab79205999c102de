import type { Page } from 'playwright-core'
import type { Client } from '../harness/client.ts'

const PAGE = { path: '/a/:filled/c/:component/decisions', heading: 'Decisions' } as const

/** The list of decisions, a decision next to it, and its links. */
export const DECISION_VISITS = [
  { ...PAGE, name: 'decisions', as: 'viewer', prepare: seeDecision },
  { ...PAGE, name: 'decision-peek', as: 'viewer', prepare: openDecision },
  { ...PAGE, name: 'decision-share', as: 'owner', prepare: openLinks },
] as const

/** A decision on two runs, with a link. */
export async function seedDecisionOn(
  client: Client,
  { component, dataset, run }: { component: string; dataset: string; run: string },
): Promise<void> {
  const inComponent = `/components/${component}`
  const candidateRunId = await client.create(`${inComponent}/runs`, { datasetId: dataset, name: 'v4' })
  const decision = { baselineRunId: run, candidateRunId, decision: 'undecided', note: 'Wait for more answers.' }
  const decisionId = await client.create(`${inComponent}/decisions`, decision)
  await client.patch('/sharing', { linksAllowed: true })
  await client.create(`${inComponent}/decisions/${decisionId}/links`, { expiresInDays: 7 })
}

async function seeDecision(page: Page): Promise<void> {
  await page.getByRole('list', { name: 'Decisions' }).getByText('Wait for more answers.').waitFor()
}

async function openDecision(page: Page): Promise<void> {
  await seeDecision(page)
  await page.getByRole('link', { name: /^Numbers/ }).click()
  await page.getByRole('button', { name: 'Download report' }).waitFor()
}

async function openLinks(page: Page): Promise<void> {
  await openDecision(page)
  await page.getByRole('button', { name: 'Share…' }).click()
  await page.getByRole('dialog', { name: 'Share this decision' }).getByText('not opened yet').waitFor()
}
