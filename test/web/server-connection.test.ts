import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { loadPart } from '../../web/src/api/server-connection.ts'
import { networkFailure, onPageRequest, onRequest } from './mock-api.ts'
import { eventually, heading, inSupport, openPage, signIn, silenceConsole } from './open-page.ts'

const UNREACHABLE = 'The server is unreachable.'

/** From now on no request gets a response, and open streams end. The returned function starts the server again. */
function stopServer(page: () => Response = () => new Response('')): () => void {
  const reached = globalThis.fetch
  vi.stubGlobal('fetch', async (request: Request) => {
    if (new URL(request.url).pathname === '/index.html') return reached(request)
    return networkFailure()
  })
  onPageRequest(networkFailure)
  return () => {
    vi.stubGlobal('fetch', reached)
    onPageRequest(page)
  }
}

async function openDialog() {
  silenceConsole()
  signIn('owner')
  const user = openPage(inSupport('components?new=true'))
  const dialog = within(await screen.findByRole('dialog', { name: 'New component' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'half a na')
  return { user, dialog }
}

describe('a server that goes away', () => {
  it('is reported, and the page goes on with what was typed when it is back', async () => {
    const { user, dialog } = await openDialog()
    const startServer = stopServer()
    await user.click(dialog.getByRole('button', { name: 'Create component' }))
    await screen.findByText(UNREACHABLE)
    startServer()
    await eventually(() => expect(screen.queryByText(UNREACHABLE)).toBeNull())
    expect(dialog.getByRole('textbox', { name: 'Name' })).toMatchObject({ value: 'half a na' })
  })

  it('is reported by the end of the stream, on a page that requests nothing', async () => {
    const { readable, writable } = new TransformStream()
    onRequest('GET /events', () => new Response(readable))
    signIn('owner')
    openPage(inSupport('settings/general'))
    await heading('General')
    const startServer = stopServer()
    await writable.close()
    await screen.findByText(UNREACHABLE)
    startServer()
    await eventually(() => expect(screen.queryByText(UNREACHABLE)).toBeNull())
  })

  it('shows a page that it could not load as soon as it is back', async () => {
    silenceConsole()
    signIn('owner')
    const user = openPage(inSupport('settings/general'))
    await heading('General')
    const startServer = stopServer()
    await user.click(screen.getByRole('link', { name: 'Overview' }))
    await heading('This page could not be shown')
    startServer()
    await eventually(() => expect(screen.queryByText('This page could not be shown')).toBeNull())
  })

  it('keeps links outside of the interface from leaving the page', async () => {
    const { user } = await openDialog()
    const startServer = stopServer()
    await user.click(screen.getByRole('button', { name: 'Create component' }))
    await screen.findByText(UNREACHABLE)
    const guide = document.body.appendChild(Object.assign(document.createElement('a'), { href: '/guide/' }))
    const click = new MouseEvent('click', { bubbles: true, cancelable: true })
    guide.dispatchEvent(click)
    expect(click.defaultPrevented).toBe(true)
    startServer()
    await eventually(() => expect(screen.queryByText(UNREACHABLE)).toBeNull())
  })

  it('makes a file of the interface wait until it is back', async () => {
    const startServer = stopServer()
    const load = vi.fn().mockRejectedValueOnce(new TypeError('Failed to fetch')).mockResolvedValue('the page')
    const part = loadPart(load)
    await eventually(() => expect(load).toHaveBeenCalledTimes(1))
    startServer()
    expect(await part).toBe('the page')
  })
})

describe('a new version of the interface', () => {
  it('is offered, and not loaded before the user says so', async () => {
    // As text: a script that is created is loaded.
    document.head.insertAdjacentHTML('beforeend', '<script type="module" src="/assets/index-old.js"></script>')
    const { user, dialog } = await openDialog()
    const startServer = stopServer(() => new Response('<script type="module" src="/assets/index-new.js">'))
    await user.click(dialog.getByRole('button', { name: 'Create component' }))
    await screen.findByText(UNREACHABLE)
    startServer()
    await screen.findByText('A new version of Touchstone is ready.')
    expect(dialog.getByRole('textbox', { name: 'Name' })).toMatchObject({ value: 'half a na' })
    await user.click(screen.getByRole('button', { name: 'Later' }))
    expect(screen.queryByText('A new version of Touchstone is ready.')).toBeNull()
    document.head.querySelector('script')?.remove()
  })
})
