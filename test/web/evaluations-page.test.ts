import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { secondsLeft } from '../../web/src/api/evaluation-progress.ts'
import type { EvaluationSummary } from '../../web/src/api/generated/api.ts'
import { EVALUATION_SUMMARY } from './evaluation-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { onRequest, sendLiveEvent } from './mock-api.ts'
import { ASSISTANT, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/evaluations`)
const SUMMARIES = 'GET /components/{componentId}/evaluation-summaries'
const running: EvaluationSummary = {
  ...EVALUATION_SUMMARY,
  id: idOf(71),
  name: null,
  status: 'running',
  scores: { total: 500, done: 139, failed: 3 },
  metrics: [],
  comparison: null,
  completedAt: null,
}

function openList(rows: EvaluationSummary[], role: 'editor' | 'viewer' = 'editor') {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(SUMMARIES, { data: rows, nextCursor: null })
  return openPage(PAGE)
}

it('the list has of each evaluation its state, metrics with interval and n, gate and cost', async () => {
  openList([running, EVALUATION_SUMMARY])
  const row = await screen.findByRole('row', { name: /^Nightly/ })
  expect(within(row).getByRole('link', { name: 'Nightly' }).getAttribute('href')).toBe(
    `${PAGE}/${EVALUATION_SUMMARY.id}`,
  )
  for (const text of [
    'completed, 12 failed',
    '0.78',
    '0.72 to 0.84 · n 189',
    'and 1 more',
    'Gate shut',
    'Regressed',
    '$0.4123',
  ])
    expect(row.textContent).toContain(text)
  const other = screen.getByRole('row', { name: /^Evaluation of v14/ })
  expect(other.textContent).toContain('139 of 500 scored, 3 failed')
  expectMeansWithCount(document.body)
})

it('the list follows an evaluation that runs', async () => {
  openList([running])
  await screen.findByText('139 of 500 scored, 3 failed')
  onRequest(SUMMARIES, { data: [{ ...running, scores: { total: 500, done: 200, failed: 3 } }], nextCursor: null })
  await sendLiveEvent(['evaluations'])
  await screen.findByText('200 of 500 scored, 3 failed')
})

it('shows why an evaluation failed', async () => {
  openList([{ ...running, status: 'failed', error: 'The judge has no key.' }])
  await screen.findByText('The judge has no key.')
})

it('without an evaluation it leads to the first one, but not those who may not start one', async () => {
  openList([])
  await heading('No evaluation yet')
  expect(screen.getByRole('link', { name: 'New evaluation' }).getAttribute('href')).toBe(`${PAGE}/new`)
})

it('the time that is left is known once enough has happened', () => {
  const at = (atMs: number, finished: number) => ({ atMs, finished })
  expect(secondsLeft([], 100)).toBeUndefined()
  expect(secondsLeft([at(0, 0), at(1_000, 50)], 100)).toBeUndefined()
  expect(secondsLeft([at(0, 0), at(60_000, 2)], 100)).toBeUndefined()
  expect(secondsLeft([at(0, 10), at(5_000, 30), at(10_000, 50)], 100)).toBe(12.5)
})
