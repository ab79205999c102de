/** The thread of `ReadingApart`. It stands here because only here everything is known that may be done on it. */

import { summarize } from './evaluations/results/summarize.ts'
import { scoreWithoutModels } from './evaluations/runner/score-without-models.ts'
import { doApart } from './storage/sqlite/reading-apart-thread.ts'

doApart([scoreWithoutModels, summarize])
