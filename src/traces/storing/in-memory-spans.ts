import { pauseEvery } from '../../base/event-loop.ts'
import type { ReadSpans, ReceivedSpan } from './received-span.ts'

const SPANS_PER_TURN = 100

/** For spans that are already in memory. */
export function readerOf(spans: readonly ReceivedSpan[]): ReadSpans {
  return async <Kept>(keep: (span: ReceivedSpan) => Kept) => {
    const pause = pauseEvery(SPANS_PER_TURN)
    const kept: Kept[] = []
    for (const span of spans) {
      kept.push(keep(span))
      await pause()
    }
    return { spans: kept, rejectedCount: 0, problems: [] }
  }
}
