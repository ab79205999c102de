/**
 * Whether the server responds, and whether it has another version of the interface than this page.
 *
 * A request, a stream or a file of the interface that fails starts a check, which is repeated until the server responds. Then the page
 * goes on by itself. A new version is offered, because loading it would lose what was typed.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { ApiError } from './api-error.ts'

const RETRY_MS = 1_000
/** A server that is away may also not refuse connections. */
const TIMEOUT_MS = 2_000

type ServerState = 'connected' | 'away' | 'new version'

let state: ServerState = 'connected'
let check: Promise<void> | undefined
const listeners = new Set<() => void>()
const returnListeners = new Set<() => void>()

/** Resolves when the server responds. */
export function checkServer(): Promise<void> {
  check ??= waitForServer().finally(() => {
    check = undefined
  })
  return check
}

export function useServerState(): ServerState {
  return useSyncExternalStore(subscribe, () => state)
}

/** The user goes on with the version that is shown, until the next check. */
export function dismissNewVersion(): void {
  change('connected')
}

/** Called when a server that did not respond does so again. */
export function onServerReturn(listener: () => void): () => void {
  returnListeners.add(listener)
  return () => returnListeners.delete(listener)
}

export function useServerReturn(onReturn: () => unknown): void {
  const returned = useEffectEvent(onReturn)
  useEffect(() => onServerReturn(() => returned()), [])
}

/** Loads a file of the interface. While the server is away, it waits. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await checkServer()
    return load().catch((cause: unknown) => {
      const message = 'This page needs the new version of the interface. Reload the page to get it.'
      throw new ApiError(message, { status: 0, cause })
    })
  }
}

async function waitForServer(): Promise<void> {
  let page = await readPage()
  const isAway = page === undefined
  while (page === undefined) {
    change('away')
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    page = await readPage()
  }
  const shown = document.querySelector('script[type=module][src^="/assets/"]')?.getAttribute('src')
  change(shown && !page.includes(shown) ? 'new version' : 'connected')
  if (isAway) for (const listener of returnListeners) listener()
}

/** The page that loads the interface; undefined without a response, or if a proxy responds in place of the server. */
async function readPage(): Promise<string | undefined> {
  try {
    const request = new Request('/index.html', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const response = await fetch(request)
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}

function change(next: ServerState): void {
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
