/** The thread of `ReadingApart`. It stands here because only here everything is known that may be done on it. */
import { scoreOffline } from './evaluations/score-offline.ts'
import { summarize } from './evaluations/summarize.ts'
import { doApart } from './storage/reading-apart-thread.ts'

doApart([scoreOffline, summarize])
