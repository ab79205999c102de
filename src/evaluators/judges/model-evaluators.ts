import { classify } from '../classify.ts'
import type { EvaluatorDefinition } from '../evaluator.ts'
import { embeddingSimilarity } from '../text/embedding-similarity.ts'
import { comparisonJudge } from './comparison-judge.ts'
import { llmJudge } from './llm-judge.ts'
import { pairwise } from './pairwise.ts'
import { referenceJudge } from './reference-judge.ts'

/** All evaluators that call a model, in display order. */
export const MODEL_EVALUATORS: readonly EvaluatorDefinition[] = [
  llmJudge,
  comparisonJudge,
  referenceJudge,
  pairwise,
  classify,
  embeddingSimilarity,
]
