import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { apiKey } from './api-query.ts'
import type { ProgressSample } from './evaluation-progress.ts'
import type { TrialDetail } from './generated/api.ts'
import { type TimeLeft, timeLeft } from './time-left.ts'
import { TRACE_LINKS } from './traces-query.ts'
import { allOfTrials, type TrialKey } from './trials-query.ts'
import { useProgressStream } from './use-progress-stream.ts'

interface SentProgress {
  status: TrialDetail['status']
  progress: TrialDetail['progress']
  variants: Pick<TrialDetail['variants'][number], 'name' | 'done' | 'failed' | 'skipped' | 'reason'>[]
  spentUsd: number
  judgesUsd: number
  waiting: TrialDetail['waiting']
}

export interface LiveTrial {
  sent: SentProgress | undefined
  /** Undefined until it can be estimated. */
  left: TimeLeft | undefined
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
  const [left, setLeft] = useState<TimeLeft>()
  const [lostAt, setLostAt] = useState<Date>()
  const samples = useRef<ProgressSample[]>([])
  const reconnect = useProgressStream({
    path: `/components/${componentId}/trials/${trialId}/events`,
    applicationId,
    isFollowed,
    retryMs: RETRY_MS,
    onStart: () => {
      samples.current = []
    },
    onEvent: (event, data) => {
      setLostAt(undefined)
      if (event !== 'progress') return
      const next = data as SentProgress
      samples.current.push({ atMs: Date.now(), finished: countEnded(next.progress) })
      setLeft(timeLeft(samples.current, next.progress.total))
      setSent(next)
    },
    onLost: () => setLostAt((known) => known ?? new Date()),
    onEnd: async () => {
      await Promise.all([
        queryClient.invalidateQueries(allOfTrials(applicationId)),
        // They have the scores of the answer that is open.
        queryClient.invalidateQueries({ queryKey: apiKey(TRACE_LINKS, applicationId) }),
      ])
      setSent(undefined)
    },
  })
  return {
    sent: isFollowed ? sent : undefined,
    left: isFollowed ? left : undefined,
    lostAt: isFollowed ? lostAt : undefined,
    reconnect,
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
    cost: { ...trial.cost, spentUsd: sent.spentUsd, judgesUsd: sent.judgesUsd },
    waiting: sent.waiting,
  }
}

export function countEnded({ done, failed, skipped }: { done: number; failed: number; skipped: number }): number {
  return done + failed + skipped
}
