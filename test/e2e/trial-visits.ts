import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/wait-for.ts'
import { seedAnsweredTrials } from './seed-answered-trials.ts'

const TRIALS = '/a/:filled/c/:tried/trials'

/** The list of trials, one in each of its states, and the set-up. */
export const TRIAL_VISITS = [
  { name: 'trials', as: 'owner', path: TRIALS, heading: 'Trials', prepare: seeList },
  { name: 'trial-waits', as: 'owner', path: TRIALS, heading: 'Trials', prepare: openWaiting },
  { name: 'trial-stop', as: 'owner', path: TRIALS, heading: 'Trials', prepare: askToStop },
  { name: 'trial-stopped', as: 'viewer', path: TRIALS, heading: 'Trials', prepare: openStopped },
  { name: 'trial-running', as: 'owner', path: TRIALS, heading: 'Trials', prepare: openRunning },
  { name: 'trial-finished', as: 'owner', path: TRIALS, heading: 'Trials', prepare: openFinished },
  { name: 'trial-finished-as-viewer', as: 'viewer', path: TRIALS, heading: 'Trials', prepare: filterFinished },
  { name: 'trial-json', as: 'viewer', path: TRIALS, heading: 'Trials', prepare: openJson },
  { name: 'new-trial-prompt', as: 'owner', path: `${TRIALS}/new`, heading: 'New trial', prepare: choosePrompt },
  { name: 'new-trial-json', as: 'owner', path: `${TRIALS}/new?view=json`, heading: 'New trial' },
  { name: 'new-trial-queue', as: 'owner', path: `${TRIALS}/new`, heading: 'New trial', prepare: fillQueue },
  { name: 'new-trial-as-viewer', as: 'viewer', path: `${TRIALS}/new`, heading: 'Not for your role' },
] as const

/** A component of its own with trials: one waits for a program, one was stopped, one is finished and one runs. Returns its id. */
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
  await seedAnsweredTrials(client, component)
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

/** Between two looks, with the answer of a call. */
async function openRunning(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'looks while it runs' }).click()
  await page.getByRole('region', { name: 'Looks' }).waitFor()
  await openCall(page)
}

async function openFinished(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'finished by programs' }).click()
  await page.getByText('Expected on new items:').waitFor()
  await page.getByText('the answer is no JSON').first().waitFor()
  await openCall(page)
  await page.getByRole('list', { name: 'Scores of plain' }).waitFor()
}

async function openCall(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'repetition 1: ' }).first().click()
  await page.getByRole('region', { name: 'One call' }).getByRole('link', { name: 'Open the trace' }).waitFor()
}

async function filterFinished(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'finished by programs' }).click()
  await page.getByRole('button', { name: /repetitions differ/ }).click()
  await page.getByText('Where is order 7?').waitFor()
  await page.getByRole('button', { name: /^Show as table.*All calls$/ }).click()
}

async function openJson(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'finished by programs' }).click()
  await page.getByRole('button', { name: 'More about this trial' }).click()
  await page.getByRole('menuitem', { name: 'View as JSON' }).click()
  await page.getByRole('heading', { name: 'Start it again' }).waitFor()
}

/** With a variable that no item has, a gate and a limit of the cost. */
async function choosePrompt(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /^v1/ }).check()
  await page.getByRole('checkbox', { name: /^v2/ }).check()
  await page.getByRole('checkbox', { name: /Contains/ }).check()
  await page
    .getByText(/^Missing in \d+ of \d+ items\.$/)
    .first()
    .waitFor()
}

async function fillQueue(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Your code' }).fill('support-agent')
  await page.getByRole('complementary', { name: 'What it costs and shows' }).getByText('nothing').waitFor()
}
