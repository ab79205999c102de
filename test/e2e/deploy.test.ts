/** A label from its conditions to users and back: in the browser, against a server with evaluated runs. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  historyOf,
  moveTo,
  protect,
  runAndEvaluate,
  type SeededDeployment,
  seedGated,
} from '../deployments/seed-deployment.ts'
import type { TestApp } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

/** Version 2 is as good as version 1, which production serves; version 3 was never evaluated. */
async function openDeploy(app: TestApp, role: 'editor' | 'admin' = 'editor') {
  const seeded = await seedGated(app)
  await runAndEvaluate(seeded, 2)
  const person = await app.newPerson([{ workspaceId: seeded.workspaceId, role }])
  const prompt = `/a/${seeded.workspaceId}/c/${seeded.componentId}/prompts/${seeded.promptId}`
  return { seeded, person, prompt, deploy: `${prompt}/deploy/production` }
}

const served = async ({ client, path }: SeededDeployment) => {
  const [production] = await client.list(`${path}/labels`)
  return production?.splits
}

const WIDTHS = [1280, 768, 390]

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 860 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
  await page.setViewportSize({ width: 1280, height: 860 })
}

describePages('deploying', (app, open) => {
  it('a version gets a canary share by its key and its button, and is rolled back by one key', async () => {
    const { seeded, person, prompt } = await openDeploy(app())
    const page = await open(app().url, { person })
    await page.goto(`${prompt}?version=2`)
    await page.getByRole('button', { name: /^Deploy v2/ }).waitFor()
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: 'Move production from v1 to v2' }).waitFor()
    await page.getByText('5 of 5 met').waitFor()
    await page.getByRole('slider').press('ArrowRight')
    await page.getByRole('textbox', { name: 'Note' }).fill('over the weekend')
    await page.getByRole('button', { name: 'Give v2 11\u202f% of production' }).waitFor()
    await page.waitForURL(/weight=11/)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Gave v2 11\u202f% of production.').first().waitFor()
    expect(await served(seeded)).toEqual([
      { version: 1, weight: 89 },
      { version: 2, weight: 11 },
    ])
    const [change] = await historyOf(seeded)
    expect(change).toMatchObject({ note: 'over the weekend', changedBy: person.userId })
    expect(change?.['evidence']).toHaveLength(1)

    await page.getByRole('button', { name: 'More about this prompt' }).click()
    await page.getByRole('menuitem', { name: 'Roll back production…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll production back to v1?' })
    await dialog.getByText('now, change 2').waitFor()
    await dialog.getByRole('textbox', { name: 'Note' }).fill('too long')
    await page.keyboard.press('Enter')
    await page.getByText('Rolled production back: it serves v1.').first().waitFor()
    expect(await served(seeded)).toEqual([{ version: 1, weight: 100 }])
  })

  it('a version that was never evaluated is blocked, and the way out leads to a trial of both', {
    tags: 'deep',
  }, async () => {
    const { seeded, person, deploy } = await openDeploy(app())
    // No model is connected, so that the trial cannot be estimated.
    const page = await open(app().url, { person, complaints: [/^answer: 400 POST .*\/trials$/] })
    await page.goto(`${deploy}?version=3`)
    await page.getByText('v3 and v1 were never compared', { exact: false }).waitFor()
    await page
      .getByRole('region', { name: 'What would open it' })
      .getByText(/Run v3 over the dataset/)
      .waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page, 'deploy-blocked')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('link', { name: 'Set up a trial' }).click()
    for (const name of [/^v3/, /^v1/]) await page.getByRole('checkbox', { name, checked: true }).waitFor()
    expect(page.url()).toContain(`dataset=${seeded.datasetId}`)
    expect(await served(seeded)).toEqual([{ version: 1, weight: 100 }])

    await runAndEvaluate(seeded, 3)
    await page.goBack()
    await page.getByText('5 of 5 met').waitFor()
    await page.getByRole('button', { name: 'Give v3 10\u202f% of production' }).waitFor()
  })

  it('a second person who was faster is named, and nothing is overwritten', { tags: 'deep' }, async () => {
    const { seeded, person, deploy } = await openDeploy(app())
    const page = await open(app().url, { person, complaints: [/^answer: 409 PUT /] })
    // Without the stream of events, the page does not see the move before the button is pressed.
    await page.route('**/api/v1/events*', (route) => route.fulfill({ status: 204 }))
    await page.goto(`${deploy}?version=2`)
    await page.getByText('5 of 5 met').waitFor()
    await moveTo(seeded, [
      [1, 95],
      [2, 5],
    ])
    await page.getByRole('button', { name: 'Give v2 10\u202f% of production' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText(/moved production/).waitFor()
    await alert.getByText(/It serves v1 95.%, v2 5.% now \(change 2\)\. Your numbers were for change 1\./).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page, 'deploy-faster')
    await alert.getByRole('button', { name: 'Look again' }).click()
    await page.getByRole('heading', { name: 'Change the share of v2 in production' }).waitFor()
    await page.getByRole('button', { name: 'Give v2 10\u202f% of production' }).click()
    await page.getByText('Gave v2 10\u202f% of production.').first().waitFor()
    expect((await historyOf(seeded))[0]).toMatchObject({
      change: 3,
      before: { splits: [{ weight: 95 }, { weight: 5 }] },
    })
  })

  it('is accessible while it is allowed, and its dialogs are', { tags: 'deep' }, async () => {
    const { person, prompt, deploy, seeded } = await openDeploy(app(), 'admin')
    const page = await open(app().url, { person })
    await page.goto(`${deploy}?version=2`)
    await page.getByText('5 of 5 met').waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page, 'deploy-allowed')
    await page.getByRole('button', { name: 'Change the conditions…' }).click()
    await page.getByRole('dialog', { name: 'Conditions of production' }).waitFor()
    await expectAccessible(page, 'deploy-conditions')
    await moveTo(seeded, 2)
    await page.goto(`${prompt}?rollback=production`)
    await page.getByRole('dialog').getByText('now, change 2').waitFor()
    await expectAccessible(page, 'deploy-roll-back')
    await page.goto(`${prompt}/deploy/staging?version=2`)
    await page.getByText('Staging has no conditions').waitFor()
    await expectAccessible(page, 'deploy-first')
  })

  it('for a role that is too low shows everything, and nothing moves', { tags: 'deep' }, async () => {
    const { seeded, deploy } = await openDeploy(app())
    expect((await protect(seeded, {}, { minRole: 'admin' })).status).toBe(200)
    const { person } = await viewerOf(app(), seeded.workspaceId)
    const page = await open(app().url, { person })
    await page.goto(`${deploy}?version=2&weight=25`)
    await page.getByText('It takes the role admin. You are a viewer.').first().waitFor()
    await expectAccessible(page, 'deploy-as-viewer')
    await page.getByRole('button', { name: 'Copy link for an admin' }).click()
    await page
      .getByText(/^Copied\./)
      .first()
      .waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${app().url}${deploy}?version=2&weight=25`)
  })

  it('of the example data is blocked by too few items, and leads to the dataset', { tags: 'deep' }, async () => {
    const { person, workspaceId } = await newOwner(app(), 'Support')
    const client = app().asPerson(person, workspaceId)
    expect((await client.send('POST', '/example-data')).status).toBe(201)
    const [component] = await client.list('/components')
    const [prompt] = await client.list(`/components/${component?.id}/prompts`)
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component?.id}/prompts/${prompt?.id}/deploy/production?version=5`)
    await page.getByText('Production is shut for v5').waitFor()
    await page
      .getByText(/a gate needs 30 items/)
      .first()
      .waitFor()
    await expectNoSidewaysScroll(page)
    await page.getByRole('link', { name: 'Add items to the dataset' }).click()
    await page.getByRole('heading', { name: 'Customer questions' }).waitFor()
  })
})

async function viewerOf(app: TestApp, workspaceId: string) {
  return { person: await app.newPerson([{ workspaceId, role: 'viewer' }]) }
}
