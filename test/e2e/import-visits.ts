import type { Page } from 'playwright-core'

const IMPORT = { path: '/a/:filled/c/:component/datasets/:dataset/import', heading: 'Import items' } as const

/** Without the later steps: they ask before they are left, which the next visit would have to answer. */
export const IMPORT_VISITS = [
  { ...IMPORT, name: 'import', as: 'owner' },
  { ...IMPORT, name: 'import-as-viewer', as: 'viewer' },
  { ...IMPORT, name: 'import-rejected', as: 'owner', prepare: chooseWorkbook },
] as const

async function chooseWorkbook(page: Page): Promise<void> {
  const buffer = Buffer.from([0x50, 0x4b, 0x03, 0x04])
  await page.getByLabel('File to import').setInputFiles({ name: 'questions.xlsx', mimeType: 'application/zip', buffer })
  await page.getByRole('alert').waitFor()
}
