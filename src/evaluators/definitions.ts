import { cost } from './cost.ts'
import type { EvaluatorDefinition } from './evaluator.ts'
import { external } from './external.ts'
import { humanRating } from './human-rating.ts'
import { jsonEqual } from './json/json-equal.ts'
import { jsonSchema } from './json/json-schema.ts'
import { jsonValid } from './json/json-valid.ts'
import { toolCalls } from './json/tool-calls.ts'
import { trajectory } from './json/trajectory.ts'
import { MODEL_EVALUATORS } from './judges/model-evaluators.ts'
import { latency } from './latency.ts'
import { numeric } from './numeric.ts'
import { bleu } from './text/bleu.ts'
import { contains } from './text/contains.ts'
import { containsAll } from './text/contains-all.ts'
import { containsAny } from './text/contains-any.ts'
import { exactMatch } from './text/exact-match.ts'
import { f1 } from './text/f1.ts'
import { length } from './text/length.ts'
import { levenshtein } from './text/levenshtein.ts'
import { regex } from './text/regex.ts'
import { rougeL } from './text/rouge-l.ts'
import { rougeN } from './text/rouge-n.ts'
import { tokenF1 } from './text/token-f1.ts'
import { tokens } from './tokens.ts'

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
  external,
  ...MODEL_EVALUATORS,
]
