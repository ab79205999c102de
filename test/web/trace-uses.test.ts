import { within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { TraceLinks } from '../../web/src/api/generated/api.ts'
import { openFacts, openTrace } from './annotated-trace.ts'
import { failed, onRequest } from './mock-api.ts'
import { idOf } from './open-page.ts'

describe('scores and links', () => {
  const inDataset = { aiComponentId: idOf(3), componentName: 'assistant', datasetId: idOf(40), datasetName: 'Returns' }
  const createdAt = '2026-11-16T10:00:00.000Z'
  const score = {
    ...inDataset,
    evaluationId: idOf(50),
    evaluationName: 'Nightly',
    createdAt,
    runId: idOf(31),
    runName: 'Prompt v7',
    evaluator: 'correct',
    repetition: 1,
    score: 0,
    label: null,
    passed: false,
    reason: 'Keeps the delivery fee.',
  }
  const links: TraceLinks = {
    runs: [
      { ...inDataset, runId: idOf(31), runName: 'Prompt v7', createdAt, traceCount: 120, caseNumber: 48, itemId: null },
      { ...inDataset, runId: idOf(32), runName: null, createdAt, traceCount: 3, caseNumber: null, itemId: null },
    ],
    items: [{ ...inDataset, itemId: idOf(41), itemNumber: 48 }],
    scores: [
      score,
      { ...score, evaluator: 'tone', score: null, label: 'friendly', passed: null, reason: null },
      { ...score, evaluationId: idOf(49), evaluationName: null, score: 1, passed: true, reason: null },
    ],
    hasMore: { runs: true, items: false, scores: false },
    source: 'production',
    prompts: [],
  }

  it('show evaluator, value, word and reason of the newest evaluation, and older ones on request', async () => {
    const user = openTrace()
    onRequest('GET /traces/{traceId}/links', links)
    const facts = await openFacts(user)
    const section = await within(facts).findByRole('heading', { name: 'Scores' })
    const texts = [...(section.parentElement?.querySelectorAll('li') ?? [])].map(({ textContent }) => textContent)
    expect(texts).toEqual(['correct0.00failKeeps the delivery fee.', 'tonefriendly', 'correct1.00pass'])
    expect(section.parentElement?.textContent).toContain('By Nightly')
    expect(within(facts).getByText('An older evaluation')).toBeTruthy()
    expect(section.parentElement?.textContent).toContain('By an evaluation of Prompt v7')
  })

  it('show runs and datasets by name and number; a run without a name by its dataset and time', async () => {
    const user = openTrace()
    onRequest('GET /traces/{traceId}/links', links)
    const facts = await openFacts(user)
    await within(facts).findByText('and more runs')
    const section = within(facts).getByRole('heading', { name: 'Part of' }).parentElement
    expect(section?.textContent).toContain('Prompt v7, case 48 of 120')
    expect(section?.textContent).toMatch(/Returns, \d+ \w+/)
    expect(section?.textContent).toContain('Returns, item 48')
  })

  it('that cannot be loaded leave the page usable, and Retry loads them', async () => {
    const user = openTrace()
    onRequest('GET /traces/{traceId}/links', failed(400, 'Not now'))
    const facts = await openFacts(user)
    await within(facts).findByText('Not now')
    onRequest('GET /traces/{traceId}/links', links)
    await user.click(within(facts).getByRole('button', { name: 'Retry' }))
    await within(facts).findByText('Keeps the delivery fee.')
  })
})
