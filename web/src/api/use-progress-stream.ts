import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { hasStatus } from './api-error.ts'
import { readEvents } from './event-stream.ts'

interface ProgressStream {
  path: string
  applicationId: string
  isFollowed: boolean
  /** After the stream was lost. */
  retryMs: number
  /** The stream begins; also after it was lost. */
  onStart?: () => void
  /** `data` is what was sent as JSON. */
  onEvent: (event: string | undefined, data: unknown) => void
  onLost?: () => void
  /** All that the stream reports is final. */
  onEnd: () => unknown
}

/** Follows work in the background until it ends, and connects again if the stream was lost. Returns a function that does so at once. */
export function useProgressStream({
  path,
  applicationId,
  isFollowed,
  retryMs,
  ...handlers
}: ProgressStream): () => void {
  const [attempt, setAttempt] = useState(0)
  const onStart = useEffectEvent(() => handlers.onStart?.())
  const onEvent = useEffectEvent(handlers.onEvent)
  const onLost = useEffectEvent(() => handlers.onLost?.())
  const onEnd = useEffectEvent(handlers.onEnd)
  // A browser opens six connections to a server at most: streams of hidden tabs could take all of them.
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState !== 'hidden')
  const isOpen = isFollowed && isVisible
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the stream again
  useEffect(() => {
    if (!isOpen) return undefined
    const ending = new AbortController()
    const { signal } = ending
    let retry: ReturnType<typeof setTimeout> | undefined
    const follow = async () => {
      let hasEnded = false
      onStart()
      try {
        await readEvents(path, {
          applicationId,
          signal,
          onEvent: ({ event, data }) => {
            onEvent(event, JSON.parse(data))
            hasEnded ||= event === 'end'
          },
        })
      } catch (error) {
        // The requests of the page show the reason.
        if (hasStatus(error, 401, 403, 404)) return
      }
      if (signal.aborted) return
      if (hasEnded) {
        await onEnd()
        return
      }
      onLost()
      retry = setTimeout(() => setAttempt((number) => number + 1), retryMs)
    }
    void follow()
    return () => {
      clearTimeout(retry)
      ending.abort()
    }
  }, [path, applicationId, isOpen, attempt, retryMs])
  return () => setAttempt((number) => number + 1)
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}
