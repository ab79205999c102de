import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Dataset, Run } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/runs`)
const DATASETS = '/components/{componentId}/datasets'
const RUNS = '/components/{componentId}/runs'
const GOLDEN: Dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(20), name: 'golden', itemCount: 12 }
const NEW_RUN: Run = { ...exampleOf<Run>('Run'), id: idOf(40) }
const OLDER: Dataset = { ...GOLDEN, id: idOf(21), name: 'older' }

layOutTable()

async function openDialog(datasets: Dataset[]) {
  signIn('editor')
  onRequest('GET /components', { data: [ASSISTANT] })
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /components/{componentId}/run-summaries', { data: [], nextCursor: null })
  onRequest(`GET ${DATASETS}`, { data: datasets })
  onRequest(`POST ${DATASETS}`, { ...GOLDEN, id: idOf(30) })
  onRequest(`POST ${RUNS}`, NEW_RUN)
  const user = openPage(PAGE)
  await user.click(await screen.findByRole('button', { name: 'New run' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New run' }))
  const name = await dialog.findByRole('textbox', { name: 'Name' })
  return { user, dialog, name }
}

describe('a new run', () => {
  it('belongs to the chosen dataset, and leads to its page', async () => {
    const { user, dialog, name } = await openDialog([GOLDEN, OLDER])
    expect(document.activeElement).toBe(name)
    await user.type(name, ' prompt v2 ')
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Dataset' }), 'older (12 items)')
    await user.click(dialog.getByRole('button', { name: 'Create run' }))
    await eventually(() => expect(address()).toBe(`${PAGE}/${idOf(40)}`))
    expect(requestsOf(`POST ${RUNS}`)).toMatchObject([{ body: { name: 'prompt v2', datasetId: OLDER.id } }])
    expect(requestsOf(`POST ${DATASETS}`)).toEqual([])
  })

  it('creates its dataset once, also if the run fails at first', async () => {
    const { user, dialog, name } = await openDialog([])
    onRequest(`POST ${RUNS}`, failed(503, 'The database is busy. Try again in a moment.'))
    await user.type(name, 'prompt v1')
    await user.type(dialog.getByRole('textbox', { name: 'Name of the new dataset' }), 'golden')
    onRequest(`GET ${DATASETS}`, { data: [{ ...GOLDEN, id: idOf(30) }] })
    await user.click(dialog.getByRole('button', { name: 'Create run' }))
    await dialog.findByText(/The database is busy/)
    onRequest(`POST ${RUNS}`, NEW_RUN)
    await user.click(dialog.getByRole('button', { name: 'Create run' }))
    await eventually(() => expect(address()).toBe(`${PAGE}/${idOf(40)}`))
    expect(requestsOf(`POST ${DATASETS}`)).toMatchObject([{ body: { name: 'golden' } }])
    expect(requestsOf(`POST ${RUNS}`).map(({ body }) => body)).toEqual([
      { name: 'prompt v1', datasetId: idOf(30) },
      { name: 'prompt v1', datasetId: idOf(30) },
    ])
  })
})
