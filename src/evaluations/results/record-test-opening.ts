import { timestamp } from '../../base/clock.ts'
import { NIL_ID } from '../../base/ids.ts'
import { insertTestOpening, listSplitItems } from '../../datasets/split-queries.ts'
import { evaluationSubject } from '../../datasets/test-openings.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import type { CaseSource } from '../runner/case-queries.ts'
import { hasTestScores } from './test-score-queries.ts'

type Evaluated = { evaluationId: string; source: CaseSource }

/**
 * Records that an evaluation has scored items of the test split, and returns whether it has. Must run before the results
 * are computed, which count it. An evaluation that is tried again counts once.
 */
export async function recordTestOpening(job: JobRun, evaluated: Evaluated): Promise<boolean> {
  const { evaluationId, source } = evaluated
  if (!(await readsTestSplit(job, evaluated))) return false
  const subject = evaluationSubject(evaluationId)
  await job.commit((tx) => insertTestOpening(tx, { ...source, subject, now: timestamp(job.clock.now()) }))
  return true
}

async function readsTestSplit({ db }: JobRun, { evaluationId, source }: Evaluated): Promise<boolean> {
  const { split = 'test' } = source
  if (split !== 'test') return false
  const [first] = await listSplitItems(db.read, { ...source, split, after: NIL_ID, limit: 1 })
  return first !== undefined && hasTestScores(db.read, { ...source, evaluationId })
}
