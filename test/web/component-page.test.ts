import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Dataset, Evaluation, EvaluationDetail, Run } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import {
  ASSISTANT,
  address,
  eventually,
  heading,
  idOf,
  inSupport,
  openPage,
  signIn,
  silenceConsole,
} from './open-page.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}`)
const GOLDEN: Dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(4), name: 'golden answers', itemCount: 12 }
const RUN: Run = { ...exampleOf<Run>('Run'), id: idOf(5), name: 'v1', datasetId: GOLDEN.id, traceCount: 7 }

function openComponent(search = '') {
  signIn('editor')
  onRequest('GET /components/{componentId}', ASSISTANT)
  return openPage(`${PAGE}${search}`)
}

describe('component page', () => {
  it('shows the datasets first, with the number of rows in each tab', async () => {
    onRequest('GET /components/{componentId}/datasets', { data: [GOLDEN] })
    onRequest('GET /components/{componentId}/runs', { data: [RUN, { ...RUN, id: idOf(6) }] })
    openComponent()
    await heading('assistant')
    const row = await screen.findByRole('row', { name: /^golden answers/ })
    expect(within(row).getByRole('cell', { name: '12' })).toBeTruthy()
    const tabs = screen.getAllByRole('tab')
    await eventually(() => expect(tabs.map((tab) => tab.textContent)).toEqual(['Datasets1', 'Runs2', 'Evaluations0']))
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Datasets1')
  })

  it('does not claim a total when there may be more rows', async () => {
    const runs = Array.from({ length: 50 }, (_, row) => ({ ...RUN, id: idOf(100 + row) }))
    onRequest('GET /components/{componentId}/runs', { data: runs })
    openComponent()
    await screen.findByRole('tab', { name: /^Runs ?50\+$/ })
  })

  it.each([
    ['datasets', 'No dataset yet'],
    ['runs', 'No run yet'],
    ['evaluations', 'No evaluation yet'],
  ])('the tab in the address is shown; without %s it explains how to add one', async (tab, title) => {
    openComponent(`?tab=${tab}`)
    await heading(title)
    expect(screen.getByText(new RegExp(`/components/${ASSISTANT.id}/${tab}"`))).toBeTruthy()
  })

  it('an unknown tab in the address shows the datasets', async () => {
    openComponent('?tab=foo')
    await heading('No dataset yet')
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Datasets0')
  })

  it('names the dataset of a run, or shows its id if it is not loaded', async () => {
    onRequest('GET /components/{componentId}/datasets', { data: [GOLDEN] })
    const other = { ...RUN, id: idOf(6), name: null, datasetId: idOf(77) }
    onRequest('GET /components/{componentId}/runs', { data: [RUN, other] })
    openComponent('?tab=runs')
    const row = await screen.findByRole('row', { name: /^v1/ })
    await within(row).findByRole('cell', { name: 'golden answers' })
    expect(within(screen.getByRole('row', { name: /^Run, / })).getByText('…00000077')).toBeTruthy()
  })

  it('shows why an evaluation failed, and asks for no other', async () => {
    const evaluation = exampleOf<Evaluation>('Evaluation')
    const failure = { ...evaluation, id: idOf(8), name: 'faithfulness', status: 'failed' }
    onRequest('GET /components/{componentId}/evaluations', { data: [failure, { ...evaluation, status: 'completed' }] })
    const detail = { ...exampleOf<EvaluationDetail>('EvaluationDetail'), error: 'The judge has no key.' }
    onRequest('GET /components/{componentId}/evaluations/{evaluationId}', detail)
    openComponent('?tab=evaluations')
    const row = await screen.findByRole('row', { name: /^faithfulness/ })
    await within(row).findByText('The judge has no key.')
    expect(within(row).getByText('failed')).toBeTruthy()
    expect(requestsOf('GET /components/{componentId}/evaluations/{evaluationId}')).toMatchObject([
      { params: { evaluationId: idOf(8) } },
    ])
  })

  it('arrow keys move between the tabs, and the address follows', async () => {
    const user = openComponent()
    await user.click(await screen.findByRole('tab', { name: /^Datasets/ }))
    await user.keyboard('{ArrowRight}')
    await heading('No run yet')
    expect(address()).toBe(`${PAGE}?tab=runs`)
    await user.keyboard('{End}')
    await heading('No evaluation yet')
    expect(address()).toBe(`${PAGE}?tab=evaluations`)
  })

  it('a list that fails leaves the other tabs usable', async () => {
    onRequest('GET /components/{componentId}/datasets', failed(403, 'Not for you'))
    onRequest('GET /components/{componentId}/runs', { data: [RUN] })
    const user = openComponent()
    expect((await screen.findByRole('alert')).textContent).toContain('Not for you')
    await user.click(screen.getByRole('tab', { name: /^Runs/ }))
    await screen.findByRole('row', { name: /^v1/ })
  })

  it.each([400, 404])('a component that the server rejects with %i is not found', async (status) => {
    signIn()
    onRequest('GET /components/{componentId}', failed(status, 'Component not found'))
    openPage(PAGE)
    await heading('Nothing is here')
    expect(screen.getByRole('button', { name: 'Application: Support' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Go to your applications' }).getAttribute('href')).toBe('/')
  })

  it('a component that cannot be loaded shows the reason, and appears after trying again', async () => {
    silenceConsole()
    signIn()
    onRequest('GET /components/{componentId}', failed(429, 'Too many requests'))
    const user = openPage(PAGE)
    await heading('This page could not be shown')
    expect(screen.getByRole('alert').textContent).toContain('Too many requests')
    expect(screen.getByText('req-1')).toBeTruthy()
    onRequest('GET /components/{componentId}', ASSISTANT)
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await heading('assistant')
  })

  it('deleting the component leads back to the list', async () => {
    const user = openComponent()
    await user.click(await screen.findByRole('button', { name: 'Delete component' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox'), 'assistant{Enter}')
    await screen.findByText('Deleted assistant.')
    await heading('No component yet')
    expect(address()).toBe(inSupport('components'))
  })
})
