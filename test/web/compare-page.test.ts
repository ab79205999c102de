import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { ComparisonFamily, PreferenceList, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import {
  BASELINE,
  CANDIDATE,
  COMPARISON,
  COUNTS,
  DURATION,
  EQUIVALENT,
  GROUNDED,
  HELPFUL,
  IDLE_ERROR,
  OTHER,
  rowOf,
} from './compare-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/compare`)
const PAIR = `${PAGE}?base=${BASELINE.id}&cand=${CANDIDATE.id}`
const COMPARISONS = '/components/{componentId}/comparisons'

const PREFERENCES: PreferenceList = {
  result: {
    items: 7,
    candidate: 2,
    baseline: 5,
    same: 1,
    share: 2 / 7,
    ci: [0.082, 0.641],
    p: 0.3,
    verdict: 'tooFewCases',
    method: 'share of items, corrected for the position of the answers',
    preferences: 9,
    raters: 2,
    left: { chosen: 4, n: 7 },
    sides: { baselineLeft: 4, candidateLeft: 5, drawn: 9, n: 9 },
    summary: 'No clear preference: the candidate in 2 of 7 decided items.',
  },
  withheld: null,
  data: [],
}

layOutTable()

async function openCompare(path = PAIR, { total = 26, role = 'editor' as Role, comparison = COMPARISON } = {}) {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /components/{componentId}/run-summaries', { data: [CANDIDATE, BASELINE, OTHER], nextCursor: null })
  onRequest(`GET ${COMPARISONS}`, ({ query }) => {
    if (query['include'] !== 'texts') return comparison
    const [offset, limit] = [Number(query['offset'] ?? 0), Number(query['limit'] ?? 50)]
    const count = Math.max(0, Math.min(limit, total - offset))
    const data = Array.from({ length: count }, (_, index) => rowOf(offset + index + 1))
    return { ...COMPARISON, counts: { ...COUNTS, regressed: total }, data }
  })
  onRequest(`GET ${COMPARISONS}/preferences`, PREFERENCES)
  const user = openPage(path)
  if (!path.includes('mode=blind')) await screen.findByRole('listbox', { name: 'Items' })
  return user
}

const options = () => screen.getAllByRole('option').filter((option) => option.closest('[role=listbox]'))
const selected = () => options().find((option) => option.getAttribute('aria-selected') === 'true')?.textContent

describe('a comparison of two runs', () => {
  it('has the verdict as one line, with word and arrow', async () => {
    await openCompare()
    const verdict = await heading('Prompt v7 is worse than Prompt v6 on grounded by 0.10.')
    expect(verdict.textContent).toContain('▼ worse')
    expect(verdict.nextElementSibling?.textContent).toBe(
      '95 % CI 0.04 to 0.16, corrected for 2 metrics, 187 items. On helpful (193 items): better. Not compared: polite (only the baseline was evaluated with it: evaluate the candidate the same way).',
    )
    expect(screen.getByText(COMPARISON.looking.summary)).toBeTruthy()
  })

  it('shows warnings about the verdict first: missing items, looks, and the test set', async () => {
    await openCompare()
    const notes = within(screen.getByRole('list', { name: 'What to know before deciding' })).getAllByRole('listitem')
    expect(notes.map(({ textContent }) => textContent)).toEqual([
      '11 of 198 items have no answer in Prompt v7. The interval of grounded counts them at the worst value: a gain must hold with them.',
      'Looked at 3 times. These runs were compared 3 times with different results.',
      'This test set has decided 4 times.',
    ])
  })

  it('shows the numbers of the response and no others, each with n and interval', async () => {
    await openCompare(`${PAIR}&margin=0.03`)
    const table = screen.getByRole('table')
    const rows = within(table).getAllByRole('row').slice(1)
    const text = (index: number) => rows[index]?.textContent?.replaceAll('\u202f', ' ')
    // What got worse comes first, and what is only reported last.
    expect(text(0)).toBe(
      'groundedyes or no▼ worse0.88 → 0.78−0.10−0.16 to −0.0495 %, corrected for 2 metricsalone: 95 % −0.15 to −0.05, p 0.003 n 187▲ better: 8= same: 153▼ worse: 26',
    )
    expect(text(1)).toBe('helpful1 to 5▲ better3.75 → 3.94+0.19+0.08 to +0.31 n 193▲ better: 57= same: 109▼ worse: 27')
    expect(text(2)).toBe('Reported, not part of the verdict')
    expect(text(3)).toBe(
      'durationless is better▲ better4.82 s → 4.11 s0.85 ×0.81 to 0.90 ×95 %, corrected for 3 metricsalone: 95 % 0.82 to 0.89 ×, p < 0.001total: 0.85 × n 196▲ better: 150= same: 1▼ worse: 45',
    )
    expect(rows).toHaveLength(1 + [GROUNDED, HELPFUL, DURATION].length)
    const plots = screen.getByRole('region', { name: 'Numbers of grounded' }).textContent?.replaceAll('\u202f', ' ')
    for (const shown of [
      'Prompt v6: 0.88, 95 % interval 0.82 to 0.92, n 187',
      'Prompt v7: 0.78, 95 % interval 0.72 to 0.83, n 187',
      'Difference: −0.10, 95 % interval −0.16 to −0.04, corrected for 2 metrics, n 187',
      'margin −0.03',
      '26 items turned from pass to fail, 8 from fail to pass.',
      'mid-p McNemar test, p 0.012 corrected for 2 metrics.',
      'Alone: 95 % −0.15 to −0.05, p 0.003.',
      'As many items as these show a difference of 0.09 in 80 of 100 tries.',
      'A difference of 0.05 needs 640 items.',
    ])
      expect(plots).toContain(shown)
    expect(screen.getByText(/Not compared: polite \(only the baseline was evaluated with it/)).toBeTruthy()
    expectMeansWithCount(document.body)
    expect(requestsOf(`GET ${COMPARISONS}`)[0]?.query).toMatchObject({ margin: '0.03' })
  })

  it('shows the corrected interval of a metric first, and what it would be alone below', async () => {
    await openCompare()
    const row = screen.getByRole('row', { name: /^grounded/ })
    const [, , change] = within(row).getAllByRole('cell')
    expect([...(change?.children ?? [])].map(({ textContent }) => textContent?.replace('\u202f', ' '))).toEqual([
      '−0.10',
      '−0.16 to −0.04',
      '95 %, corrected for 2 metrics',
      'alone: 95 % −0.15 to −0.05, p 0.003',
    ])
  })

  it('draws a ratio on a log axis around 1, with its margin and the total', async () => {
    await openCompare(`${PAIR}&metric=durationMs&margin=1.1`)
    const plots = screen.getByRole('region', { name: 'Numbers of duration' })
    const text = plots.textContent?.replaceAll('\u202f', ' ')
    expect(text).toContain('Ratio, item by item← better · worse →')
    expect(text).toContain(
      'Typical item: 0.85 ×, 95 % interval 0.81 to 0.90 ×, corrected for 3 metrics, n 193. no change at 1. margin 1.10 ×',
    )
    expect(text).toContain('The totals have a ratio of 0.85 ×.')
    expect(text).toContain('As many items as these show a ratio of 1.12 × in 80 of 100 tries.')
    expect(text).toContain('A ratio of 1.08 × needs 400 items.')
    const [low, high] = ['no change', 'margin'].map((line) =>
      Number.parseFloat(plots.querySelector(`[data-line="${line}"]`)?.getAttribute('x1') ?? ''),
    )
    expect(low).toBeLessThan(high ?? 0)
  })

  it('asks for a factor as the margin of a ratio', async () => {
    const user = await openCompare(`${PAIR}&metric=durationMs`)
    const field = screen.getByRole('textbox', { name: 'Margin' })
    await user.type(field, '200')
    expect(screen.getByText('a ratio such as 1.1, at most 10')).toBeTruthy()
    await user.clear(field)
    await user.type(field, '1.2')
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    await eventually(() => expect(address()).toContain('margin=1.2'))
  })

  it('says "equivalent", also of a loss that is smaller than the margin, and draws the interval of the margin', async () => {
    const comparison = {
      ...COMPARISON,
      verdict: 'equivalent' as const,
      summary: EQUIVALENT.summary,
      metrics: [EQUIVALENT],
    }
    await openCompare(`${PAIR}&margin=0.05`, { comparison })
    const verdict = await heading(
      'Prompt v7 is worse than Prompt v6 on grounded by 0.02, which is less than the margin of 0.05.',
    )
    // An arrow would contradict the verdict.
    expect(verdict.textContent).not.toContain('▼')
    expect(verdict.nextElementSibling?.textContent).toBe('95 % CI 0.01 to 0.03, 187 items.')
    expect(screen.getByRole('row', { name: /^grounded/ }).textContent).toContain('= equivalent')
    const plots = screen.getByRole('region', { name: 'Numbers of grounded' }).textContent?.replaceAll('\u202f', ' ')
    expect(plots).toContain('For the margin: −0.02, 95 % interval −0.04 to −0.01, n 187. no change at 0. margin −0.05')
  })

  it('marks the word in the headline of an equivalent metric, and has the margin of the gate if the address has none', async () => {
    const summary =
      'Prompt v7 is equivalent to Prompt v6 on grounded: the difference is less than the margin of 0.05 (−0.02 to 0.01, 187 items).'
    const metrics = [{ ...EQUIVALENT, summary }]
    const comparison = { ...COMPARISON, verdict: 'equivalent' as const, summary, metrics, margin: 0.05 }
    await openCompare(PAIR, { comparison })
    const verdict = await heading(
      'Prompt v7 is equivalent to Prompt v6 on grounded: the difference is less than the margin of 0.05.',
    )
    expect(verdict.textContent).toContain('= equivalent')
    expect(screen.getByRole('textbox', { name: 'Margin' })).toMatchObject({ value: '0.05' })
  })

  it('never has "error" as its first metric if nothing failed in either run', async () => {
    const unclear = { ...GROUNDED, verdict: 'noClearDifference' as const }
    const comparison = {
      ...COMPARISON,
      verdict: 'noClearDifference' as const,
      metrics: [IDLE_ERROR, unclear, DURATION],
    }
    await openCompare(PAIR, { comparison })
    expect(screen.getByRole('region', { name: 'Numbers of grounded' })).toBeTruthy()
  })

  it('shows a metric that is only reported first if no evaluator has scores', async () => {
    const comparison = { ...COMPARISON, verdict: 'noClearDifference' as const, metrics: [IDLE_ERROR, DURATION] }
    await openCompare(PAIR, { comparison })
    expect(screen.getByRole('region', { name: 'Numbers of duration' })).toBeTruthy()
  })

  it('filters the items by their change, with counts that add up', async () => {
    const user = await openCompare()
    const chips = within(screen.getByRole('group', { name: 'Filter the items' })).getAllByRole('button')
    expect(chips.map(({ textContent }) => textContent)).toEqual([
      'all200',
      '▼worse26',
      '▲better8',
      '=same153',
      '–not measured11',
      '◆only in Prompt v72',
    ])
    expect(screen.getByText('26 + 8 + 153 + 11 + 2 = 200, none left out')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /worse 26/ }))
    await eventually(() => expect(address()).toContain('filter=regressed'))
    await eventually(() =>
      expect(requestsOf(`GET ${COMPARISONS}`).at(-1)?.query).toMatchObject({ metric: 'grounded', filter: 'regressed' }),
    )
  })

  it('goes through the items by keys, and the address has the item', async () => {
    const user = await openCompare()
    expect(selected()).toContain('Question 1?')
    await user.keyboard('jj')
    await eventually(() => expect(selected()).toContain('Question 3?'))
    await eventually(() => expect(address()).toContain(`item=${idOf(10_003)}`))
    const item = screen.getByRole('article', { name: 'Item' })
    expect(item.textContent).toContain('Nothing supports answer 3')
    expect(item.querySelectorAll('mark').length).toBeGreaterThan(0)
    await user.keyboard('d')
    await eventually(() => expect(item.querySelectorAll('mark')).toHaveLength(0))
    await user.keyboard('k{Enter}')
    await eventually(() => screen.getByRole('dialog', { name: 'Both traces' }))
  })

  it('opens the item of the address, also if it is not among the first', async () => {
    await openCompare(`${PAIR}&item=${idOf(10_900)}`, { total: 1_000 })
    await eventually(() =>
      expect(requestsOf(`GET ${COMPARISONS}`).some(({ query }) => query['item'] === idOf(10_900))).toBe(true),
    )
  })

  it('keeps the document small with 10,000 items', async () => {
    await openCompare(PAIR, { total: 10_000 })
    expect(options().length).toBeLessThan(40)
    expect(document.querySelectorAll('*').length).toBeLessThanOrEqual(1_500)
  })

  it('reads the rest of a text that the list has cut', async () => {
    signIn()
    await openCompare()
    onRequest(`GET ${COMPARISONS}`, ({ query }) => {
      if (query['include'] !== 'texts') return COMPARISON
      const text = query['item'] ? 'The whole answer' : 'The whole'
      const answer = { candidate: { text, isCut: !query['item'] } }
      return { ...COMPARISON, counts: COUNTS, data: [rowOf(1, answer)] }
    })
    openPage(`${PAIR}&filter=improved`)
    await eventually(() => expect(screen.getByRole('article', { name: 'Item' }).textContent).toContain('answer'))
  })

  it('shows the changes in the metadata of the runs', async () => {
    await openCompare()
    const changed = screen.getByRole('region', { name: 'What changed' })
    expect(changed.textContent).toBe('What changedpromptv6 → v7modelgpt-5-mini, same')
  })

  it('swaps the runs', async () => {
    const user = await openCompare()
    await user.click(screen.getByRole('button', { name: 'Swap the runs' }))
    await eventually(() => expect(address()).toContain(`base=${CANDIDATE.id}&cand=${BASELINE.id}`))
  })

  it('compares the two newest evaluated runs of a dataset if none are chosen', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    const evaluated = (run: typeof BASELINE) => ({ ...run, newestEvaluation: exampleOf('OverviewEvaluation') })
    onRequest('GET /components/{componentId}/run-summaries', {
      data: [evaluated(CANDIDATE), OTHER, evaluated(BASELINE)],
      nextCursor: null,
    })
    onRequest(`GET ${COMPARISONS}`, COMPARISON)
    openPage(PAGE)
    await heading('Prompt v7 is worse than Prompt v6 on grounded by 0.10.')
    expect(requestsOf(`GET ${COMPARISONS}`)[0]?.query).toMatchObject({
      baseline: BASELINE.id,
      candidate: CANDIDATE.id,
    })
  })

  it('explains what is needed if there is nothing to compare', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/run-summaries', { data: [], nextCursor: null })
    openPage(PAGE)
    await heading('Two runs are needed')
  })
})

describe('preferring blindly', () => {
  it('shows the share of the candidate with n and interval', async () => {
    await openCompare()
    const result = screen.getByRole('region', { name: 'Preferred blindly' }).textContent?.replaceAll('\u202f', ' ')
    expect(result).toContain('28.6 %95 % interval 8.2 to 64.1 % · n 7')
    expect(result).toContain('9 preferences of 2 people; 1 item without a preference.')
    expect(result).toContain('The answer on the left was chosen 4 of 7 times; the server drew 9 of 9 sides.')
  })

  it('shows neither names nor scores, saves by key which one is better and which one was on the left, and continues', async () => {
    const user = await openCompare(`${PAIR}&mode=blind`, { total: 200 })
    await screen.findByRole('region', { name: 'Answer A' })
    expect(document.querySelector('main')?.textContent).not.toMatch(/grounded|supports/)
    const sideOf = (name: string) =>
      screen.getByRole('region', { name }).textContent?.includes('Old') ? 'baseline' : 'candidate'
    const [left, right] = [sideOf('Answer A'), sideOf('Answer B')]
    expect([left, right]).toEqual(['candidate', 'baseline'])
    const question = screen.getByRole('heading', { level: 3 }).textContent
    onRequest(`PUT ${COMPARISONS}/preferences`, exampleOf('Preference'))
    await user.keyboard('b')
    await eventually(() => expect(requestsOf(`PUT ${COMPARISONS}/preferences`)).toHaveLength(1))
    expect(requestsOf(`PUT ${COMPARISONS}/preferences`)[0]?.body).toMatchObject({
      baseline: BASELINE.id,
      candidate: CANDIDATE.id,
      better: right,
      shownLeft: left,
      repetition: 1,
    })
    await eventually(() => expect(screen.getByRole('heading', { level: 3 }).textContent).not.toBe(question))
    expect(screen.getByText(/^1 of 200 items judged by you/)).toBeTruthy()
  })

  it('is not for viewers', async () => {
    await openCompare(PAIR, { role: 'viewer' })
    const button = screen.getByRole('button', { name: 'Prefer blind' })
    expect(button.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('several candidates', () => {
  it('are ranked by the difference, with corrected verdicts and a link to each pair', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/run-summaries', { data: [CANDIDATE, BASELINE, OTHER], nextCursor: null })
    const member = (run: typeof BASELINE, difference: number, pAdjusted: number) => ({
      ...exampleOf<ComparisonFamily['candidates'][number]>('FamilyMember'),
      candidate: { ...COMPARISON.candidate, runId: run.id, name: run.name },
      verdict: 'noClearDifference' as const,
      summary: `Summary of ${run.name}.`,
      metrics: [
        {
          ...GROUNDED,
          difference,
          correction: 'corrected for 2 candidates and 2 metrics',
          test: { method: 'McNemar', statistic: 1, p: 0.01, pAdjusted },
        },
      ],
      testSet: null,
    })
    const family: ComparisonFamily = {
      summary:
        'Prompt v8 has the best grounded, chosen from 2 against Prompt v6 on the same items: the difference there is 0.05.',
      chosen: null,
      candidates: [member(CANDIDATE, -0.1, 0.02), member(OTHER, 0.05, 0.4)],
    }
    onRequest(`POST ${COMPARISONS}`, family)
    openPage(`${PAIR}&cand=${OTHER.id}`)
    await heading('Prompt v8 has the best grounded, chosen from 2 against Prompt v6 on the same items.')
    const items = within(screen.getByRole('list', { name: 'Candidates' })).getAllByRole('listitem')
    expect(items.map(({ textContent }) => textContent)).toEqual([
      '1Prompt v8Summary of Prompt v8. On grounded: p 0.40 after correction for all of them.≈ no clear differenceCompare with Prompt v8 alone',
      '2Prompt v7Summary of Prompt v7. On grounded: p 0.020 after correction for all of them.≈ no clear differenceCompare with Prompt v7 alone',
    ])
    expect(requestsOf(`POST ${COMPARISONS}`)[0]?.body).toMatchObject({
      baseline: BASELINE.id,
      candidates: [CANDIDATE.id, OTHER.id],
    })
    const link = screen.getByRole('link', { name: /with Prompt v8 alone/ }).getAttribute('href')
    expect(link).toContain(`base=${BASELINE.id}&cand=${OTHER.id}`)
    expect(document.querySelector('figure')?.textContent).toContain('corrected for 2 candidates and 2 metrics')
    expectMeansWithCount(document.body)
  })
})
