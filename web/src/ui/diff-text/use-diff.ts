import { useEffect, useMemo, useState } from 'react'
import { type DiffPart, diffWords } from './diff-words.ts'
import type { DiffRequest } from './diff-worker.ts'
import { startDiffWorker } from './start-diff-worker.ts'

/** Texts below this length are compared at once, without a flash of unmarked text. */
const lengthAtOnce = 4000
const timeoutAtOnceMs = 50

export type Diff = DiffPart[] | 'pending' | 'too-different'

/** The difference of two texts; long ones are compared in a worker, so that the page stays responsive. */
export function useDiff(baseline: string, candidate: string): Diff {
  const isLong = baseline.length + candidate.length > lengthAtOnce
  const atOnce = useMemo(
    () => (isLong ? undefined : diffWords(baseline, candidate, timeoutAtOnceMs)),
    [isLong, baseline, candidate],
  )
  const [later, setLater] = useState<{ baseline: string; candidate: string; diff: Diff }>()
  useEffect(() => {
    if (atOnce) return
    let isCurrent = true
    void diffInWorker(baseline, candidate).then((parts) => {
      if (isCurrent) setLater({ baseline, candidate, diff: parts ?? 'too-different' })
    })
    return () => {
      isCurrent = false
    }
  }, [atOnce, baseline, candidate])
  if (atOnce) return atOnce
  return later?.baseline === baseline && later.candidate === candidate ? later.diff : 'pending'
}

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, (parts: DiffPart[] | undefined) => void>()

/** One worker for all texts of the page. */
function diffInWorker(baseline: string, candidate: string): Promise<DiffPart[] | undefined> {
  worker ??= startWorker()
  lastId += 1
  const request: DiffRequest = { id: lastId, baseline, candidate }
  const { promise, resolve } = Promise.withResolvers<DiffPart[] | undefined>()
  waiting.set(request.id, resolve)
  worker.postMessage(request)
  return promise
}

function startWorker(): Worker {
  const started = startDiffWorker()
  started.addEventListener('message', (event: MessageEvent<{ id: number; parts: DiffPart[] | undefined }>) => {
    waiting.get(event.data.id)?.(event.data.parts)
    waiting.delete(event.data.id)
  })
  // A worker that could not be loaded compares nothing; the texts stay readable.
  started.addEventListener('error', () => {
    for (const resolve of waiting.values()) resolve(undefined)
    waiting.clear()
    worker = undefined
  })
  return started
}
