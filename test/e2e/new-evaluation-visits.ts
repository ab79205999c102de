import type { Page } from 'playwright-core'

const NEW = { as: 'owner', path: '/a/:filled/c/:component/evaluations/new', heading: 'New evaluation' } as const

/** The page of a new evaluation: as it opens, with a judge and an error, as JSON, and for those who may not start one. */
export const NEW_EVALUATION_VISITS = [
  { ...NEW, name: 'run-evaluate', path: `${NEW.path}?run=:run`, prepare: seeEstimate },
  { ...NEW, name: 'new-evaluation-all', path: `${NEW.path}?dataset=:dataset`, prepare: chooseEvaluators },
  { ...NEW, name: 'new-evaluation-gate', path: `${NEW.path}?view=form`, prepare: setGate },
  { ...NEW, name: 'new-evaluation-json', path: `${NEW.path}?view=json`, prepare: breakJson },
  { ...NEW, name: 'new-evaluation-as-viewer', as: 'viewer', heading: 'Not for your role' },
] as const

/** While a judge has no instructions, the server rejects the dry run; nothing listens at the address of the preview. */
export const INVALID_CONFIG = /^answer: 400 POST \/api\/v1\/components\/[^/]+\/evaluations$/

async function seeEstimate(page: Page): Promise<void> {
  await page.getByRole('complementary', { name: 'What it costs and shows' }).getByText('nothing').waitFor()
}

async function chooseEvaluators(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
  for (const name of [/^Your own judge/, /^Right tools/, /^Right number/, /^Which label fits/])
    await page.getByRole('checkbox', { name }).check()
  await page.getByRole('region', { name: 'Right tools' }).locator('summary').first().click()
  await page.getByRole('button', { name: 'Add to Call' }).click()
  await page
    .getByText(/^Not yet: /)
    .first()
    .waitFor()
}

/** The two newest runs with the same dataset. */
async function setGate(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Dataset' }).selectOption({ label: 'golden answers' })
  await page.getByRole('combobox', { name: 'Run' }).selectOption({ label: 'v2' })
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'v1' })
  await page.getByRole('switch', { name: 'Gate' }).check()
  await page.getByRole('slider', { name: 'Margin' }).waitFor()
  await page.getByText(/ are in both runs/).waitFor()
}

async function breakJson(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Config' }).fill('{"evaluators": [')
  await page.getByText(/^Line 1, column/).waitFor()
}
