import { screen } from '@testing-library/dom'
import userEvent from '@testing-library/user-event'
import { vi } from 'vitest'
import type { Component, Me, Role, Workspace } from '../../web/src/api/generated/api.ts'
import { startApp } from '../../web/src/start-app.tsx'
import { dismissToast } from '../../web/src/ui/toast-store.ts'
import { renderPart } from '../../web/src/ui-kit/render-part.tsx'
import { isDeep } from '../harness/stage.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'

export const ADA = { id: idOf(1), name: 'Ada Lovelace', email: 'ada@example.com' }
export const SUPPORT: Workspace = { ...exampleOf<Workspace>('Workspace'), id: idOf(2), name: 'Support' }
export const ASSISTANT: Component = { ...exampleOf<Component>('Component'), id: idOf(3), name: 'assistant' }

/** Of every page that the test has opened: one that stays open would still listen in the next test. */
const closers: (() => void)[] = []

/** A valid id for each number. */
export function idOf(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

/** Ada is signed in, and a member of these applications. */
export function signIn(role: Role = 'owner', applications: Workspace[] = [SUPPORT]): void {
  onRequest('GET /api/auth/get-session', { user: ADA })
  onRequest('GET /workspaces', { data: applications })
  onRequest('GET /me', { ...exampleOf<Me>('Me'), userId: ADA.id, email: ADA.email, role })
}

/**
 * Opens a page of the interface, and returns the user in front of it. Strict mode, which shows that a page may start twice, needs half
 * as much time again: `failed-requests.test.ts` opens every page in it, the deep stage does everywhere.
 */
export function openPage(path: string, mode: 'strict' | 'as built' = isDeep ? 'strict' : 'as built') {
  window.history.replaceState(null, '', path)
  const root = document.createElement('div')
  document.body.append(root)
  closers.push(startApp(root, mode))
  return userEvent.setup()
}

/** As the button of the browser does: what it stored is there again. */
export function reloadPage() {
  return openInstead(address())
}

/** As a new address in the same tab does. */
export function openInstead(path: string) {
  closeAll()
  return openPage(path)
}

/** Shows one part of the interface alone. Returns the user in front of it, and a function that changes the properties. */
export function showPart<Props extends object>(...[part, props]: [Parameters<typeof renderPart<Props>>[1], Props]) {
  const root = document.createElement('div')
  document.body.append(root)
  const { update, unmount } = renderPart(root, part, props)
  closers.push(unmount)
  return { user: userEvent.setup(), update }
}

/** With the list in the rail; the page of the other application is open then. */
export async function switchApplication(user: ReturnType<typeof openPage>, from: string, to: string): Promise<void> {
  await user.click(screen.getByRole('button', { name: `Application: ${from}` }))
  await user.click(await screen.findByRole('option', { name: to }))
  await screen.findByRole('button', { name: `Application: ${to}` })
}

/** The path of a page of the application `SUPPORT`. */
export function inSupport(path: string): string {
  return `/a/${SUPPORT.id}/${path}`
}

export function closePage(): void {
  closeAll()
  delete document.documentElement.dataset['theme']
  localStorage.clear()
  // Messages outlive the page that showed them.
  for (let id = 0; id < 1000; id += 1) dismissToast(id)
}

function closeAll(): void {
  for (const close of closers.splice(0)) close()
  document.body.replaceChildren()
}

/** Browsers close a modal dialog on Escape by themselves; happy-dom does not. */
export function imitateEscape(event: KeyboardEvent): void {
  const dialog = document.querySelector('dialog[open]')
  if (event.key !== 'Escape' || !(dialog instanceof HTMLDialogElement)) return
  if (dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close()
}

/** For tests of pages that fail: React and the router print what the page shows anyway. */
export function silenceConsole(): void {
  for (const method of ['error', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
}

/** Waits until nothing is thrown. Moves fake timers on. */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 60_000, interval: 20 })
}

export const address = () => `${window.location.pathname}${window.location.search}`

export const heading = (name: string) => screen.findByRole('heading', { name })
