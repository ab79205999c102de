import { screen } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { PeekPanel } from '../../web/src/ui/peek-panel.tsx'
import { showToast } from '../../web/src/ui/toast-store.ts'
import { eventually, showPart } from './open-page.ts'

const PANEL = {
  label: 'Trace',
  onPrevious: undefined,
  onNext: undefined,
  onClose: () => undefined,
  children: 'The answer',
}

function showPanel() {
  const list = document.createElement('button')
  document.body.append(list)
  list.focus()
  const calls = { onPrevious: vi.fn(), onClose: vi.fn() }
  const { user } = showPart(PeekPanel, {
    label: 'Trace',
    position: '2 of 2',
    ...calls,
    onNext: undefined,
    children: 'The answer',
  })
  return { user, list, ...calls }
}

describe('the panel next to a list', () => {
  it('leaves the focus in the list, and closes by Escape from there', async () => {
    const { user, list, onClose } = showPanel()
    await screen.findByRole('complementary', { name: 'Trace' })
    expect(document.activeElement).toBe(list)
    await user.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalledTimes(1)
  })

  it('returns the focus to the list if it had it', async () => {
    const { user, list, onClose } = showPanel()
    const details = await screen.findByRole('region', { name: 'Trace, details' })
    details.focus()
    await user.keyboard('{Escape}')
    expect(document.activeElement).toBe(list)
    expect(onClose).toHaveBeenCalledTimes(1)
  })

  it('goes to the neighbors, and says where the list ends', async () => {
    const { user, onPrevious } = showPanel()
    await user.click(await screen.findByRole('button', { name: 'Previous trace' }))
    expect(onPrevious).toHaveBeenCalledTimes(1)
    expect(screen.getByRole('button', { name: 'Next trace' }).getAttribute('aria-disabled')).toBe('true')
    expect(screen.getByText('This is the last one.')).toBeTruthy()
  })

  it('stays open while a menu on top of it closes', async () => {
    const { user, onClose } = showPanel()
    await screen.findByRole('complementary', { name: 'Trace' })
    const menu = document.createElement('div')
    menu.setAttribute('role', 'menu')
    document.body.append(menu)
    await user.keyboard('{Escape}')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('shows messages on top of itself on a phone, where they would be covered and could not be pressed', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(new EventTarget(), { matches: query === '(max-width: 899px)', media: query } as MediaQueryList),
    )
    const { update } = showPart(PeekPanel, PANEL)
    const dialog = await screen.findByRole('dialog', { name: 'Trace' })
    showToast({ tone: 'good', message: 'Your rating is removed.' })
    expect(dialog.contains(await screen.findByText('Your rating is removed.'))).toBe(true)
    update({ ...PANEL, children: 'Another answer' })
    expect(dialog.contains(await screen.findByText('Your rating is removed.'))).toBe(true)
  })

  it('covers the page of a phone as a dialog', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(new EventTarget(), { matches: query === '(max-width: 899px)', media: query } as MediaQueryList),
    )
    const { user, onClose } = showPanel()
    await screen.findByRole('dialog', { name: 'Trace' })
    await user.keyboard('{Escape}')
    await eventually(() => expect(onClose).toHaveBeenCalledTimes(1))
  })
})
