import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { shortcutIds, shortcutList } from '../../web/src/shortcuts/shortcut-list.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const SALES = { ...SUPPORT, id: idOf(21), name: 'Sales' }

async function openComponents() {
  signIn('owner', [SUPPORT, SALES])
  onRequest('GET /components', { data: [ASSISTANT] })
  const user = openPage(inSupport('components'))
  await heading('Components')
  return user
}

describe('keyboard shortcuts', () => {
  it('a sequence of keys opens a section', async () => {
    const user = await openComponents()
    await user.keyboard('gs')
    await heading('General')
    await user.keyboard('gc')
    await eventually(() => expect(address()).toBe(inSupport('components')))
  })

  it('keys that are typed into a field stay there', async () => {
    const user = await openComponents()
    await user.click(await screen.findByRole('button', { name: 'New component' }))
    const field = await screen.findByRole('textbox', { name: 'Name' })
    await user.type(field, 'gs?')
    expect(field).toHaveProperty('value', 'gs?')
    expect(screen.getAllByRole('dialog')).toHaveLength(1)
    expect(address()).toBe(inSupport('components?new=true'))
  })

  it('keys do nothing behind an open dialog', async () => {
    const user = await openComponents()
    await user.click(await screen.findByRole('button', { name: 'New component' }))
    const close = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Close' })
    close.focus()
    await user.keyboard('gs')
    expect(address()).toBe(inSupport('components?new=true'))
  })

  it('? lists the shortcuts of this page, and single keys can be turned off and on', async () => {
    const user = await openComponents()
    await user.keyboard('{Shift>}?{/Shift}')
    const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(
      within(sheet)
        .getAllByRole('term')
        .map(({ textContent }) => textContent),
    ).toEqual([
      'Find or jump to',
      'Show the keyboard shortcuts',
      'Overview',
      'My work',
      'Traces',
      'Components',
      'Settings',
    ])
    await user.click(within(sheet).getByRole('button', { name: 'Turn off single keys' }))
    await user.keyboard('{Escape}')
    await user.keyboard('gs')
    expect(address()).toBe(inSupport('components'))
    // Keys with a modifier still work.
    await user.keyboard('{Control>}k{/Control}')
    const palette = await screen.findByRole('dialog', { name: 'Find or jump to' })
    await user.click(await within(palette).findByRole('option', { name: 'Show the keyboard shortcuts' }))
    await user.click(await screen.findByRole('button', { name: 'Turn on single keys' }))
    await user.keyboard('{Escape}')
    await user.keyboard('gs')
    await heading('General')
  })

  it('no two shortcuts of a page have the same keys', () => {
    const everywhere = shortcutIds.filter((id) => ['Everywhere', 'Go to'].includes(shortcutList[id].group))
    for (const ids of Object.values(Object.groupBy(shortcutIds, (id) => shortcutList[id].group))) {
      const keys = [...new Set([...everywhere, ...(ids ?? [])])].map((id) => shortcutList[id].keys)
      expect(new Set(keys).size).toBe(keys.length)
    }
  })
})

describe('command palette', () => {
  async function openPalette() {
    const user = await openComponents()
    await user.click(await screen.findByRole('button', { name: 'Jump to…' }))
    return { user, palette: await screen.findByRole('dialog', { name: 'Find or jump to' }) }
  }

  it('finds a component by a part of its name, and opens it', async () => {
    const { user, palette } = await openPalette()
    onRequest('GET /components/{componentId}', ASSISTANT)
    await within(palette).findByRole('option', { name: 'assistant' })
    await user.type(within(palette).getByRole('combobox'), 'SIST')
    expect(
      within(palette)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['assistant'])
    await user.keyboard('{Enter}')
    await heading('assistant')
    expect(address()).toBe(inSupport(`c/${ASSISTANT.id}`))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('groups its commands, and opens other applications, settings and themes', async () => {
    const { user, palette } = await openPalette()
    await within(palette).findByRole('option', { name: 'assistant' })
    expect(
      within(palette)
        .getAllByRole('group')
        .map((group) => group.getAttribute('aria-label')),
    ).toEqual(['Go to', 'Components', 'Settings', 'Applications', 'Account', 'Help', 'Theme'])
    await user.click(within(palette).getByRole('option', { name: 'Theme: dark' }))
    expect(document.documentElement.dataset['theme']).toBe('dark')
    await user.keyboard('{Control>}k{/Control}')
    await user.click(await screen.findByRole('option', { name: 'Sales' }))
    await screen.findByRole('button', { name: 'Application: Sales' })
  })
})

describe('addresses of components', () => {
  it('the former address redirects to the current one, with its part', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    openPage(inSupport(`components/${ASSISTANT.id}?tab=runs`))
    await heading('assistant')
    expect(address()).toBe(inSupport(`c/${ASSISTANT.id}/runs`))
  })
})
