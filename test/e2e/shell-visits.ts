import type { Page } from 'playwright-core'
import { TRACE_ID } from './seed-trace.ts'

const OVERVIEW = { as: 'owner', path: '/a/:filled', heading: 'Overview' } as const

/** What opens above any page, a page whose data does not load, and the parts of a trace that only narrow screens separate. */
export const SHELL_VISITS = [
  { ...OVERVIEW, name: 'palette', prepare: (page: Page) => openDialog(page, 'Control+k') },
  { ...OVERVIEW, name: 'shortcuts', prepare: (page: Page) => openDialog(page, '?') },
  { ...OVERVIEW, name: 'account-menu', prepare: openAccountMenu },
  { ...OVERVIEW, name: 'application-switcher', prepare: openSwitcher },
  { ...OVERVIEW, name: 'overview-failed', prepare: failToLoad },
  { name: 'component-new', as: 'owner', path: '/a/:filled/components?new=true', heading: 'New component' },
  {
    name: 'component-menu',
    as: 'owner',
    path: '/a/:filled/c/:component/runs',
    heading: 'Runs',
    prepare: openComponentMenu,
  },
  ...(['tree', 'facts'] as const).map((panel) => ({
    name: `trace-${panel}`,
    as: 'viewer' as const,
    path: `/a/:filled/traces/${TRACE_ID}?panel=${panel}`,
    heading: 'Where is my order?',
  })),
] as const

/** What `overview-failed` provokes. */
export const FAILED_LOAD = /^answer: 400 GET \/api\/v1\/component-summaries$|ApiError: The period is invalid/

async function openDialog(page: Page, keys: string): Promise<void> {
  await page.keyboard.press(keys)
  await page.getByRole('dialog').waitFor()
}

async function openAccountMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
}

async function openSwitcher(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Application: / }).click()
  await page.getByRole('listbox', { name: 'Find an application' }).waitFor()
}

async function openComponentMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More about this component' }).click()
  await page.getByRole('menuitem', { name: 'Delete component' }).waitFor()
}

async function failToLoad(page: Page): Promise<void> {
  const json = { error: 'The period is invalid', requestId: 'req-1' }
  await page.route('**/component-summaries*', (route) => route.fulfill({ status: 400, json }), { times: 1 })
  await page.reload()
  await page.getByRole('alert').getByText('The period is invalid').waitFor()
}
