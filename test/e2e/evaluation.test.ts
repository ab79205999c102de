// @module-tag deep
/** From a judge that fails for every second case to a complete evaluation, on one page that is never reloaded. */
import { expect, it } from 'vitest'
import { startModelServer } from '../harness/model-server.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const CASES = 12
const EXACT = { exact: true }

describePages(
  'evaluation page',
  (app, open) => {
    it('says why half of the scores failed, and completes after the judge was mended, without a reload', async () => {
      const { person, workspaceId, client } = await newOwner(app())
      let isBroken = true
      const held = Promise.withResolvers<void>()
      await using server = await heldJudge(held.promise, () => isBroken)
      const admin = app().asPerson(person, workspaceId)
      await admin.create('/connections', { name: 'judges', baseUrl: server.baseUrl, models: ['judge-1'] })
      const component = await client.create('/components', { name: 'assistant' })
      const below = `/components/${component}`
      const datasetId = await client.create(`${below}/datasets`, { name: 'Hard cases' })
      const items = Array.from({ length: CASES }, (_, place) => ({
        input: `question ${place}`,
        output: `answer ${place}`,
      }))
      await client.post(`${below}/datasets/${datasetId}/items`, items)
      const evaluators = [{ type: 'llmJudge', name: 'good', instructions: 'Is it good?' }]
      const config = { evaluators, provider: 'judges', concurrency: 4 }
      const id = await client.create(`${below}/evaluations`, { datasetId, name: 'Nightly', config })

      const page = await open(app().url, { person })
      await page.goto(`/a/${workspaceId}/c/${component}/evaluations`)
      await page.getByRole('link', { name: 'Nightly' }).click()
      // The judge rejects at once what it rejects, and has not answered anything yet.
      const progress = page.getByRole('region', { name: 'Progress' })
      await progress.getByText(`of ${CASES} ·`).waitFor()
      await progress.getByText(/^First error: judges returned 400/).waitFor()
      await page.evaluate('window.isSamePage = true')
      held.resolve()

      await page.getByText(`completed, ${CASES / 2} failed`).waitFor()
      const failures = page.getByRole('region', { name: /^Failures/ })
      await failures
        .getByText('judges returned 400: it rejected the request; its message: quota of … tokens', EXACT)
        .waitFor()
      const headings = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
      expect(headings.map((text) => text.split(' ')[0])).toEqual(['Failures', 'Metrics', 'Cases'])
      await expectAccessible(page, 'evaluation-half-failed')

      await failures.getByRole('button', { name: `Open ${CASES / 2}` }).click()
      await expect.poll(() => page.getByRole('grid', { name: 'Cases' }).getByRole('row').count()).toBe(CASES / 2 + 1)
      await page.keyboard.press('j')
      const panel = page.getByRole('complementary', { name: 'Case' })
      await panel.getByText(/quota of \d+ tokens/).waitFor()
      await panel.getByText('question 0').waitFor()
      await expectAccessible(page, 'evaluation-case')
      await page.keyboard.press('Escape')

      isBroken = false
      await page.keyboard.press('r')
      await page.getByText('completed', EXACT).waitFor()
      await failures.waitFor({ state: 'detached' })
      await page.getByText(`${CASES} scores: ${CASES} made, 0 skipped, 0 failed.`).waitFor()
      expect(await page.evaluate('window.isSamePage')).toBe(true)
      expect((await client.get(`${below}/evaluations/${id}`)).body.progress).toMatchObject({ done: CASES, failed: 0 })
    })
  },
  { retryPauseMs: 5, modelTimeoutMs: 120_000 },
)

/** A judge that answers nothing before `start`, and rejects every second question while it is broken. */
async function heldJudge(start: Promise<void>, isBroken: () => boolean) {
  const server = await startModelServer({
    answer: async () => {
      await start
      return { reason: 'It is correct.', passed: true }
    },
    misbehaviour: ({ user }) => {
      const place = Number(/question (\d+)/.exec(user)?.[1])
      const isRejected = isBroken() && place % 2 === 0
      return isRejected ? { status: 400, error: { message: `quota of ${1_000 + place} tokens` } } : undefined
    },
  })
  return { baseUrl: server.baseUrl, [Symbol.asyncDispose]: () => server.close() }
}
