import { screen } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { EvaluationDetail, EvaluationEstimate, PreferenceList } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { BASELINE, CANDIDATE, COMPARISON } from './compare-examples.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'

const COMPARISONS = '/components/{componentId}/comparisons'

layOutTable()

describe('a metric that only one run was evaluated with', () => {
  it('evaluates the other run the same way, without the baseline and the gate, and shows that evaluation', async () => {
    signIn('editor')
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/run-summaries', { data: [CANDIDATE, BASELINE], nextCursor: null })
    onRequest(`GET ${COMPARISONS}`, COMPARISON)
    onRequest(`GET ${COMPARISONS}/preferences`, {
      ...exampleOf<PreferenceList>('PreferenceList'),
      result: null,
      data: [],
    })
    const user = openPage(inSupport(`c/${ASSISTANT.id}/compare?base=${BASELINE.id}&cand=${CANDIDATE.id}`))
    const config = {
      evaluators: [{ type: 'contains', name: 'polite' }],
      baselineRunId: idOf(99),
      gate: { metric: 'polite' },
    }
    onRequest('GET /components/{componentId}/evaluations/{evaluationId}', {
      ...exampleOf<EvaluationDetail>('EvaluationDetail'),
      id: idOf(71),
      datasetId: idOf(60),
      config,
    })
    onRequest('POST /components/{componentId}/evaluations', ({ query }) =>
      query['dry_run']
        ? exampleOf<EvaluationEstimate>('EvaluationEstimate')
        : Response.json({ id: idOf(73), name: null, status: 'pending' }, { status: 202 }),
    )
    await user.click(await screen.findByRole('button', { name: 'Evaluate Prompt v7 the same way' }))
    await eventually(() => expect(address()).toContain(`/evaluations/${idOf(73)}`))
    const [, started] = requestsOf('POST /components/{componentId}/evaluations')
    expect(started?.body).toEqual({
      datasetId: idOf(60),
      runId: CANDIDATE.id,
      config: { evaluators: [{ type: 'contains', name: 'polite' }] },
    })
  })
})
