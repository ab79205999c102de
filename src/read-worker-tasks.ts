/** The entry of read workers: the tasks that `db.inReadWorker` can run, loaded when they are first needed. */
import { serveTasks } from './storage/sqlite/serve-tasks.ts'

serveTasks({
  scoreWithoutModels: async () => (await import('./evaluations/runner/score-without-models.ts')).scoreWithoutModels,
  summarize: async () => (await import('./evaluations/results/summarize.ts')).summarize,
})
