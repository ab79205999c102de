import type { Ingest } from '../ingestion/ingest-spans.ts'
import type { Queries } from '../storage/db.ts'
import type { Plan } from '../trials/read-plan.ts'
import type { Target } from '../trials/targets/target.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { EXAMPLE_MODEL } from './example-prompt.ts'
import { EXAMPLE_CASES, EXAMPLE_EVALUATORS } from './example-traces.ts'
import { type Creating, type ExampleScope, type ExampleTrial, storeAnsweredTrial } from './store-answered-trial.ts'
import { callNanoUsd, callOfTrial } from './trial-traces.ts'

const HOUR_MS = 3_600_000
/** After the canary of version 3, and before it was taken back: this is why. */
const HOURS_AGO = 36
/** Version 1 is what the others are compared with. */
const VERSIONS = [1, 2, 3]
const BASELINE = 1
const NAME = 'Versions 1, 2 and 3'

type Given = ExampleScope & {
  promptId: string
  itemIds: readonly string[]
  userId: string
  ingest: Ingest
  quotas: Quotas
}

/** A trial of three versions of the example prompt. */
export async function createExampleTrial(
  context: Creating,
  tx: Queries,
  { promptId, itemIds, ...given }: Given,
): Promise<ExampleTrial> {
  return storeAnsweredTrial(context, tx, {
    ...given,
    name: NAME,
    plan: planOf(itemIds),
    startMs: context.clock.now() - HOURS_AGO * HOUR_MS,
    variants: VERSIONS.map((version) => ({ name: `v${version}`, target: targetOf(promptId, version) })),
    itemIds,
    evaluators: EXAMPLE_EVALUATORS,
    answer({ number, index, startMs }) {
      const one = EXAMPLE_CASES[index]
      const version = VERSIONS[number - 1]
      if (!one || version === undefined) throw new RangeError('each item of the example is one of its cases')
      const answer = callOfTrial({ one, version, index, startMs })
      return { ...answer, nanoUsd: callNanoUsd(answer) }
    },
  })
}

function planOf(itemIds: readonly string[]): Plan {
  return {
    split: null,
    sample: null,
    variables: { question: 'input', passages: 'metadata.passages' },
    baseline: BASELINE,
    repetitions: 1,
    concurrency: Math.min(8, itemIds.length),
    maxMinutes: 60,
    evaluation: { evaluators: EXAMPLE_EVALUATORS },
    looks: null,
  }
}

function targetOf(promptId: string, version: number): Target {
  return { type: 'prompt', promptId, version, provider: null, model: EXAMPLE_MODEL, parameters: {}, tools: 'record' }
}
