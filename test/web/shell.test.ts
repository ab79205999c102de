import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { showToast } from '../../web/src/ui/toast-store.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import {
  ASSISTANT,
  address,
  eventually,
  heading,
  idOf,
  inSupport,
  openPage,
  SUPPORT,
  signIn,
  silenceConsole,
} from './open-page.ts'

const SEARCH = { ...SUPPORT, id: idOf(20), name: 'Search' }
const SALES = { ...SUPPORT, id: idOf(21), name: 'Sales' }

describe('application switcher', () => {
  async function openSwitcher(path: string) {
    signIn('viewer', [SUPPORT, SEARCH, SALES])
    const user = openPage(path)
    await user.click(await screen.findByRole('button', { name: 'Application: Support' }))
    return { user, field: await screen.findByRole('combobox', { name: 'Find an application' }) }
  }

  const options = () => screen.getAllByRole('option').map(({ textContent }) => textContent)
  const highlighted = (field: HTMLElement) =>
    document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent

  it('lists all applications and marks the current one', async () => {
    await openSwitcher(inSupport('components'))
    expect(options()).toEqual(['Support', 'Search', 'Sales'])
    expect(screen.getByRole('option', { selected: true }).textContent).toBe('Support')
  })

  it('typing narrows the list by any part of a name; Enter opens the first match', async () => {
    const { user, field } = await openSwitcher(inSupport('components'))
    await user.type(field, ' EAR')
    expect(options()).toEqual(['Search'])
    await user.keyboard('{Enter}')
    await screen.findByRole('button', { name: 'Application: Search' })
    expect(address()).toBe(`/a/${SEARCH.id}/components`)
    expect(screen.queryByRole('combobox')).toBeNull()
  })

  it('says when nothing matches, and Enter then does nothing', async () => {
    const { user, field } = await openSwitcher(inSupport('components'))
    await user.type(field, 'zzz{Enter}')
    expect(screen.getByText('Nothing matches “zzz”.')).toBeTruthy()
    expect(address()).toBe(inSupport('components'))
  })

  it('arrow keys, Home and End move the highlight, and stop at the ends', async () => {
    const { user, field } = await openSwitcher(inSupport('components'))
    const seen: unknown[] = [highlighted(field)]
    for (const key of ['ArrowUp', 'ArrowDown', 'End', 'ArrowDown', 'Home']) {
      await user.type(field, `{${key}}`)
      seen.push(highlighted(field))
    }
    expect(seen).toEqual(['Support', 'Support', 'Search', 'Sales', 'Sales', 'Support'])
  })

  it.each([
    ['settings/api-keys', 'settings/api-keys'],
    ['settings/members', 'settings/members'],
    ['settings/audit', 'settings/audit'],
    ['components', 'components'],
    [`c/${ASSISTANT.id}`, undefined],
  ])('from %s, a click opens %s of the other application, or its overview', async (from, to) => {
    const { user } = await openSwitcher(inSupport(from))
    await user.click(screen.getByRole('option', { name: 'Sales' }))
    await screen.findByRole('button', { name: 'Application: Sales' })
    await eventually(() => expect(address()).toBe([`/a/${SALES.id}`, to].filter(Boolean).join('/')))
  })

  it('Escape closes it and returns the focus', async () => {
    const { user } = await openSwitcher(inSupport('components'))
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('combobox')).toBeNull()
    await eventually(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Application: Support'))
  })

  it('opens the dialog for a new application', async () => {
    const { user } = await openSwitcher(inSupport('components'))
    await user.click(screen.getByRole('link', { name: 'New application…' }))
    await screen.findByRole('dialog', { name: 'New application' })
    expect(address()).toBe('/?new=true')
  })
})

describe('applications page', () => {
  it('explains how to get the first application', async () => {
    signIn('viewer', [])
    openPage('/')
    await heading('No application yet')
    expect(screen.getByRole('button', { name: 'Choose an application' })).toBeTruthy()
  })

  it('the only application is opened instead of a list of one', async () => {
    signIn('owner', [SUPPORT])
    openPage('/')
    await eventually(() => expect(address()).toBe(`/a/${SUPPORT.id}`))
  })

  it('a new application is opened at once', async () => {
    signIn('owner', [SUPPORT])
    onRequest('POST /workspaces', () => {
      onRequest('GET /workspaces', { data: [SUPPORT, SALES] })
      return SALES
    })
    const user = openPage('/?new=true')
    const dialog = within(await screen.findByRole('dialog', { name: 'New application' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Sales{Enter}')
    await screen.findByRole('button', { name: 'Application: Sales' })
    expect(requestsOf('POST /workspaces')).toMatchObject([{ body: { name: 'Sales' } }])
  })

  it('all pages of the list are read, so that every application can be found', async () => {
    const hundred = Array.from({ length: 100 }, (_, row) => ({ ...SUPPORT, id: idOf(500 + row), name: `app ${row}` }))
    signIn()
    onRequest('GET /workspaces', ({ query }) => ({ data: query['offset'] === '0' ? hundred : [SALES] }))
    openPage('/')
    expect((await screen.findByText('Sales')).closest('a')?.getAttribute('href')).toBe(`/a/${SALES.id}`)
  })
})

describe('messages', () => {
  it('a success disappears by itself; an error stays until it is dismissed', async () => {
    signIn('owner', [SUPPORT, SALES])
    const user = openPage('/')
    await heading('Applications')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    showToast({ tone: 'good', message: 'Saved.' })
    showToast({ tone: 'danger', message: 'Not saved.', requestId: 'req-9' })
    await eventually(() => screen.getByText('Saved.'))
    await vi.advanceTimersByTimeAsync(60_000)
    await eventually(() => expect(screen.queryByText('Saved.')).toBeNull())
    expect(screen.getByText('Not saved.')).toBeTruthy()
    vi.useRealTimers()
    await eventually(() => user.click(screen.getByRole('button', { name: 'Dismiss' })))
    await eventually(() => expect(screen.queryByText('Not saved.')).toBeNull())
  })

  it.each([
    [{ requestId: 'req-9' }, 'Not saved. (request req-9)'],
    [{}, 'Not saved.'],
  ])('an error can be copied for a report: %o', async (request, copied) => {
    signIn('owner', [SUPPORT, SALES])
    const user = openPage('/')
    await heading('Applications')
    showToast({ tone: 'danger', message: 'Not saved.', ...request })
    // A message takes clicks only a moment after it appears.
    await eventually(async () => user.click(await screen.findByRole('button', { name: 'Copy error' })))
    expect(await navigator.clipboard.readText()).toBe(copied)
  })
})

describe('copy button', () => {
  async function openIds() {
    signIn()
    onRequest('GET /components', { data: [ASSISTANT] })
    const user = openPage(inSupport('components'))
    return { user, button: await screen.findByRole('button', { name: 'Copy component id' }) }
  }

  it('copies the whole text and says so for a moment', async () => {
    const { button } = await openIds()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    button.click()
    await eventually(() => screen.getByText('Copied'))
    await vi.advanceTimersByTimeAsync(2000)
    await eventually(() => expect(screen.queryByText('Copied')).toBeNull())
    vi.useRealTimers()
    expect(await navigator.clipboard.readText()).toBe(ASSISTANT.id)
  })

  it.each([true, false])(
    'without the clipboard of the browser it uses the old command; copied: %s',
    async (isCopied) => {
      const { user, button } = await openIds()
      vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Denied'))
      const selected: unknown[] = []
      Object.assign(document, {
        execCommand: () => {
          const area = document.querySelector('textarea')
          selected.push(area?.value)
          return isCopied
        },
      })
      await user.click(button)
      await screen.findByText(isCopied ? 'Copied' : 'The browser denied it; select and copy the text by hand.')
      expect(selected).toEqual([ASSISTANT.id])
      expect(document.querySelector('textarea')).toBeNull()
    },
  )
})

describe('theme menu', () => {
  async function choose(user: ReturnType<typeof openPage>, theme: string) {
    await user.click(await screen.findByRole('button', { name: 'Theme' }))
    await user.click(await screen.findByRole('menuitemradio', { name: theme }))
  }
  const theme = () => document.documentElement.dataset['theme']

  it('applies and stores the selection, and marks it', async () => {
    const user = openPage('/sign-in')
    await choose(user, 'Dark')
    expect(theme()).toBe('dark')
    expect(localStorage.getItem('touchstone.theme')).toBe('dark')
    await user.click(screen.getByRole('button', { name: 'Theme' }))
    expect((await screen.findByRole('menuitemradio', { checked: true })).textContent).toBe('Dark')
    await user.click(screen.getByRole('menuitemradio', { name: 'System' }))
    expect(theme()).toBeUndefined()
  })

  it('follows the selection in another tab', async () => {
    openPage('/sign-in')
    await heading('Sign in')
    window.dispatchEvent(new StorageEvent('storage', { key: 'touchstone.theme', newValue: 'light' }))
    expect(theme()).toBe('light')
    window.dispatchEvent(new StorageEvent('storage', { key: 'another', newValue: 'dark' }))
    expect(theme()).toBe('light')
  })

  it('works for this visit if the browser blocks the storage', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('Blocked')
    })
    const user = openPage('/sign-in')
    await choose(user, 'Light')
    expect(theme()).toBe('light')
  })
})

describe('pages that cannot be shown', () => {
  it('an unknown address is not found, also without a session', async () => {
    openPage('/no/such/page')
    await heading('Nothing is here')
    expect(requestsOf('GET /api/auth/get-session')).toEqual([])
  })

  it.each(['nonsense', `c/${ASSISTANT.id}/settings`, 'settings/nonsense', 'traces/x/y/z'])(
    'a wrong address below a page is not found in one frame: %s',
    async (path) => {
      signIn()
      openPage(inSupport(path))
      await heading('Nothing is here')
      expect(screen.getAllByRole('main')).toHaveLength(1)
      expect(screen.getAllByRole('navigation', { name: 'Application' })).toHaveLength(1)
    },
  )

  it('an application of others looks like a missing one, and nothing of it is requested', async () => {
    signIn('owner', [SUPPORT])
    openPage(`/a/${SEARCH.id}/components`)
    await heading('Nothing is here')
    expect(requestsOf('GET /me')).toEqual([])
    expect(requestsOf('GET /components')).toEqual([])
  })

  it('an application that the user joined in another tab is found', async () => {
    signIn()
    onRequest('GET /workspaces', () => ({
      data: requestsOf('GET /workspaces').length > 1 ? [SUPPORT, SEARCH] : [SUPPORT],
    }))
    openPage(`/a/${SEARCH.id}/components`)
    await heading('No component yet')
  })

  it('a failure before the first page shows the reason in a frame of its own, and can be tried again', async () => {
    signIn()
    silenceConsole()
    onRequest('GET /workspaces', failed(429, 'Too many requests'))
    const user = openPage('/')
    await heading('This page could not be shown')
    expect(screen.getByRole('alert').textContent).toContain('Too many requests')
    expect(screen.getByText('req-1')).toBeTruthy()
    onRequest('GET /workspaces', { data: [SUPPORT, SALES] })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await heading('Applications')
  })

  it('an error of the page itself shows no internals', async () => {
    signIn('owner', [SUPPORT, SALES])
    silenceConsole()
    vi.spyOn(Intl.RelativeTimeFormat.prototype, 'format').mockImplementation(() => {
      throw new RangeError('internal detail')
    })
    openPage('/')
    await heading('This page could not be shown')
    expect(screen.getByRole('alert').textContent).toContain('Something went wrong on this page.')
    expect(document.body.textContent).not.toContain('internal detail')
  })
})
