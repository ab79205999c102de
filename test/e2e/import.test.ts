// @module-tag deep
/** A file of 10,000 rows with 13 bad ones, from the disk into a dataset and out of it again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BAD_ROWS, largeFile, ROWS } from '../datasets/large-file.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

describePages('the import of a file', (app, open) => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-import-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function openImport() {
    const { client, workspaceId, person } = await newOwner(app())
    const componentId = await client.create('/components', { name: 'Assistant' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
    const dataset = `/components/${componentId}/datasets/${datasetId}`
    const page = await open(app().url, { person })
    const path = `/a/${workspaceId}/c/${componentId}/datasets/${datasetId}/import`
    return { client, dataset, page, path }
  }

  const cellsOf = (page: Page, table: string) =>
    page
      .getByRole('table', { name: table })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
      )

  it('names the 13 bad rows, imports the others, and an undo restores the exact state before it', async () => {
    const { client, dataset, page, path } = await openImport()
    await client.post(`${dataset}/items`, [{ input: 'by hand', expected: 'stays' }, { traceId: 'of a trace' }])
    const before = await client.get(`${dataset}/items`)
    const file = join(folder, 'questions.csv')
    writeFileSync(file, largeFile())
    await page.goto(path)
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByRole('heading', { name: 'Import questions.csv' }).waitFor()
    await page.getByRole('combobox', { name: 'How to read “order”' }).selectOption('json')
    await expectAccessible(page, 'import-columns')
    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByText('9,987 rows are ready').waitFor()
    await page.getByText('13 rows are bad').waitFor()
    expect(await cellsOf(page, 'Bad rows')).toEqual(
      BAD_ROWS.map(({ row, column, reason, found }) => [
        row.toLocaleString('en'),
        column ?? 'whole row',
        reason,
        found ?? 'nothing',
      ]),
    )
    await expectAccessible(page, 'import-check')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download 13 bad rows' }).click()
    const saved = await (await downloading).path()
    const [header, ...rows]: string[][] = parse(readFileSync(saved), { relax_column_count: true })
    expect(header?.slice(-3)).toEqual(['import_row', 'import_column', 'import_reason'])
    expect(rows.map((cells) => Number(cells[5]))).toEqual(BAD_ROWS.map(({ row }) => row))
    expect((await client.get(dataset)).body.itemCount).toBe(2)
    await page.getByRole('button', { name: 'Import 9,987 rows' }).click()
    await page.getByText('9,987 items imported').first().waitFor()
    await expectAccessible(page, 'import-done')
    expect((await client.get(dataset)).body.itemCount).toBe(ROWS - 13 + 2)
    await page.reload()
    await page.getByRole('button', { name: 'Undo this import' }).click()
    await page.getByRole('button', { name: 'Remove 9,987 items' }).click()
    await page.getByText('Undone: 9,987 items removed').waitFor()
    expect((await client.get(`${dataset}/items`)).text).toBe(before.text)
    expect((await client.get(dataset)).body.itemCount).toBe(2)
  })

  it('shows hostile names of files and columns unchanged, and runs nothing of their rows', async () => {
    const { client, dataset, page, path } = await openImport()
    await page.goto(path)
    const file = join(folder, 'hostile.json')
    const columns = Object.fromEntries(HOSTILE_TEXTS.slice(0, 12).map((text) => [text, text]))
    writeFileSync(file, JSON.stringify(HOSTILE_TEXTS.map((text) => ({ question: text, split: text, ...columns }))))
    for (const text of HOSTILE_TEXTS.slice(0, 5)) {
      const name = encodeURIComponent(text.slice(0, 200))
      await client.post(`${dataset}/import?file_name=${name}`, 'input\na\n', { 'content-type': 'text/csv' })
    }
    await page.reload()
    await page.getByRole('table', { name: 'Former imports' }).waitFor()
    const names = await page.getByRole('table', { name: 'Former imports' }).getByRole('rowheader').allTextContents()
    expect(names.toSorted()).toEqual(
      HOSTILE_TEXTS.slice(0, 5)
        .map((text) => text.slice(0, 200))
        .toSorted(),
    )
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByRole('combobox', { name: `How to read “${HOSTILE_TEXTS[0]}”`, exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    const check = page.getByRole('button', { name: 'Check the rows' })
    await check.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Bad rows' }).waitFor()
    expect(await cellsOf(page, 'Bad rows')).toHaveLength(HOSTILE_TEXTS.length)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })
})
