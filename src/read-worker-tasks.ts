/** The entry of read workers: the search index, and the tasks that `db.inReadWorker` can run, loaded when they are first needed. */
import { serveReadWorker } from './storage/sqlite/serve-read-worker.ts'
import { searchAttachment } from './traces/search/attach-search-index.ts'

serveReadWorker({
  searchAttachment,
  tasks: {
    computeScores: async () => (await import('./evaluations/runner/score-without-models.ts')).computeScores,
    findNearDuplicates: async () => (await import('./item-lists/find-near-duplicates.ts')).findNearDuplicates,
    summarize: async () => (await import('./evaluations/results/summarize.ts')).summarize,
  },
})
