/** What the user sees when the server rejects an action: the reason where the user acted, and everything that was typed. */
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SCHEME } from './agreement-examples.ts'
import { openTrace } from './annotated-trace.ts'
import { failed, forceFailure, networkFailure, onRequest } from './mock-api.ts'
import { ASSISTANT, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'

interface Action {
  operation: string
  path: string
  /** What is typed, by the label of the field. */
  typed: Record<string, string>
  button: string
}

const actions: Action[] = [
  { operation: 'POST /workspaces', path: '/?new=true', typed: { Name: 'Sales' }, button: 'Create application' },
  {
    operation: 'POST /components',
    path: inSupport('components?new=true'),
    typed: { Name: 'summarizer' },
    button: 'Create component',
  },
  {
    operation: 'POST /api-keys',
    path: inSupport('settings/api-keys?new=true'),
    typed: { Name: 'ci' },
    button: 'Create key',
  },
  {
    operation: 'POST /members',
    path: inSupport('settings/members?new=true'),
    typed: { 'E-mail': 'grace@example.com' },
    button: 'Invite',
  },
  {
    operation: 'PATCH /workspaces/{workspaceId}',
    path: inSupport('settings/general'),
    typed: { Name: 'Customer support' },
    button: 'Save changes',
  },
  { operation: 'PATCH /me', path: '/account', typed: { Name: 'Augusta Ada King' }, button: 'Save name' },
]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  signIn()
  onRequest('GET /components', { data: [{ ...ASSISTANT, id: idOf(30) }] })
  onRequest('GET /rating-scheme', SCHEME)
  onRequest('GET /api/auth/list-sessions', { data: [] })
})

const field = (label: string) => screen.getAllByLabelText<HTMLInputElement>(new RegExp(`^${label}`))[0]

const failures: [number, string][] = [
  [403, 'Forced 403.'],
  [409, 'Forced 409.'],
  [429, 'You can try again in 30 seconds.'],
  [503, 'You can try again in 30 seconds.'],
]

describe('an action that fails', () => {
  it.each(actions)('$operation says why next to its fields, and keeps what was typed', async (action) => {
    const { operation, path, typed, button } = action
    openPage(path)
    for (const [label, text] of Object.entries(typed)) {
      await eventually(() => expect(field(label)).toBeTruthy())
      fireEvent.change(field(label) as HTMLElement, { target: { value: text } })
    }
    const [first = ''] = Object.keys(typed)
    const form = field(first)?.closest('form')
    if (!form) throw new Error('the field is in a form')
    const submit = () => fireEvent.click(within(form).getByRole('button', { name: button }))
    for (const [status, text] of failures) {
      const headers = { 'X-Request-Id': `request-${status}`, ...(status > 409 && { 'Retry-After': '30' }) }
      forceFailure(operation, () => failed(status, `Forced ${status}.`, headers))
      submit()
      await eventually(() => expect(within(form).getByRole('alert').textContent).toContain(`request-${status}`))
      expect(within(form).getByRole('alert').textContent).toContain(text)
    }
    forceFailure(operation, networkFailure)
    submit()
    await eventually(() => expect(form.textContent).toContain('The server did not answer.'))
    for (const [label, text] of Object.entries(typed)) expect(field(label)?.value).toBe(text)
  })

  it('a rating of a trace with a reason that the server rejects keeps the reason', async () => {
    openTrace()
    await eventually(() => screen.getByRole('button', { name: /^wrong/i }))
    fireEvent.click(screen.getByRole('button', { name: /^wrong/i }))
    await eventually(() => screen.getByRole('button', { name: /Say why|Reason/ }))
    fireEvent.click(screen.getByRole('button', { name: /Say why|Reason/ }))
    const reason = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Comment with your rating' })
    await eventually(reason)
    fireEvent.change(reason(), { target: { value: 'The fee is missing' } })
    forceFailure('PUT /traces/{traceId}/annotation', () => failed(403, 'Forced 403.'))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await eventually(() => screen.getByText('Forced 403.'))
    await eventually(() => expect(reason().value).toBe('The fee is missing'))
  })
})
