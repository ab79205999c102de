// @module-tag deep
/** A trial of 1,600 calls, from the set-up page to a recorded decision, in one page that is never loaded again. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type AskedRequest, startModelServer } from '../harness/model-server.ts'
import type { TestApp } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const ITEMS = 200
const CALLS = ITEMS * 4 * 2
/** Nothing from this item on is answered before the test says so. */
const HELD_FROM = 40
const REJECTED = 5
const BROKEN = [8, 9]
const NAME = 'Briefly, on two models'
const BEST = 'v2 · model-1'
const VERDICT = '2 of 3 variants are better than v1 · model-1.'

describePages(
  'a large trial',
  (app, open) => {
    it('is watched while it runs, and leads to a decision without a reload', async () => {
      await using provider = await startProvider()
      const { person, client, path, trials } = await seedVersions(app(), provider.baseUrl)
      const page = await open(app().url, { person })
      await page.goto(`${trials}/new`)
      await page.evaluate('window.isSamePage = true')
      await setUp(page)

      await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
      await watch(page)
      await expectAccessible(page, 'trial-running')
      provider.release()
      await readResult(page)
      await expectAccessible(page, 'trial-done-with-failures')

      // Only those that can succeed are sent again; then the runs are compared again.
      provider.repair()
      await page.keyboard.press('r')
      await expect
        .poll(() => countsOf(page), { timeout: 60_000 })
        .toEqual({ answered: CALLS - 1, failed: 1, skipped: 0, waiting: 0 })
      await page.getByRole('heading', { name: VERDICT }).waitFor()

      await page.getByRole('link', { name: `Decide about ${BEST}` }).click()
      await page.getByText(`Release ${NAME}: ${BEST}`).click()
      await page.getByRole('textbox', { name: /^Note/ }).fill('Better on both models.')
      await page.getByRole('button', { name: 'Record decision' }).click()
      await page.getByText('The decision is recorded.').first().waitFor()
      expect(await page.evaluate('window.isSamePage')).toBe(true)

      const [decision] = await client.list(`${path}/decisions`)
      expect(decision).toMatchObject({ decision: 'release', note: 'Better on both models.' })
      const [trial] = await client.list(`${path}/trials`)
      expect(trial).toMatchObject({ name: NAME, status: 'completed', calls: CALLS })
    })
  },
  { retryPauseMs: 5, modelTimeoutMs: 120_000 },
)

/** Two versions on two models, twice each. */
async function setUp(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill(NAME)
  for (const name of [/^v1/, /^v2/, /^model-1/, /^model-2/]) await page.getByRole('checkbox', { name }).check()
  await page.getByText('4 of at most 50').waitFor()
  await page.getByRole('radio', { name: /^v1 · model-1/ }).check()
  await page.getByRole('checkbox', { name: /Contains/ }).check()
  await page.getByRole('textbox', { name: 'Calls at a time' }).fill('16')
  const summary = page.getByRole('complementary', { name: 'What it costs and shows' })
  await summary.getByRole('radio', { name: '2×' }).check()
  await summary.getByText(/^1,600 calls, .*: between/).waitFor()
  await summary.getByRole('heading', { name: 'What it can show' }).waitFor()
  await summary.getByText(/^differences of 0\.\d+ or more$/).waitFor()
  await page.keyboard.press('Control+Enter')
}

/** While items are held back, the page follows the others. */
async function watch(page: Page): Promise<void> {
  // 39 items have ended, all with eight calls.
  const ended = (HELD_FROM - 1) * 8
  await page.getByRole('heading', { name: `${ended} of 1,600 calls have ended. Nothing is decided yet.` }).waitFor()
  expect(await countsOf(page)).toEqual({ answered: ended - 5, failed: 5, skipped: 0, waiting: CALLS - ended })
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await page.getByRole('region', { name: 'Variants' }).textContent()).not.toMatch(/better|worse|ranked/)

  const failures = page.getByRole('region', { name: /^Without an answer/ })
  await failures.getByText(/^v2 · model-2: .*the question is not allowed/).waitFor()
  await failures.getByText('A retry brings nothing', { exact: false }).waitFor()
  await failures.getByText('A retry sends them again.').waitFor()

  const items = page.getByRole('region', { name: 'Items and calls' })
  await items.getByRole('button', { name: 'repetition 1: no answer' }).first().waitFor()
  await page.keyboard.press('j')
  const call = page.getByRole('region', { name: 'One call' })
  await call.getByText('Where is order 1?').waitFor()
  await call.getByRole('heading', { name: 'v1 · model-1' }).waitFor()
  await call.getByRole('link', { name: 'Open the trace' }).waitFor()
  await page.getByRole('button', { name: /not ended/ }).click()
  await items.getByText(`Where is order ${HELD_FROM}?`).waitFor()
  await items.getByText('Where is order 1?').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^all/ }).click()
}

/** When all calls have ended, their scores and the comparison arrive by themselves. */
async function readResult(page: Page): Promise<void> {
  await page.getByRole('heading', { name: VERDICT }).waitFor()
  expect(await countsOf(page)).toEqual({ answered: CALLS - 5, failed: 5, skipped: 0, waiting: 0 })
  const variants = page.getByRole('region', { name: 'Variants' })
  await variants.getByRole('row', { name: new RegExp(`^${BEST} ranked first`) }).waitFor()
  await page.getByText('Expected on new items:').waitFor()
  await page
    .getByRole('region', { name: 'Items and calls' })
    .getByRole('button', { name: 'repetition 1: best' })
    .first()
    .waitFor()

  await page.getByRole('button', { name: /repetitions differ/ }).click()
  const items = page.getByRole('region', { name: 'Items and calls' })
  await items.getByText('Where is order 10?').waitFor()
  await items.getByText('Where is order 1?').waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  const call = page.getByRole('region', { name: 'One call' })
  await call.getByText('Where is order 10?').waitFor()
  await call.getByRole('list', { name: 'Scores of v1 · model-1' }).waitFor()
  // By Enter to the trace, and back to the same call.
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/traces\//)
  await page.goBack()
  await call.getByText('Where is order 10?').waitFor()
  await page.getByRole('button', { name: 'Retry 4' }).waitFor()
}

/** What the page says about the progress, which must add up to the plan. */
async function countsOf(page: Page) {
  const text = (await page.getByRole('region', { name: 'Progress' }).textContent()) ?? ''
  const [, answered, failed, skipped, waiting, total] =
    /ended.*?([\d,]+) answered([\d,]+) no answer([\d,]+) skipped([\d,]+) waiting or running= ([\d,]+)/.exec(text) ?? []
  const read = (count: string | undefined) => Number(count?.replaceAll(',', ''))
  const counts = { answered: read(answered), failed: read(failed), skipped: read(skipped), waiting: read(waiting) }
  expect(counts.answered + counts.failed + counts.skipped + counts.waiting, text).toBe(read(total))
  return counts
}

async function seedVersions(app: TestApp, baseUrl: string) {
  const { person, workspaceId, client } = await newOwner(app)
  const connection = { name: 'models', baseUrl, models: ['model-1', 'model-2'], concurrency: 64 }
  await app.asPerson(person, workspaceId).create('/connections', connection)
  for (const modelPattern of ['model-1', 'model-2'])
    await client.create('/prices', { modelPattern, inputPerMillion: 1, outputPerMillion: 10 })
  const component = await client.create('/components', { name: 'assistant' })
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'Support questions' })
  const lines = Array.from({ length: ITEMS }, (_, place) =>
    JSON.stringify({ input: JSON.stringify({ question: `Where is order ${place + 1}?` }), expected: 'Friday' }),
  )
  await client.post(`${path}/datasets/${datasetId}/import`, lines.join('\n'), {
    'content-type': 'application/x-ndjson',
  })
  const promptId = await client.create(`${path}/prompts`, { name: 'answer' })
  for (const text of ['Answer: {{question}}', 'Answer briefly: {{question}}']) {
    const content = { messages: [{ role: 'user', content: text }], provider: 'models', parameters: { maxTokens: 100 } }
    expect((await client.post(`${path}/prompts/${promptId}/versions`, { content })).status).toBe(201)
  }
  return { person, client, path, trials: `/a/${workspaceId}/c/${component}/trials` }
}

/**
 * Version 1 is right about every second order, version 2 about four of five, and every tenth order has another answer the second time. The
 * second model knows less. One variant rejects an order, and has invalid answers to two others until it is repaired.
 */
async function startProvider() {
  let isRepaired = false
  const held = Promise.withResolvers<void>()
  const asked = new Map<string, number>()
  const server = await startModelServer({
    answer: async (request) => {
      const order = orderIn(request)
      if (order >= HELD_FROM) await held.promise
      const isBrief = request.user.startsWith('Answer briefly')
      const key = `${request.body['model']} ${request.user}`
      const times = (asked.get(key) ?? 0) + 1
      asked.set(key, times)
      const isRight = isBrief ? order % 5 !== 0 : order % 2 === 0
      const isForgotten = request.body['model'] === 'model-2' && order % 7 === 0
      const isOther = order % 10 === 0 && times % 2 === 0
      return isRight !== isOther && !isForgotten ? `Order ${order} arrives on Friday.` : 'I do not know.'
    },
    misbehaviour: (request) => {
      if (request.body['model'] !== 'model-2' || !request.user.startsWith('Answer briefly')) return undefined
      const order = orderIn(request)
      if (order === REJECTED && asked.get('rejected') === undefined) {
        asked.set('rejected', 1)
        return { status: 400, error: { message: 'the question is not allowed' } }
      }
      return BROKEN.includes(order) && !isRepaired ? 'invalid JSON' : undefined
    },
  })
  return {
    baseUrl: server.baseUrl,
    release: () => held.resolve(),
    repair: () => {
      isRepaired = true
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

function orderIn({ user }: AskedRequest): number {
  return Number(/order (\d+)/.exec(user)?.[1])
}
