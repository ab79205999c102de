import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { hasStatus } from './api-error.ts'
import { readEvents } from './event-stream.ts'
import { checkServer, onServerReturn } from './server-connection.ts'
import { onSessionRestored } from './session-end.ts'

export type LiveTopic =
  | 'traces'
  | 'runs'
  | 'evaluations'
  | 'annotations'
  | 'decisions'
  | 'prompts'
  | 'endpoints'
  | 'spending'
  | 'trials'
  | 'experiments'

const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 30_000

/** Connected: something may have changed before. */
type Cause = 'connected' | 'changed'

interface Listener {
  topics: readonly string[]
  onChange: (cause: Cause) => void
}

/** One stream per application in a tab, for all parts of the page. */
const streams = new Map<string, { listeners: Set<Listener>; close: () => void }>()

/**
 * Calls `onChange` when something of these topics has changed in the application, and once when the stream is connected, because
 * something may have changed before.
 */
export function useLiveEvents(
  applicationId: string,
  topics: readonly LiveTopic[],
  onChange: (cause: Cause) => unknown,
): void {
  const changed = useEffectEvent(onChange)
  // The list is a new one in each rendering.
  const wanted = topics.join(',')
  useEffect(() => {
    return listen(applicationId, { topics: wanted.split(','), onChange: (cause) => changed(cause) })
  }, [applicationId, wanted])
}

interface LiveQueryOptions {
  /** For what is costly to read and changes all the time. Default: 0. */
  pauseMs?: number
}

/** Reads queries again when something of these topics has changed. */
export function useLiveQuery(
  applicationId: string,
  topics: readonly LiveTopic[],
  queryKey: QueryKey,
  { pauseMs = 0 }: LiveQueryOptions = {},
): void {
  const queryClient = useQueryClient()
  const readAtMs = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const read = async () => {
    timer.current = undefined
    readAtMs.current = Date.now()
    await loadedMore(queryClient, queryKey)
    // A request that has been sent may be answered with the state before the change.
    await queryClient.cancelQueries({ queryKey })
    await queryClient.invalidateQueries({ queryKey })
  }
  const isJustRead = () =>
    queryClient
      .getQueryCache()
      .findAll({ queryKey, type: 'active' })
      .every(({ state }) => isRecent(state.dataUpdatedAt))
  useLiveEvents(applicationId, topics, (cause) => {
    if (timer.current !== undefined || (cause === 'connected' && isJustRead())) return
    const waitMs = readAtMs.current + pauseMs - Date.now()
    if (waitMs > 0) timer.current = setTimeout(() => void read(), waitMs)
    else void read()
  })
}

/** The next page that the user has asked for arrives first: all pages are read again after it. */
async function loadedMore(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  const active = queryClient.getQueryCache().findAll({ queryKey, type: 'active', fetchStatus: 'fetching' })
  const more = active.filter(({ state }) => state.fetchMeta?.fetchMore !== undefined)
  await Promise.allSettled(more.map(({ promise }) => promise))
}

/** A page reads and connects at the same time: it need not read twice. */
function isRecent(timeMs: number): boolean {
  return Date.now() - timeMs < 1_000
}

type Notify = (cause: Cause, topics: readonly string[]) => void

function listen(applicationId: string, listener: Listener): () => void {
  const stream = streams.get(applicationId) ?? openStream(applicationId)
  stream.listeners.add(listener)
  return () => {
    stream.listeners.delete(listener)
    if (stream.listeners.size > 0) return
    stream.close()
    streams.delete(applicationId)
  }
}

/**
 * Connected only while the tab is visible: a browser opens six connections to a server at most, so streams of hidden tabs could take
 * all of them.
 */
function openStream(applicationId: string) {
  const listeners = new Set<Listener>()
  const notify: Notify = (cause, topics) => {
    for (const listener of listeners) {
      if (listener.topics.some((topic) => topics.includes(topic))) listener.onChange(cause)
    }
  }
  let connection: AbortController | undefined
  const disconnect = () => {
    connection?.abort()
    connection = undefined
  }
  const follow = () => {
    if (document.visibilityState === 'hidden') disconnect()
    else if (!connection) {
      connection = new AbortController()
      void keepReading(applicationId, connection.signal, notify)
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  // Without access, the reading has ended; without a server, it pauses.
  const reconnect = () => {
    disconnect()
    follow()
  }
  const stops = [onSessionRestored(reconnect), onServerReturn(reconnect)]
  const stream = {
    listeners,
    close: () => {
      for (const stop of stops) stop()
      document.removeEventListener('visibilitychange', follow)
      disconnect()
    },
  }
  streams.set(applicationId, stream)
  return stream
}

/** Connects again after failures. Without access it stops: the requests of the page show the reason. */
async function keepReading(applicationId: string, signal: AbortSignal, notify: Notify) {
  let pauseMs = RETRY_MS_MIN
  while (!signal.aborted) {
    try {
      await readEvents('/events', {
        applicationId,
        signal,
        onEvent: ({ event, data }) => {
          pauseMs = RETRY_MS_MIN
          if (event === 'ready') notify('connected', readTopics(data))
          if (event === 'changed') notify('changed', readTopics(data))
        },
      })
    } catch (error) {
      if (hasStatus(error, 401) || hasStatus(error, 403)) return
    }
    if (!signal.aborted) void checkServer()
    await pause(pauseMs, signal)
    pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)
  }
}

function readTopics(data: string): string[] {
  const { topics }: { topics?: unknown } = JSON.parse(data)
  return Array.isArray(topics) ? topics.map(String) : []
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
