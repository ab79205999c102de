import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { hasStatus } from './api-error.ts'
import { apiKey } from './api-query.ts'
import { onVisibility, type ProgressSample, secondsLeft } from './evaluation-progress.ts'
import { readEvents } from './event-stream.ts'
import type { TrialDetail } from './generated/api.ts'
import { TRACE_LINKS } from './traces-query.ts'
import { allOfTrials, type TrialKey } from './trials-query.ts'

interface SentProgress {
  status: TrialDetail['status']
  progress: TrialDetail['progress']
  variants: Pick<TrialDetail['variants'][number], 'name' | 'done' | 'failed' | 'skipped' | 'reason'>[]
  spentUsd: number
}

export interface LiveTrial {
  sent: SentProgress | undefined
  /** Undefined until it can be estimated. */
  secondsLeft: number | undefined
  /** When the stream was lost; undefined while it is read. */
  lostAt: Date | undefined
  /** Connects again at once. */
  reconnect: () => void
}

const RETRY_MS = 5_000

/** Follows a trial until all its calls have ended; everything about it is read again when it ends. */
export function useTrialProgress({ applicationId, componentId, trialId }: TrialKey, isFollowed: boolean): LiveTrial {
  const queryClient = useQueryClient()
  const [sent, setSent] = useState<SentProgress>()
  const [left, setLeft] = useState<number>()
  const [lostAt, setLostAt] = useState<Date>()
  const [attempt, setAttempt] = useState(0)
  // A browser opens six connections to a server at most: streams of hidden tabs could take all of them.
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState !== 'hidden')
  const isOpen = isFollowed && isVisible
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the stream again
  useEffect(() => {
    if (!isOpen) return undefined
    const ending = new AbortController()
    const { signal } = ending
    const samples: ProgressSample[] = []
    const onProgress = (next: SentProgress) => {
      const { done, failed, skipped, total } = next.progress
      samples.push({ atMs: Date.now(), finished: done + failed + skipped })
      setLeft(secondsLeft(samples, total))
      setSent(next)
    }
    const follow = async () => {
      let hasEnded = false
      try {
        await readEvents(`/components/${componentId}/trials/${trialId}/events`, {
          applicationId,
          signal,
          onEvent: ({ event, data }) => {
            setLostAt(undefined)
            if (event === 'progress') onProgress(JSON.parse(data))
            hasEnded ||= event === 'end'
          },
        })
      } catch (error) {
        // The requests of the page show the reason.
        if (hasStatus(error, 401, 403, 404)) return
      }
      if (signal.aborted) return
      if (!hasEnded) {
        setLostAt((known) => known ?? new Date())
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        if (!signal.aborted) setAttempt((number) => number + 1)
        return
      }
      await Promise.all([
        queryClient.invalidateQueries(allOfTrials(applicationId)),
        // They have the scores of the answer that is open.
        queryClient.invalidateQueries({ queryKey: apiKey(TRACE_LINKS, applicationId) }),
      ])
      setSent(undefined)
    }
    void follow()
    return () => ending.abort()
  }, [applicationId, componentId, trialId, isOpen, attempt, queryClient])
  return {
    sent: isFollowed ? sent : undefined,
    secondsLeft: isFollowed ? left : undefined,
    lostAt: isFollowed ? lostAt : undefined,
    reconnect: () => setAttempt((number) => number + 1),
  }
}

/** The trial with what the stream has sent since it was read. */
export function withProgress(trial: TrialDetail, sent: SentProgress | undefined): TrialDetail {
  if (!sent || countEnded(sent.progress) < countEnded(trial.progress)) return trial
  const variants = trial.variants.map((variant) => ({
    ...variant,
    ...sent.variants.find(({ name }) => name === variant.name),
  }))
  return {
    ...trial,
    status: sent.status,
    progress: sent.progress,
    variants,
    cost: { ...trial.cost, spentUsd: sent.spentUsd },
  }
}

export function countEnded({ done, failed, skipped }: { done: number; failed: number; skipped: number }): number {
  return done + failed + skipped
}
