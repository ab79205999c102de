import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { ComparisonFamily } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { BASELINE, CANDIDATE, COMPARISON, EQUIVALENT, OTHER } from './compare-examples.ts'
import { DECISION } from './decision-examples.ts'
import { EVALUATION_SUMMARY } from './evaluation-examples.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}`)
const verdict = 'equivalent' as const

describe('"equivalent" is never shown as "no clear difference"', () => {
  function open(path: string) {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    openPage(`${PAGE}/${path}`)
  }

  it('in the list of evaluations', async () => {
    const { comparison } = EVALUATION_SUMMARY
    const row = { ...EVALUATION_SUMMARY, comparison: comparison && { ...comparison, verdict } }
    onRequest('GET /components/{componentId}/evaluation-summaries', { data: [row], nextCursor: null })
    open('evaluations')
    within(await screen.findByRole('row', { name: /^Nightly/ })).getByText('Equivalent')
  })

  it('in the list of decisions', async () => {
    onRequest('GET /components/{componentId}/decisions', { data: [{ ...DECISION, verdict }], nextCursor: null })
    open('compare/decisions')
    within(await screen.findByRole('list', { name: 'Decisions' })).getByText('Equivalent')
  })

  it('of several candidates', async () => {
    const member = (run: typeof BASELINE) => ({
      ...exampleOf<ComparisonFamily['candidates'][number]>('FamilyMember'),
      candidate: { ...COMPARISON.candidate, runId: run.id, name: run.name },
      verdict,
      metrics: [EQUIVALENT],
      testSet: null,
    })
    const family: ComparisonFamily = { summary: 'None.', chosen: null, candidates: [CANDIDATE, OTHER].map(member) }
    onRequest('GET /components/{componentId}/run-summaries', { data: [CANDIDATE, BASELINE, OTHER], nextCursor: null })
    onRequest('POST /components/{componentId}/comparisons', family)
    open(`compare?base=${BASELINE.id}&cand=${CANDIDATE.id}&cand=${OTHER.id}`)
    const items = within(await screen.findByRole('list', { name: 'Candidates' })).getAllByRole('listitem')
    expect(items.map(({ textContent }) => textContent?.includes('= equivalent'))).toEqual([true, true])
  })
})
