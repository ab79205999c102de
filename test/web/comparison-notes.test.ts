import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { BASELINE, CANDIDATE, COMPARISON } from './compare-examples.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'

layOutTable()

describe('the notes of a comparison', () => {
  it.each([
    {
      parts: { changed: { count: 2, items: [] }, summary: '2 items were edited between the two evaluations' },
      advice: 'Evaluate the baseline again to judge both runs by the same items.',
    },
    {
      parts: { added: { count: 20, items: [] }, summary: '20 items were added between the two evaluations' },
      advice: 'Run and evaluate both on all items to compare them, too.',
    },
  ])('names items that are not the same in both runs: $parts.summary', async ({ parts, advice }) => {
    const comparison = { ...COMPARISON, itemChanges: { ...COMPARISON.itemChanges, ...parts } }
    signIn('editor')
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/run-summaries', { data: [CANDIDATE, BASELINE], nextCursor: null })
    onRequest('GET /components/{componentId}/comparisons', comparison)
    openPage(inSupport(`c/${ASSISTANT.id}/compare?base=${BASELINE.id}&cand=${CANDIDATE.id}`))
    const list = await screen.findByRole('list', { name: 'What to know before deciding' })
    const [first] = within(list).getAllByRole('listitem')
    expect(first?.textContent).toBe(`${parts.summary}. They are not compared. ${advice}`)
  })
})
