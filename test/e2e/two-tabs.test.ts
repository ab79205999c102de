// @module-tag deep
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createComponent, describePages } from './describe-pages.ts'

describePages('two tabs', (app, open) => {
  async function create(page: Page, name: string): Promise<void> {
    await page.bringToFront()
    await createComponent(page, name)
  }

  it('two tabs work in two applications at once, each in its own', async () => {
    const [left, right] = [await app().newWorkspace('Left'), await app().newWorkspace('Right')]
    const person = await app().newPerson(
      [left, right].map(({ workspaceId }) => ({ workspaceId, role: 'editor' as const })),
    )
    const page = await open(app().url, { person })
    const other = await page.context().newPage()
    await page.goto(`/a/${left.workspaceId}/components`)
    await other.goto(`/a/${right.workspaceId}/components`)
    await create(page, 'in the left one')
    await create(other, 'in the right one')
    await page.bringToFront()
    await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: 'Components' }).click()
    await create(page, 'left again')

    const namesOf = async (workspace: typeof left) =>
      (await workspace.client.list('/components')).map(({ name }) => name)
    expect((await namesOf(left)).toSorted()).toEqual(['in the left one', 'left again'])
    expect(await namesOf(right)).toEqual(['in the right one'])
  })

  it('a deleted or foreign application shows the same not-found page as one that never was', async () => {
    const foreign = await app().newWorkspace('Foreign')
    const person = await app().newPerson()
    const page = await open(app().url, { person })
    const texts: (string | null)[] = []
    for (const id of [foreign.workspaceId, '00000000-0000-0000-0000-000000000000', 'no-id']) {
      await page.goto(`/a/${id}/components`)
      await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
      texts.push(await page.getByRole('main').textContent())
    }
    expect(new Set(texts).size).toBe(1)
  })
})
