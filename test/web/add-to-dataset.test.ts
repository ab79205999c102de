import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AnnotationOfTrace, Dataset, DatasetItem, Trace, TraceOutline } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { grid, layOutTable, listOf, openTraces, PAGE, rowOf } from './open-traces.ts'

layOutTable()

const DATASET: Dataset = {
  ...exampleOf<Dataset>('Dataset'),
  id: idOf(70),
  name: 'golden answers',
  itemCount: 2,
  aiComponentId: ASSISTANT.id,
}
const ITEMS = '/components/{componentId}/datasets/{datasetId}/items'
const NEWEST_ITEM = idOf(200)

function itemOf(id: string, traceDbId: string, expected: string | null = null): DatasetItem {
  return { ...exampleOf<DatasetItem>('DatasetItem'), id, traceDbId, expected }
}

beforeEach(() => {
  onRequest('GET /components', { data: [ASSISTANT] })
  onRequest('GET /components/{componentId}/datasets', { data: [DATASET] })
  onRequest('GET /components/{componentId}/datasets/{datasetId}', DATASET)
  onRequest(`GET ${ITEMS}`, { data: [itemOf(NEWEST_ITEM, idOf(1))] })
})

type User = ReturnType<typeof openPage>

const bodies = (name: string) => requestsOf(name).map(({ body }) => body)
const dialog = () => screen.findByRole('dialog')
const press = async (user: User, name: string) =>
  user.click(await within(await dialog()).findByRole('button', { name }))

async function selectRows(user: User, ...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    const row = await within(await grid()).findByRole('row', { name: new RegExp(`question ${number}`) })
    await user.click(within(row).getByRole('checkbox'))
  }
}

describe('adding selected traces to a dataset', () => {
  it('components with the same name are distinguished by the end of their ids', async () => {
    const twin = { ...ASSISTANT, id: idOf(71) }
    const other = { ...ASSISTANT, id: idOf(72), name: 'summaries' }
    onRequest('GET /components', { data: [ASSISTANT, twin, other] })
    const user = openTraces()
    await selectRows(user, 1)
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    const options = within(await screen.findByRole('combobox', { name: 'Component' })).getAllByRole('option')
    expect(options.map(({ textContent }) => textContent)).toEqual([
      `${ASSISTANT.name} …${ASSISTANT.id.slice(-8)}`,
      `${ASSISTANT.name} …${twin.id.slice(-8)}`,
      'summaries',
    ])
  })

  it('says how many were added and how many were there before, and undo deletes only the new items', async () => {
    const user = openTraces()
    onRequest(`POST ${ITEMS}`, { data: [itemOf(NEWEST_ITEM, idOf(1)), itemOf(idOf(201), idOf(2))] })
    await selectRows(user, 1, 2)
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    await press(user, 'Add')
    await screen.findByText('Added 1 item to “golden answers”.')
    await screen.findByText('1 trace was skipped, because it is an item already.')
    expect(bodies(`POST ${ITEMS}`)).toEqual([[{ traceId: idOf(1) }, { traceId: idOf(2) }]])
    const link = screen.getByRole('link', { name: 'Show the dataset' })
    expect(link.getAttribute('href')).toBe(inSupport(`c/${ASSISTANT.id}/datasets/${DATASET.id}`))
    await press(user, 'Undo')
    await screen.findByText('The items are removed again.')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(requestsOf(`DELETE ${ITEMS}/{itemId}`).map(({ params }) => params['itemId'])).toEqual([idOf(201)])
  })

  it('d opens it, and the selection stays', async () => {
    const user = openTraces()
    await selectRows(user, 1)
    await user.keyboard('d')
    await within(await dialog()).findByRole('combobox', { name: 'Component' })
    await user.keyboard('{Escape}')
    await screen.findByText('1 selected')
  })

  it('the outputs of the traces become the expected ones by the server, which has them in full', async () => {
    const user = openTraces()
    onRequest(`POST ${ITEMS}/from-query`, { added: 2, skipped: 0, addedIds: [idOf(201), idOf(202)] })
    await selectRows(user, 1, 2)
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Expected output' }), 'output')
    await press(user, 'Add')
    await screen.findByText('Added 2 items to “golden answers”.')
    expect(bodies(`POST ${ITEMS}/from-query`)).toEqual([
      { q: `id:${idOf(1)} OR id:${idOf(2)}`, limit: 2, expected: 'output' },
    ])
    await press(user, 'Undo')
    await screen.findByText('The items are removed again.')
    const deleted = requestsOf(`DELETE ${ITEMS}/{itemId}`).map(({ params }) => params['itemId'])
    expect(deleted).toEqual([idOf(201), idOf(202)])
  })

  it('creates a dataset in place once, also if adding fails at first, and undo deletes it', async () => {
    const user = openTraces()
    const created = { ...DATASET, id: idOf(71), name: 'hard cases', itemCount: 0 }
    onRequest('POST /components/{componentId}/datasets', created)
    onRequest(`GET ${ITEMS}`, { data: [] })
    onRequest(`POST ${ITEMS}`, failed(503, 'Try again later'))
    await selectRows(user, 2)
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Dataset' }), 'New dataset…')
    await user.type(screen.getByRole('textbox', { name: 'Name of the new dataset' }), ' hard cases ')
    onRequest('GET /components/{componentId}/datasets', { data: [created, DATASET] })
    onRequest('GET /components/{componentId}/datasets/{datasetId}', created)
    await press(user, 'Create and add')
    await screen.findByText('Try again later')
    onRequest(`POST ${ITEMS}`, { data: [itemOf(idOf(201), idOf(2))] })
    await press(user, 'Add')
    await screen.findByText('Added 1 item to “hard cases”.')
    expect(bodies('POST /components/{componentId}/datasets')).toEqual([{ name: 'hard cases' }])
    await press(user, 'Undo')
    await screen.findByText('The new dataset is deleted again.')
    const deleted = requestsOf('DELETE /components/{componentId}/datasets/{datasetId}')
    expect(deleted.map(({ params }) => params['datasetId'])).toEqual([created.id])
  })

  it('without a component it explains what is missing', async () => {
    onRequest('GET /components', { data: [] })
    const user = openTraces()
    await selectRows(user, 2)
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    await screen.findByText('A dataset belongs to a component. Create a component first.')
  })

  it('is disabled with the reason for a viewer', async () => {
    const user = openTraces(undefined, PAGE, 'viewer')
    await selectRows(user, 2)
    const button = await screen.findByRole('button', { name: 'Add to dataset' })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await user.click(button)
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('adding all traces that match', () => {
  it('sends the query with the marked times, and the limit', async () => {
    const range = 'from=2026-11-15T00:00:00.000Z&to=2026-11-16T00:00:00.000Z'
    const user = openTraces(undefined, `${PAGE}?q=${encodeURIComponent('tag:a OR tag:b')}&${range}`)
    onRequest('GET /traces', listOf([rowOf(1)], { total: 340 }))
    onRequest(`POST ${ITEMS}/from-query`, {
      added: 20,
      skipped: 5,
      addedIds: Array.from({ length: 20 }, (_, index) => idOf(300 + index)),
    })
    await screen.findByText('340 match')
    await user.click(screen.getByRole('button', { name: 'Add all to dataset' }))
    const limit = await screen.findByRole<HTMLInputElement>('spinbutton', { name: 'How many at most' })
    expect(limit.value).toBe('100')
    await user.clear(limit)
    await user.type(limit, '25')
    await press(user, 'Add')
    await screen.findByText('5 traces were skipped, because they are items already.')
    expect(bodies(`POST ${ITEMS}/from-query`)).toEqual([
      {
        q: '(tag:a OR tag:b) start:>=2026-11-15T00:00:00.000Z start:<2026-11-16T00:00:00.000Z',
        limit: 25,
        expected: 'none',
      },
    ])
  })

  it('without a query it adds the newest traces', async () => {
    const user = openTraces()
    onRequest(`POST ${ITEMS}/from-query`, { added: 3, skipped: 0, addedIds: [] })
    await screen.findByText('3 in all')
    await user.click(screen.getByRole('button', { name: 'Add all to dataset' }))
    await press(user, 'Add')
    await screen.findByText('Added 3 items to “golden answers”.')
    expect(bodies(`POST ${ITEMS}/from-query`)).toEqual([{ q: 'start:*', limit: 3, expected: 'none' }])
  })
})

describe('adding one trace from its page', () => {
  const TRACE: Trace = {
    ...exampleOf<Trace>('Trace'),
    id: idOf(5),
    input: 'Where is my order?',
    output: 'On its way.',
    aiComponentId: ASSISTANT.id,
  }

  function openTrace(annotations: Partial<AnnotationOfTrace>[] = []): User {
    signIn('editor')
    onRequest('GET /traces/{traceId}', TRACE)
    onRequest('GET /traces/{traceId}/outline', exampleOf<TraceOutline>('TraceOutline'))
    const data = annotations.map((one) => ({ ...exampleOf<AnnotationOfTrace>('AnnotationOfTrace'), ...one }))
    onRequest('GET /traces/{traceId}/annotations', { data, hiddenRaters: [] })
    return openPage(inSupport(`traces/${TRACE.id}`))
  }

  const expectedField = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Expected output' })

  it('its output is the expected one, and can be changed before', async () => {
    const user = openTrace()
    onRequest(`POST ${ITEMS}`, { data: [itemOf(idOf(201), TRACE.id)] })
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    const field = await expectedField()
    expect(field.value).toBe('On its way.')
    await user.type(field, ' It arrives tomorrow.')
    await press(user, 'Add')
    await screen.findByText('Added 1 item to “golden answers”.')
    expect(bodies(`POST ${ITEMS}`)).toEqual([[{ traceId: TRACE.id, expected: 'On its way. It arrives tomorrow.' }]])
  })

  it('the newest corrected output has precedence over the output', async () => {
    const user = openTrace([
      { id: idOf(80), correctedOutput: 'Older', updatedAt: '2026-11-14T00:00:00.000Z' },
      { id: idOf(81), correctedOutput: 'Newer', updatedAt: '2026-11-15T00:00:00.000Z' },
      { id: idOf(82), correctedOutput: null, updatedAt: '2026-11-16T00:00:00.000Z' },
    ])
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    expect((await expectedField()).value).toBe('Newer')
  })

  it('an expected output for a trace that is an item already is not lost', async () => {
    const user = openTrace()
    const existing = itemOf(NEWEST_ITEM, TRACE.id, 'former')
    onRequest(`POST ${ITEMS}`, { data: [existing] })
    await user.click(await screen.findByRole('button', { name: 'Add to dataset' }))
    await expectedField()
    await press(user, 'Add')
    await screen.findByText('Nothing was added to “golden answers”.')
    onRequest(`PATCH ${ITEMS}/{itemId}`, existing)
    await press(user, 'Replace its expected output')
    await screen.findByText('The expected output is replaced.')
    expect(bodies(`PATCH ${ITEMS}/{itemId}`)).toEqual([{ expected: 'On its way.' }])
  })
})
