import { bleu } from './bleu.ts'
import { contains } from './contains.ts'
import { containsAll } from './contains-all.ts'
import { containsAny } from './contains-any.ts'
import { cost } from './cost.ts'
import type { EvaluatorDefinition } from './evaluator.ts'
import { exactMatch } from './exact-match.ts'
import { f1 } from './f1.ts'
import { humanRating } from './human-rating.ts'
import { jsonEqual } from './json-equal.ts'
import { jsonSchema } from './json-schema.ts'
import { jsonValid } from './json-valid.ts'
import { latency } from './latency.ts'
import { length } from './length.ts'
import { levenshtein } from './levenshtein.ts'
import { MODEL_EVALUATORS } from './model-evaluators.ts'
import { numeric } from './numeric.ts'
import { regex } from './regex.ts'
import { rougeL } from './rouge-l.ts'
import { rougeN } from './rouge-n.ts'
import { tokenF1 } from './token-f1.ts'
import { tokens } from './tokens.ts'
import { toolCalls } from './tool-calls.ts'
import { trajectory } from './trajectory.ts'

/** Every kind of evaluator, in the order in which people are shown them. What is not in this list does not exist. */
export const EVALUATOR_DEFINITIONS: readonly EvaluatorDefinition[] = [
  exactMatch,
  contains,
  containsAny,
  containsAll,
  regex,
  jsonValid,
  jsonSchema,
  jsonEqual,
  numeric,
  levenshtein,
  tokenF1,
  rougeL,
  rougeN,
  bleu,
  length,
  toolCalls,
  trajectory,
  latency,
  cost,
  tokens,
  f1,
  humanRating,
  ...MODEL_EVALUATORS,
]
