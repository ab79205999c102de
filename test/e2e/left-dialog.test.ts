// @module-tag deep
import { expect, it } from 'vitest'
import { createComponent, describePages, newOwner } from './describe-pages.ts'

describePages('a dialog that has done its work', (app, open) => {
  it('does not navigate back from the next page, even if that loads slowly', async () => {
    const { person, workspaceId } = await newOwner(app())
    const page = await open(app().url, { person })
    // What the next page needs comes only when its place is shown already, and the page with the dialog hidden.
    await page.route('**/api/v1/components/*', async (route) => {
      await page.getByText('Loading').first().waitFor({ state: 'attached' })
      await route.continue()
    })
    await page.goto(`/a/${workspaceId}/components`)
    await createComponent(page, 'made in a dialog')
    await page.getByRole('navigation', { name: 'Component', exact: true }).getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('heading', { name: 'No run yet' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/a/${workspaceId}/c/.`))
  })

  it('is still left by Escape and by its close button', async () => {
    const { person, workspaceId } = await newOwner(app())
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/components`)
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Close' }).click(),
    ]) {
      await page.getByRole('button', { name: 'New component' }).click()
      await page.getByRole('dialog').waitFor()
      await leave()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(new URL(page.url()).search).toBe('')
  })
})
