import { screen, within } from '@testing-library/dom'
import { createElement } from 'react'
import { describe, expect, it } from 'vitest'
import type { ReportedComparison } from '../../web/src/api/decisions-query.ts'
import type { Role, Run } from '../../web/src/api/generated/api.ts'
import { DecisionPanel } from '../../web/src/pages/decisions/decision-panel.tsx'
import { QueryFrame } from '../../web/src/ui-kit/query-frame.tsx'
import { exampleOf } from './api-description.ts'
import { DECISION, DETAIL } from './decision-examples.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, eventually, idOf, SUPPORT, showPart, signIn } from './open-page.ts'

const LIST = '/components/{componentId}/decisions'
const PAIR: ReportedComparison = {
  applicationId: SUPPORT.id,
  componentId: ASSISTANT.id,
  baseline: idOf(71),
  candidate: idOf(72),
  metric: 'grounded',
  margin: 0.03,
  split: 'test',
}

function showPanel(role: Role = 'annotator', props: ReportedComparison = PAIR) {
  signIn(role)
  onRequest('GET /components/{componentId}/runs/{runId}', { ...exampleOf<Run>('Run'), name: 'Prompt v7' })
  const Panel = (shown: ReportedComparison) => createElement(QueryFrame, null, createElement(DecisionPanel, shown))
  return showPart(Panel, props)
}

function serveDecisions(...data: (typeof DECISION)[]): void {
  onRequest(`GET ${LIST}`, { data, nextCursor: null })
}

describe('the panel of a decision', () => {
  it('records the choice and the note with the compared runs, and shows it with name and time', async () => {
    serveDecisions()
    onRequest(`POST ${LIST}`, () => {
      serveDecisions(DECISION)
      return DETAIL
    })
    const { user } = showPanel()
    await screen.findByRole('radio', { name: 'Release Prompt v7' })
    await user.click(screen.getByRole('radio', { name: 'Do not release' }))
    await user.type(screen.getByRole('textbox', { name: /Note/ }), 'Bring top-k back to 8.')
    await user.click(screen.getByRole('button', { name: 'Record decision' }))
    const list = await screen.findByRole('list', { name: 'Recorded decisions' })
    expect(list.textContent).toContain('Do not release')
    expect(list.textContent).toContain('Ada Lovelace')
    expect(requestsOf(`POST ${LIST}`)).toMatchObject([
      {
        body: {
          baselineRunId: PAIR.baseline,
          candidateRunId: PAIR.candidate,
          decision: 'hold',
          note: 'Bring top-k back to 8.',
          metric: 'grounded',
          margin: 0.03,
          split: 'test',
        },
      },
    ])
    expect(screen.getByRole('textbox', { name: /Note/ })).toHaveProperty('value', '')
    await screen.findByRole('button', { name: 'Share…' })
  })

  it('lists only the decisions on these two runs, the newest first and the others as superseded', async () => {
    const earlier = { ...DECISION, id: idOf(69), decision: 'release' as const, supersededBy: DECISION.id }
    serveDecisions(DECISION, earlier)
    showPanel()
    const rows = within(await screen.findByRole('list', { name: 'Recorded decisions' })).getAllByRole('listitem')
    expect(rows.map(({ textContent }) => textContent?.includes('superseded'))).toEqual([false, true])
    const query = { baseline_run_id: PAIR.baseline, candidate_run_id: PAIR.candidate }
    expect(requestsOf(`GET ${LIST}`)[0]).toMatchObject({ query })
  })

  it('requires a choice, and keeps the typed text if the request fails', async () => {
    serveDecisions()
    onRequest(`POST ${LIST}`, failed(503, 'The server is busy'))
    const { user } = showPanel()
    const note = await screen.findByRole('textbox', { name: /Note/ })
    await user.type(note, 'Wait')
    await user.click(screen.getByRole('button', { name: 'Record decision', description: 'Choose a decision first.' }))
    expect(requestsOf(`POST ${LIST}`)).toEqual([])
    await user.click(screen.getByRole('radio', { name: /Cannot tell yet/ }))
    await user.click(screen.getByRole('button', { name: 'Record decision' }))
    expect((await screen.findByRole('alert')).textContent).toContain('The server is busy')
    expect(note).toHaveProperty('value', 'Wait')
  })

  it('drops the typed text when other runs are compared', async () => {
    serveDecisions()
    const { user, update } = showPanel()
    await user.type(await screen.findByRole('textbox', { name: /Note/ }), 'About v7')
    update({ ...PAIR, candidate: idOf(73) })
    await eventually(() => expect(screen.getByRole('textbox', { name: /Note/ })).toHaveProperty('value', ''))
  })

  it('lets viewers read, and says which role decides', async () => {
    serveDecisions(DECISION)
    const { user } = showPanel('viewer')
    const description = 'Recording a decision requires the role annotator; yours is viewer.'
    await user.click(await screen.findByRole('button', { name: 'Record decision', description }))
    expect(requestsOf(`POST ${LIST}`)).toEqual([])
    expect(screen.getByRole('radio', { name: 'Do not release' }).closest('fieldset')).toHaveProperty('disabled', true)
  })

  it('says that the decisions could not be read, and reads them again', async () => {
    onRequest(`GET ${LIST}`, failed(503, 'It failed'))
    const { user } = showPanel()
    await screen.findByRole('alert')
    serveDecisions(DECISION)
    await user.click(screen.getByRole('button', { name: /Retry|Try again/ }))
    await screen.findByText(DECISION.note)
  })
})
