import type { Page } from 'playwright-core'

/** The pages of runs, their cases, and the trends of a component. */
export const RUN_VISITS = [
  {
    name: 'run-list-selected',
    as: 'owner',
    path: '/a/:filled/c/:component/runs',
    heading: 'Runs',
    prepare: selectRun,
  },
  { name: 'run-cases', as: 'owner', path: '/a/:filled/c/:component/runs/:run', heading: 'v3', prepare: seeCases },
  { name: 'run-cases-peek', as: 'owner', path: '/a/:filled/c/:component/runs/:run', heading: 'v3', prepare: openCase },
  {
    name: 'run-metadata',
    as: 'owner',
    path: '/a/:filled/c/:component/runs/:run',
    heading: 'v3',
    prepare: editMetadata,
  },
  { name: 'run-add-traces', as: 'owner', path: '/a/:filled/c/:component/runs/:run', heading: 'v3', prepare: addTraces },
  { name: 'run-menu', as: 'viewer', path: '/a/:filled/c/:component/runs/:run', heading: 'v3', prepare: openMenu },
  {
    name: 'trends',
    as: 'viewer',
    path: '/a/:filled/c/:component/trends?period=90d',
    heading: 'Trends',
    prepare: seeCharts,
  },
] as const

async function selectRun(page: Page): Promise<void> {
  await page
    .getByRole('checkbox', { name: /^Select/ })
    .last()
    .check()
  await page.getByRole('button', { name: /^Compare/ }).waitFor()
}

async function seeCases(page: Page): Promise<void> {
  await page.getByText('Where is my order?').first().waitFor()
}

async function openCase(page: Page): Promise<void> {
  await seeCases(page)
  await page.keyboard.press('j')
  await page.getByRole('region', { name: 'Case, details' }).getByText('Where is my order?').first().waitFor()
}

async function editMetadata(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit metadata' }).click()
  await page.getByRole('dialog', { name: 'What was run' }).waitFor()
}

async function addTraces(page: Page): Promise<void> {
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Add traces by query…' }).click()
  await page.getByRole('dialog', { name: 'Add traces to the run' }).waitFor()
}

async function openMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More about this run' }).click()
  await page.getByRole('menuitem', { name: 'Delete run…' }).waitFor()
}

async function seeCharts(page: Page): Promise<void> {
  await page
    .getByText(/Quality/)
    .first()
    .waitFor()
}
