import { classify } from '../classify.ts'
import type { EvaluatorDefinition } from '../evaluator.ts'
import { embeddingSimilarity } from '../text/embedding-similarity.ts'
import { comparisonJudge } from './comparison-judge.ts'
import { llmJudge } from './llm-judge.ts'
import { pairwise } from './pairwise.ts'
import { referenceJudge } from './reference-judge.ts'

/** All that ask a model, in the order in which they are shown. */
export const MODEL_EVALUATORS: readonly EvaluatorDefinition[] = [
  llmJudge,
  comparisonJudge,
  referenceJudge,
  pairwise,
  classify,
  embeddingSimilarity,
]
