import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { describeInBrowser, type OpenPage } from '../harness/browser.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import { type StartOptions, startTestApp, type TestApp } from '../harness/test-app.ts'

/** Runs the tests in a browser against a server of their own. What pages do does not depend on the engine. */
export function describePages(
  name: string,
  tests: (app: () => TestApp, open: OpenPage) => void,
  options: StartOptions = {},
): void {
  describeInBrowser(name, (open) => {
    let app: TestApp | undefined
    let database: TestDatabase | undefined
    beforeAll(async () => {
      database = await createTestDatabase('sqlite', 'migrated')
      const environment = { ...options.environment, PORT: String(await freePort()) }
      app = await startTestApp(database.url, { ...options, environment })
    })
    afterAll(async () => {
      await app?.close()
      database?.remove()
    })
    tests(() => {
      if (!app) throw new Error('the server runs only while a test does')
      return app
    }, open)
  })
}

/** An application of its own, a signed-in person who owns it, and a client with one of its API keys. */
export async function newOwner(app: TestApp, name?: string) {
  const { workspaceId, client } = await app.newWorkspace(name)
  return { workspaceId, client, person: await app.newPerson([{ workspaceId, role: 'owner' }]) }
}

/** By the dialog of the list, until the page of the new one is there. */
export async function createComponent(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New component' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create component' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
