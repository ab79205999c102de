import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/wait-for.ts'

const TRIALS = '/a/:filled/c/:tried/trials'

/** The list of trials, one that waits for a worker, one that was stopped, and the set-up. */
export const TRIAL_VISITS = [
  { name: 'trials', as: 'owner', path: TRIALS, heading: 'Trials', prepare: seeList },
  { name: 'trial-waits', as: 'owner', path: TRIALS, heading: 'Trials', prepare: openWaiting },
  { name: 'trial-stop', as: 'owner', path: TRIALS, heading: 'Trials', prepare: askToStop },
  { name: 'trial-stopped', as: 'viewer', path: TRIALS, heading: 'Trials', prepare: openStopped },
  { name: 'new-trial-queue', as: 'owner', path: `${TRIALS}/new`, heading: 'New trial', prepare: fillQueue },
  { name: 'new-trial-as-viewer', as: 'viewer', path: `${TRIALS}/new`, heading: 'Not for your role' },
] as const

/** A component of its own with two trials of a program that does not run: one waits for it, one was stopped. Returns its id. */
export async function seedTrials(client: Client): Promise<string> {
  const component = await client.create('/components', { name: 'order-agent' })
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'questions of a trial' })
  await client.post(
    `${path}/datasets/${datasetId}/items`,
    Array.from({ length: 6 }, (_, place) => ({ input: `Where is order ${place}?` })),
  )
  const start = async (name: string) => {
    const variants = ['agent', 'agent-next'].map((queue) => ({ target: { type: 'worker', queue } }))
    const { status, text, body } = await client.post(`${path}/trials`, { datasetId, name, variants, maxCostUsd: 5 })
    expect(status, text).toBe(202)
    const trial = `${path}/trials/${body.id}`
    await until(async () => expect((await client.get(trial)).body.status).toBe('running'))
    return trial
  }
  await start('waits for workers')
  const stopped = await start('stopped by hand')
  expect((await client.send('POST', `${stopped}/cancel`)).status).toBe(202)
  return component
}

async function seeList(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'stopped by hand' }).waitFor()
}

async function openWaiting(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'waits for workers' }).click()
  await page.getByText('No worker has a call of the queue agent-next.').waitFor()
}

async function askToStop(page: Page): Promise<void> {
  await openWaiting(page)
  await page.getByRole('button', { name: 'Stop…' }).click()
  await page.getByRole('dialog', { name: 'Stop the trial' }).waitFor()
}

async function openStopped(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'stopped by hand' }).click()
  await page.getByRole('heading', { name: 'Stopped after 0 of 12 calls.' }).waitFor()
}

async function fillQueue(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Your code' }).fill('support-agent')
  await page.getByRole('complementary', { name: 'What it costs and shows' }).getByText('nothing').waitFor()
}
