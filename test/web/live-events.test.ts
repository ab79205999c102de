import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useLiveEvents } from '../../web/src/api/live-events.ts'
import { failed, networkFailure, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { eventually, idOf, showPart } from './open-page.ts'

const APPLICATION = idOf(2)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

/** Two parts of a page that listen to one topic each. */
function showListeners() {
  const traces = vi.fn()
  const runs = vi.fn()
  function Listeners() {
    useLiveEvents(APPLICATION, ['traces'], traces)
    useLiveEvents(APPLICATION, ['runs'], runs)
    return null
  }
  showPart(Listeners, {})
  return { traces, runs }
}

const connections = () => requestsOf('GET /events').length

describe('live events', () => {
  it('arrive by one stream for all parts of a page, and each part gets only its topics', async () => {
    const { traces, runs } = showListeners()
    await eventually(() => expect([traces, runs].map(({ mock }) => mock.calls.length)).toEqual([1, 1]))
    await sendLiveEvent(['traces'])
    await eventually(() => expect(traces).toHaveBeenCalledTimes(2))
    expect(runs).toHaveBeenCalledTimes(1)
    expect(connections()).toBe(1)
    expect(requestsOf('GET /events')[0]?.applicationId).toBe(APPLICATION)
  })

  it('need no connection while the tab is hidden, and mark the page as possibly outdated when it is shown again', async () => {
    const { traces } = showListeners()
    await eventually(() => expect(traces).toHaveBeenCalledTimes(1))
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    await eventually(() => expect(connections()).toBe(0))
    visibility.mockRestore()
    document.dispatchEvent(new Event('visibilitychange'))
    await eventually(() => expect(traces).toHaveBeenCalledTimes(2))
    expect(connections()).toBe(1)
  })

  it('continue after the server could not be reached', async () => {
    onRequest('GET /events', networkFailure)
    const { traces } = showListeners()
    await eventually(() => expect(connections()).toBe(1))
    await vi.advanceTimersByTimeAsync(1_000)
    await eventually(() => expect(connections()).toBe(2))
    // The second pause is longer.
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connections()).toBe(2)
    onRequest('GET /events', () => new Response('event: ready\ndata: {"topics":["traces"]}\n\n'))
    await vi.advanceTimersByTimeAsync(1_000)
    await eventually(() => expect(traces).toHaveBeenCalled())
  })

  it('are not requested again without access', async () => {
    onRequest('GET /events', failed(401, 'Unauthorized'))
    showListeners()
    await eventually(() => expect(connections()).toBe(1))
    await vi.advanceTimersByTimeAsync(120_000)
    expect(connections()).toBe(1)
  })
})
