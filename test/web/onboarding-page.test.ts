import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type {
  ArrivedTrace,
  CreatedApiKey,
  ExampleData,
  Onboarding,
  RejectedKey,
  Role,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const PAGE = inSupport('first-trace')
const FIRST: ArrivedTrace = { ...exampleOf<ArrivedTrace>('ArrivedTrace'), id: idOf(50), name: 'greet' }
const KEY: CreatedApiKey = {
  ...exampleOf<CreatedApiKey>('CreatedApiKey'),
  id: idOf(51),
  prefix: 'tsk_7Qm2',
  lastFour: '9x8y',
  key: 'tsk_7Qm2-the-whole-secret-9x8y',
}
const WAITING: Onboarding = {
  endpoints: { http: 'http://localhost:3000/v1/traces', grpc: 'http://localhost:4317' },
  firstTrace: null,
  newestTrace: null,
  keys: [],
  rejectedKeys: { since: '2026-11-15T09:30:00.000Z', includesUnknown: true, total: 0, data: [] },
  exampleDataLoaded: false,
}
const ARRIVED: Onboarding = { ...WAITING, firstTrace: FIRST, newestTrace: FIRST }
const NOT_LOADED: ExampleData = {
  loaded: false,
  componentId: null,
  datasetId: null,
  runIds: [],
  evaluationIds: [],
  authors: [],
  createdAt: null,
}
const LOADED: ExampleData = { ...NOT_LOADED, loaded: true, componentId: idOf(52) }
const REJECTED: RejectedKey = {
  ...exampleOf<RejectedKey>('RejectedKey'),
  reason: 'unknown',
  endsWith: 'a1b2',
  keyName: null,
  revokedByName: null,
  revokedAt: null,
  count: 3,
  address: '10.20.4.17',
  userAgent: 'OTel-OTLP-Exporter-Python/1.38',
}

async function openOnboarding({ role = 'editor', state = WAITING }: { role?: Role; state?: Onboarding } = {}) {
  signIn(role)
  onRequest('GET /onboarding', state)
  onRequest('GET /example-data', NOT_LOADED)
  const user = openPage(PAGE)
  await heading('Send your first trace')
  return user
}

const button = (name: string) => screen.findByRole('button', { name })
const snippet = () => screen.getByRole('tabpanel').textContent ?? ''

describe('the light of the onboarding page', () => {
  it('polls while it is visible, and announces the first trace at once, with a link to it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    signIn()
    onRequest('GET /onboarding', WAITING)
    onRequest('GET /example-data', NOT_LOADED)
    openPage(PAGE)
    await eventually(() => screen.getByRole('heading', { name: 'Waiting for a trace…' }))
    expect(screen.getByText('4317')).toBeTruthy()
    const asked = requestsOf('GET /onboarding').length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(requestsOf('GET /onboarding')).toHaveLength(asked + 1)
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    window.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(50_000)
    expect(requestsOf('GET /onboarding')).toHaveLength(asked + 1)
    visibility.mockRestore()
    window.dispatchEvent(new Event('visibilitychange'))
    onRequest('GET /onboarding', ARRIVED)
    await sendLiveEvent(['traces'])
    await eventually(() => screen.getByRole('heading', { name: 'Your first trace has arrived' }))
    const title = screen.getByRole('heading', { name: 'Your first trace has arrived' })
    expect(title.closest('[role=status]')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open the trace' }).getAttribute('href')).toBe(
      inSupport(`traces/${FIRST.id}`),
    )
  })

  it('links the newest trace when it is another one', async () => {
    const newest = { ...FIRST, id: idOf(53), name: 'answer', service: 'shop' }
    await openOnboarding({ state: { ...ARRIVED, newestTrace: newest } })
    const link = screen.getByRole('link', { name: 'answer · shop' })
    expect(link.getAttribute('href')).toBe(inSupport(`traces/${newest.id}`))
  })

  it('keeps its content when the server cannot be reached, and shows why', async () => {
    const user = await openOnboarding()
    onRequest('GET /onboarding', failed(429, 'Too many requests'))
    await user.click(await button('Send a test trace'))
    expect((await screen.findByRole('alert')).textContent).toContain('Too many requests')
    await heading('Waiting for a trace…')
  })

  it.each<[string, Partial<RejectedKey>, string, string]>([
    ['unknown', {}, '3 requests with an unknown key', 'The key that ends in …a1b2 was never issued by this server.'],
    [
      'malformed',
      { reason: 'malformed', endsWith: null, count: 1 },
      '1 request with a malformed key',
      'The key is mistyped',
    ],
    [
      'expired',
      { reason: 'expired', keyName: 'ci' },
      '3 requests with an expired key',
      'The key ci that ends in …a1b2 has expired.',
    ],
    [
      'revoked',
      { reason: 'revoked', keyName: 'ci', revokedByName: 'Priya', revokedAt: '2020-01-01T00:00:00.000Z' },
      '3 requests with a revoked key',
      'was revoked by Priya',
    ],
    [
      'role',
      { reason: 'role', keyName: 'ci' },
      '3 requests with a key whose role is too low',
      'requires the role editor',
    ],
  ])('lists a rejected key with its end, count, time and reason: %s', async (_reason, change, title, text) => {
    const rejectedKeys = { ...WAITING.rejectedKeys, total: 3, data: [{ ...REJECTED, ...change }] }
    await openOnboarding({ state: { ...WAITING, rejectedKeys } })
    const list = within(screen.getByRole('region', { name: 'Rejected keys' }))
    list.getByRole('heading', { name: title })
    const shown = list.getByRole('listitem').textContent
    expect(shown).toContain(text)
    expect(shown).toMatch(/Last .* from 10\.20\.4\.17 · OTel-OTLP-Exporter-Python\/1\.38$/)
    list.getByText('2 more keys are not shown.')
  })
})

describe('the snippet of the onboarding page', () => {
  it('contains a new key for sending traces, in every tab and as .env', async () => {
    onRequest('GET /components', { data: [{ ...ASSISTANT, name: 'Support agent!' }] })
    onRequest('POST /api-keys', KEY)
    const user = await openOnboarding()
    expect(snippet()).toContain('export TOUCHSTONE_API_KEY=YOUR_API_KEY')
    await user.click(await button('Create a key'))
    await screen.findByText('The key is shown once.')
    expect(document.activeElement?.contains(screen.getByRole('button', { name: 'Copy as .env' }))).toBe(true)
    expect(document.activeElement).not.toBe(document.body)
    expect(requestsOf('POST /api-keys')).toMatchObject([
      { applicationId: SUPPORT.id, body: { name: 'First trace', role: 'editor', expiresInDays: 90 } },
    ])
    expect(snippet()).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:3000\n')
    expect(snippet()).toContain('touchstone.component=Support%20agent%21')
    for (const name of ['OpenTelemetry', 'Python', 'Vercel AI SDK', 'curl']) {
      await user.click(screen.getByRole('tab', { name }))
      expect(snippet()).toContain(KEY.key)
    }
    expect(snippet()).toContain('curl -sS "http://localhost:3000/v1/traces"')
    await user.click(await button('Copy curl code'))
    expect(await navigator.clipboard.readText()).toBe(snippet())
    await user.click(await button('Copy as .env'))
    expect((await navigator.clipboard.readText()).split('\n')).toEqual([
      `TOUCHSTONE_API_KEY=${KEY.key}`,
      'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:3000',
      'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
      `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${KEY.key}`,
      'OTEL_RESOURCE_ATTRIBUTES=service.name=my-program,touchstone.component=Support%20agent%21',
      '',
    ])
    screen.getByText('tsk_7Qm2…9x8y')
  })

  it('names no component while there is only the example', async () => {
    signIn()
    onRequest('GET /onboarding', WAITING)
    onRequest('GET /example-data', LOADED)
    onRequest('GET /components', { data: [{ ...ASSISTANT, id: LOADED.componentId }] })
    openPage(PAGE)
    await heading('Application Support created')
    expect(snippet()).not.toContain('touchstone.component')
  })

  it('shows why a key was not created', async () => {
    const user = await openOnboarding()
    onRequest('POST /api-keys', failed(409, 'You have too many keys'))
    await user.click(await button('Create a key'))
    expect((await screen.findByRole('alert')).textContent).toContain('You have too many keys')
  })
})

describe('the test trace of the onboarding page', () => {
  it.each([
    [
      'the button',
      async (user: Awaited<ReturnType<typeof openOnboarding>>) => user.click(await button('Send a test trace')),
    ],
    ['the key n', (user: Awaited<ReturnType<typeof openOnboarding>>) => user.keyboard('n')],
  ])('turns on the light, sent by %s', async (_way, send) => {
    const user = await openOnboarding()
    onRequest('POST /onboarding/test-trace', () => {
      onRequest('GET /onboarding', ARRIVED)
      return { id: FIRST.id, traceId: FIRST.traceId }
    })
    await send(user)
    await heading('Your first trace has arrived')
    expect(requestsOf('POST /onboarding/test-trace')).toMatchObject([{ applicationId: SUPPORT.id }])
  })

  it('shows why it was not sent', async () => {
    const user = await openOnboarding()
    onRequest('POST /onboarding/test-trace', failed(429, 'Too many requests'))
    await user.click(await button('Send a test trace'))
    expect((await screen.findByRole('alert')).textContent).toContain('Too many requests')
  })
})

describe('the example data of the onboarding page', () => {
  it('is loaded, linked and removed', async () => {
    const user = await openOnboarding()
    onRequest('POST /example-data', () => {
      onRequest('GET /example-data', LOADED)
      return LOADED
    })
    await user.click(await button('Load example data'))
    const link = await screen.findByRole('link', { name: 'Open the example' })
    expect(link.getAttribute('href')).toBe(inSupport(`c/${LOADED.componentId}`))
    onRequest('DELETE /example-data', () => {
      onRequest('GET /example-data', NOT_LOADED)
      return null
    })
    await user.click(await button('Remove example data'))
    await button('Load example data')
    await eventually(() => expect(document.activeElement?.textContent).toContain('Not ready to connect anything?'))
    expect(requestsOf('DELETE /example-data')).toHaveLength(1)
  })

  it('shows why it was not loaded', async () => {
    const user = await openOnboarding()
    onRequest('POST /example-data', failed(409, 'The quota of traces is used up'))
    await user.click(await button('Load example data'))
    expect((await screen.findByRole('alert')).textContent).toContain('The quota of traces is used up')
  })
})

describe('the onboarding page', () => {
  it('shows a viewer which role is required, and sends nothing', async () => {
    const user = await openOnboarding({ role: 'viewer' })
    for (const [name, reason] of [
      ['Create a key', 'Creating a key that sends traces requires the role editor; yours is viewer.'],
      ['Send a test trace', 'Sending a test trace requires the role editor; yours is viewer.'],
      ['Load example data', 'Changing the example data requires the role editor; yours is viewer.'],
    ] as const) {
      const off = await button(name)
      const reasonId = off.getAttribute('aria-describedby') ?? ''
      expect(document.getElementById(reasonId)?.textContent).toBe(reason)
      await user.click(off)
    }
    await user.keyboard('n')
    for (const name of ['POST /api-keys', 'POST /onboarding/test-trace', 'POST /example-data'])
      expect(requestsOf(name)).toEqual([])
  })

  it('is linked from the empty list of components, and can be skipped', async () => {
    signIn()
    onRequest('GET /onboarding', WAITING)
    onRequest('GET /example-data', NOT_LOADED)
    const user = openPage(inSupport('components'))
    await user.click(await screen.findByRole('link', { name: 'Send your first trace' }))
    await heading('Waiting for a trace…')
    expect(address()).toBe(PAGE)
    await user.click(screen.getByRole('link', { name: 'Skip for now' }))
    await heading('No component yet')
    expect(address()).toBe(inSupport('components'))
  })
})
