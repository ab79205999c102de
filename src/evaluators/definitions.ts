import type { EvaluatorDefinition } from './evaluator.ts'
import { external } from './external.ts'
import { humanRating } from './human-rating.ts'
import { jsonEqual } from './json/json-equal.ts'
import { jsonSchema } from './json/json-schema.ts'
import { jsonValid } from './json/json-valid.ts'
import { toolCalls } from './json/tool-calls.ts'
import { toolSelection } from './json/tool-selection.ts'
import { trajectory } from './json/trajectory.ts'
import { classify } from './judges/classify.ts'
import { comparisonJudge } from './judges/comparison-judge.ts'
import { embeddingSimilarity } from './judges/embedding-similarity.ts'
import { llmJudge } from './judges/llm-judge.ts'
import { pairwise } from './judges/pairwise.ts'
import { referenceJudge } from './judges/reference-judge.ts'
import { structuredOutput } from './judges/structured-output.ts'
import { numeric } from './numeric.ts'
import { bleu } from './text/bleu.ts'
import { contains, containsAll, containsAny } from './text/contains.ts'
import { exactMatch } from './text/exact-match.ts'
import { f1 } from './text/f1.ts'
import { length } from './text/length.ts'
import { levenshtein } from './text/levenshtein.ts'
import { regex } from './text/regex.ts'
import { rougeL, rougeN } from './text/rouge.ts'
import { tokenF1 } from './text/token-f1.ts'
import { cost, latency, tokens } from './trace-limits.ts'

/** All evaluators, in the order of the list in the API. */
export const EVALUATOR_DEFINITIONS: readonly EvaluatorDefinition[] = [
  exactMatch,
  contains,
  containsAny,
  containsAll,
  regex,
  jsonValid,
  jsonSchema,
  jsonEqual,
  structuredOutput,
  numeric,
  levenshtein,
  tokenF1,
  rougeL,
  rougeN,
  bleu,
  length,
  toolCalls,
  toolSelection,
  trajectory,
  latency,
  cost,
  tokens,
  f1,
  humanRating,
  external,
  llmJudge,
  comparisonJudge,
  referenceJudge,
  pairwise,
  classify,
  embeddingSimilarity,
]
