import { fireEvent, screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Dataset, DatasetImport, DirectoryEntry, ImportReport, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, ASSISTANT, address, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const DATASET: Dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(70), name: 'Golden set', itemCount: 200 }
const PAGE = inSupport(`c/${ASSISTANT.id}/datasets/${DATASET.id}/import`)
const AT = '/components/{componentId}/datasets/{datasetId}'
const IMPORT_ID = idOf(71)

const REPORT: ImportReport = {
  importId: null,
  dryRun: true,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ';',
  rows: 1_048,
  imported: 1_043,
  bad: {
    count: 2,
    rows: [
      { row: 7, column: 'split', reason: 'must be one of train, validation, test', found: 'tset' },
      { row: 12, column: 'question', reason: 'An input or a traceId is required', found: null },
    ],
  },
  duplicates: {
    count: 3,
    skipped: 3,
    rows: [
      { row: 9, by: 'input', itemId: idOf(72), firstRow: null, found: 'How do I return a helmet?' },
      { row: 31, by: 'input', itemId: null, firstRow: 10, found: 'Where is my order?' },
    ],
  },
  mapping: [
    { column: 'question', field: 'input', as: 'text' },
    { column: 'answer', field: 'expected', as: 'text' },
    { column: 'order', field: 'metadata.order', as: 'json' },
  ],
}

const IMPORTED: DatasetImport = {
  ...exampleOf<DatasetImport>('DatasetImport'),
  id: IMPORT_ID,
  fileName: 'returns.csv',
  format: 'csv',
  state: 'imported',
  rows: 1_048,
  imported: 1_043,
  bad: 2,
  duplicates: 3,
  createdBy: ADA.id,
}

const CSV = 'question;answer;order\n"Where; is it?";Here;{"id": 1}\nWhen?;;\n'

async function openImport(role: Role = 'editor', search = '') {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${AT}`, DATASET)
  onRequest(`GET ${AT}/imports`, { data: [] })
  onRequest('GET /members/directory', {
    data: [{ ...exampleOf<DirectoryEntry>('DirectoryEntry'), userId: ADA.id, name: ADA.name }],
  })
  onRequest(`POST ${AT}/import`, ({ query }) =>
    query['dry_run'] === 'true' ? REPORT : { ...REPORT, dryRun: false, importId: IMPORT_ID },
  )
  const user = openPage(`${PAGE}${search}`)
  await heading('Import items')
  return user
}

type User = Awaited<ReturnType<typeof openImport>>

const choose = (user: User, text: string | Uint8Array<ArrayBuffer>, name = 'returns.csv') =>
  user.upload(screen.getByLabelText('File to import'), new File([text], name))

const button = (name: string | RegExp) => screen.findByRole('button', { name })

async function openCheck(user: User) {
  await choose(user, CSV)
  await user.click(await button('Check the rows'))
}

describe('import page', () => {
  it('shows the encoding, the delimiter and the first rows of a file before it is sent', async () => {
    const user = await openImport()
    await choose(user, CSV)
    await heading('Import returns.csv')
    expect(await screen.findByText(/UTF-8 · semicolon/)).toBeTruthy()
    const rows = within(screen.getByRole('table', { name: 'First rows of the file' })).getAllByRole('row')
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'Rowquestionanswerorder',
      '2Where; is it?Here{"id": 1}',
      '3When?nothingnothing',
    ])
    expect(requestsOf(`POST ${AT}/import`)).toEqual([])
  })

  it('maps exact names only, and everything else to metadata', async () => {
    const user = await openImport()
    await choose(user, 'Question,prompt,answer,output,note\na,b,c,d,e\n')
    const fieldOf = async (column: string) => {
      const select = await screen.findByRole('combobox', { name: `What “${column}” is` })
      return select instanceof HTMLSelectElement ? select.value : ''
    }
    expect(await fieldOf('Question')).toBe('metadata.Question')
    expect(await fieldOf('prompt')).toBe('input')
    expect(await fieldOf('answer')).toBe('expected')
    expect(await fieldOf('output')).toBe('output')
    expect(await fieldOf('note')).toBe('metadata.note')
  })

  it('sends the mapping that it shows, and keeps it when the user goes back a step', async () => {
    const user = await openImport()
    await choose(user, CSV)
    await user.selectOptions(await screen.findByRole('combobox', { name: 'How to read “order”' }), 'json')
    await user.click(await button('Check the rows'))
    await screen.findByText('rows are ready')
    await user.click(await button('Change the columns'))
    expect(await screen.findByRole('combobox', { name: 'How to read “order”' })).toHaveProperty('value', 'json')
    const [sent] = requestsOf(`POST ${AT}/import`)
    expect(sent?.query).toMatchObject({ dry_run: 'true', duplicates: 'skip' })
    expect(JSON.parse(sent?.query['mapping'] ?? '')).toEqual({
      question: 'input',
      answer: 'expected',
      order: { field: 'metadata.order', as: 'json' },
    })
    expect(sent?.body).toBe(CSV)
  })

  it('names the reason why the columns do not fit', async () => {
    const user = await openImport()
    await choose(user, 'a,b\n1,2\n')
    expect((await screen.findByRole('alert')).textContent).toBe('Choose the column that has the input.')
    await user.selectOptions(screen.getByRole('combobox', { name: 'What “a” is' }), 'input')
    await user.selectOptions(screen.getByRole('combobox', { name: 'What “b” is' }), 'input')
    expect(screen.getByRole('alert').textContent).toBe('“a” and “b” both go to input. Choose one of them.')
    await user.click(await button('Check the rows'))
    expect(requestsOf(`POST ${AT}/import`)).toEqual([])
  })

  it('shows the numbers of the check as the server reports them, with row, column, reason and value', async () => {
    const user = await openImport()
    await openCheck(user)
    expect((await screen.findByText('rows are ready')).parentElement?.textContent).toBe('1,043 rows are ready')
    expect(screen.getByText('rows are bad').parentElement?.textContent).toBe('2 rows are bad')
    const rows = within(screen.getByRole('table', { name: 'Bad rows' })).getAllByRole('row')
    expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
      '7splitmust be one of train, validation, testtset',
      '12questionAn input or a traceId is requirednothing',
    ])
    const duplicates = within(screen.getByRole('region', { name: 'Duplicates' }))
    expect(duplicates.getByText('3 rows have an input that is there already.')).toBeTruthy()
    expect(duplicates.getByText('Row 31, as row 10')).toBeTruthy()
    await user.click(duplicates.getByRole('radio', { name: 'Import them too' }))
    await screen.findByText(/1,048 rows, UTF-8, semicolon/)
    expect(requestsOf(`POST ${AT}/import`).at(-1)?.query['duplicates']).toBe('keep')
  })

  it('imports the good rows, shows the result after a reload too, and undoes it', async () => {
    const user = await openImport()
    await openCheck(user)
    onRequest(`GET ${AT}/imports/{importId}`, IMPORTED)
    await user.click(await button('Import 1,043 rows'))
    expect(await screen.findByText('1,043 items imported')).toBeTruthy()
    expect(address()).toBe(`${PAGE}?import=${IMPORT_ID}`)
    expect(requestsOf(`POST ${AT}/import`).at(-1)?.query).toMatchObject({ on_error: 'skip', file_name: 'returns.csv' })
    const undone = { importId: IMPORT_ID, removed: 1_040, kept: { changed: 2, used: 1 } }
    onRequest(`POST ${AT}/imports/{importId}/undo`, ({ query }) => ({ ...undone, dryRun: query['dry_run'] === 'true' }))
    await user.click(await button('Undo this import'))
    const dialog = within(await screen.findByRole('dialog', { name: 'Undo this import?' }))
    expect(await dialog.findByText(/2 items stay, because someone has changed them/)).toBeTruthy()
    expect(dialog.getByText(/1 item stays, because a run or an evaluation uses it/)).toBeTruthy()
    onRequest(`GET ${AT}/imports/{importId}`, { ...IMPORTED, state: 'undone', removed: 1_040, kept: 3 })
    await user.click(dialog.getByRole('button', { name: 'Remove 1,040 items' }))
    expect(await screen.findByText('Undone: 1,040 items removed')).toBeTruthy()
    expect(await screen.findByText('1,040 items removed. 3 items stay.')).toBeTruthy()
  })

  it('can be undone from the message that follows the import', async () => {
    const user = await openImport()
    await openCheck(user)
    onRequest(`GET ${AT}/imports/{importId}`, IMPORTED)
    await user.click(await button('Import 1,043 rows'))
    const none = { importId: IMPORT_ID, dryRun: false, removed: 1_043, kept: { changed: 0, used: 0 } }
    onRequest(`POST ${AT}/imports/{importId}/undo`, none)
    fireEvent.click(await button('Undo'))
    expect(await screen.findByText('1,043 items removed.')).toBeTruthy()
  })

  it('keeps the file when the import fails, with the reason', async () => {
    const user = await openImport()
    await openCheck(user)
    await button('Import 1,043 rows')
    onRequest(`POST ${AT}/import`, () => failed(503, 'The database is busy'))
    await user.click(await button('Import 1,043 rows'))
    expect((await screen.findByRole('alert')).textContent).toContain('The database is busy')
    expect(await button('Import 1,043 rows')).toBeTruthy()
  })

  it.each([
    ['a workbook', new Uint8Array([0x50, 0x4b, 3, 4, 0]), 'CSV (UTF-8)'],
    ['a compressed file', new Uint8Array([0x1f, 0x8b, 8]), 'Unpack it first'],
    ['bytes', new Uint8Array([1, 0, 2, 0]), 'not a text file'],
    ['nothing', '', 'The file is empty'],
    ['JSON that is no list', '{\n"a": 1\n}', 'Put the objects into [ … ]'],
  ])('says what to do with %s', async (_, content, advice) => {
    const user = await openImport()
    await choose(user, content)
    expect((await screen.findByRole('alert')).textContent).toContain(advice)
  })

  it('reads pasted JSON lines and arrays', async () => {
    const user = await openImport()
    await user.click(await button('Paste text'))
    await user.click(screen.getByRole('textbox', { name: 'Text' }))
    await user.paste('[{"question":"a","n":1},{"question":"b ]"}]')
    await user.click(await button('Use this text'))
    expect(await screen.findByText(/JSON array/)).toBeTruthy()
    const rows = within(screen.getByRole('table', { name: 'First rows of the file' })).getAllByRole('row')
    expect(rows.map(({ textContent }) => textContent)).toEqual(['Rowquestionn', '1a1', '2b ]nothing'])
  })

  it('asks before the user leaves a file that is not imported', async () => {
    const user = await openImport()
    await choose(user, CSV)
    await user.click(await screen.findByRole('link', { name: 'Datasets' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Leave without importing?' }))
    await user.click(dialog.getByRole('button', { name: 'Stay' }))
    expect(address().startsWith(PAGE)).toBe(true)
  })

  it('lists former imports with who, when, counts and state', async () => {
    await openImport('viewer')
    onRequest(`GET ${AT}/imports`, {
      data: [IMPORTED, { ...IMPORTED, id: idOf(73), fileName: null, state: 'undone', removed: 5, kept: 1 }],
    })
    openPage(PAGE)
    const table = within(await screen.findByRole('table', { name: 'Former imports' }))
    const [, first, second] = table.getAllByRole('row')
    expect(first?.textContent).toMatch(/^returns\.csvAda Lovelace.*1,0481,04323Undo/)
    expect(second?.textContent).toMatch(/^CSV by the API.*undone, 5 items removed, 1 stayed$/)
    expect(screen.getAllByText('Importing requires the role editor; yours is viewer.').length).toBeGreaterThan(0)
  })
})
