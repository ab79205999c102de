import type { Case, Evaluator, EvaluatorDefinition, Need } from './evaluator.ts'
import { humanRating } from './human-rating.ts'
import { looksLikeJson } from './json/json-text.ts'
import { jsonValid } from './json/json-valid.ts'
import { exactMatch } from './text/exact-match.ts'
import { tokenF1 } from './text/token-f1.ts'
import { skipped } from './verdicts.ts'

/**
 * The evaluators for a config that names none: all that have no required options, each for the cases that it applies
 * to. A missing expected value is checked here and not declared as a need, so that the reason does not read like an
 * error.
 */
export function defaultEvaluators(): Evaluator[] {
  return [
    where(exactMatch, ['output'], lacksExpected),
    where(tokenF1, ['output'], lacksExpected),
    where(jsonValid, ['output'], isNoJson),
    where(humanRating, ['ratings'], ({ ratings }) => (ratings.length === 0 ? 'the trace has no rating' : undefined)),
  ]
}

function where(
  definition: EvaluatorDefinition,
  needs: readonly Need[],
  whyNot: (input: Case) => string | undefined,
): Evaluator {
  const evaluator = definition.create(definition.type, {}, 'config')
  return {
    ...evaluator,
    needs,
    evaluate(input, options) {
      const reason = whyNot(input)
      return reason === undefined ? evaluator.evaluate(input, options) : skipped(`does not apply: ${reason}`)
    },
  }
}

function lacksExpected({ expected }: Case): string | undefined {
  return expected === null ? 'the item has no expected value' : undefined
}

/** Malformed JSON is invalid JSON; prose is not JSON at all. */
function isNoJson({ output }: Case): string | undefined {
  return output === null || looksLikeJson(output) ? undefined : 'the output is not JSON'
}
