import { screen } from '@testing-library/dom'
import { createElement } from 'react'
import { expect, it, vi } from 'vitest'
import { laterPart } from '../../web/src/ui/later-part.ts'
import { Menu } from '../../web/src/ui/menu.tsx'
import { MenuItem } from '../../web/src/ui/menu-parts.tsx'
import { showPart } from './open-page.ts'

it('a part that could not be loaded is asked for again, and shown when it is there', async () => {
  const load = vi.fn<() => Promise<{ text: string }>>()
  load.mockRejectedValueOnce(new Error('offline')).mockResolvedValue({ text: 'loaded' })
  const part = laterPart(load)
  const Shown = ({ isWanted }: { isWanted: boolean }) => part.use(isWanted)?.text ?? 'not loaded'
  const { update } = showPart(Shown, { isWanted: false })
  expect(load).not.toHaveBeenCalled()
  await expect(part.load()).rejects.toThrow('offline')
  update({ isWanted: true })
  expect(await screen.findByText('loaded')).toBeTruthy()
  await part.load()
  expect(load).toHaveBeenCalledTimes(2)
})

it('a menu opens by a key, names its button, and gives the focus back to it', async () => {
  const onSelect = vi.fn()
  const { user } = showPart(Menu, {
    trigger: createElement('button', { type: 'button' }, 'More'),
    children: createElement(MenuItem, { onSelect }, 'Rename'),
  })
  const button = await screen.findByRole('button', { name: 'More' })
  expect(button.getAttribute('aria-expanded')).toBe('false')
  button.focus()
  await user.keyboard('{Enter}')
  const menu = await screen.findByRole('menu', { name: 'More' })
  expect([button.getAttribute('aria-expanded'), button.getAttribute('aria-controls')]).toEqual(['true', menu.id])
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('menu')).toBeNull()
  await vi.waitFor(() => expect(document.activeElement).toBe(button))
  await user.click(button)
  await user.click(await screen.findByRole('menuitem', { name: 'Rename' }))
  expect(onSelect).toHaveBeenCalledTimes(1)
})
