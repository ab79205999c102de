// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePages, newOwner } from './describe-pages.ts'
import { seedComparedRuns } from './seed-compared-runs.ts'

const QUESTIONS = Array.from({ length: 24 }, (_, index) => `Is part ${index + 1} covered?`)

describePages('compare', (app, open) => {
  it('without a mouse, from a component to its comparison, through the regressions, to a blind preference', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const { component, baseline, candidate } = await seedComparedRuns(client, {
      name: 'answer agent',
      questions: QUESTIONS,
    })
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/c/${component}`)
    await follow(page, page.getByRole('link', { name: 'Compare item by item' }))
    await page.getByRole('heading', { name: /^Prompt v7 is worse than Prompt v6 on grounded by 0\.50/ }).waitFor()
    await follow(page, page.getByRole('button', { name: /worse 12$/ }))
    await page.getByText('12 shown').waitFor()
    const first = await question(page)
    await page.keyboard.press('j')
    await expect.poll(() => question(page)).not.toBe(first)
    expect(await page.getByRole('article', { name: 'Item' }).locator('mark').count()).toBeGreaterThan(0)
    await page.keyboard.press('d')
    await expect.poll(() => page.getByRole('article', { name: 'Item' }).locator('mark').count()).toBe(0)
    const second = await question(page)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Both traces' })
    await dialog.getByRole('link', { name: 'Open the whole trace' }).nth(1).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.reload()
    await expect.poll(() => question(page)).toBe(second)
    expect(new URL(page.url()).searchParams.get('filter')).toBe('regressed')

    await follow(page, page.getByRole('button', { name: 'Prefer blind' }))
    const answer = page.getByRole('region', { name: 'Answer A' })
    await answer.waitFor()
    await page.keyboard.press('a')
    await page.getByText('1 of 24 items judged by you').waitFor()
    const path = `/components/${component}/comparisons/preferences?baseline=${baseline}&candidate=${candidate}`
    await expect.poll(async () => (await client.list(path)).length).toBe(1)
    const [preference] = await client.list(path)
    expect(preference).toMatchObject({ userId: person.userId, better: preference?.shownLeft, isSideDrawn: true })
    await follow(page, page.getByRole('button', { name: 'Show the result' }))
    await page.getByText('1 preference of 1 person').waitFor()
    expect((await client.get(path.replace('/preferences', ''))).body).toMatchObject({ looks: 1 })
  })
})

/** As a user would who went there by Tab. */
async function follow(page: Page, target: ReturnType<Page['getByRole']>): Promise<void> {
  await target.focus()
  await page.keyboard.press('Enter')
}

async function question(page: Page): Promise<string | null> {
  return page.getByRole('article', { name: 'Item' }).getByRole('heading').textContent()
}
