import type { Case, Evaluator, EvaluatorDefinition, Need } from './evaluator.ts'
import { humanRating } from './human-rating.ts'
import { looksLikeJson } from './json/json-text.ts'
import { jsonValid } from './json/json-valid.ts'
import { exactMatch } from './text/exact-match.ts'
import { tokenF1 } from './text/token-f1.ts'
import { skipped } from './verdicts.ts'

/**
 * What a config that names no evaluators gets: all that need nothing to be told, each for the cases that it applies to. Whether
 * there is an expected value is asked here and not declared as a need, so that the reason says that nothing is wrong.
 */
export function defaultEvaluators(): Evaluator[] {
  return [
    where(exactMatch, ['output'], lacksExpected),
    where(tokenF1, ['output'], lacksExpected),
    where(jsonValid, ['output'], isNoJson),
    where(humanRating, ['ratings'], ({ ratings }) => (ratings.length === 0 ? 'nobody has rated the trace' : undefined)),
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
    evaluate(input, asking) {
      const reason = whyNot(input)
      return reason === undefined ? evaluator.evaluate(input, asking) : skipped(`does not apply: ${reason}`)
    },
  }
}

function lacksExpected({ expected }: Case): string | undefined {
  return expected === null ? 'the item has no expected value' : undefined
}

/** Broken JSON is JSON that is wrong; prose is not. */
function isNoJson({ output }: Case): string | undefined {
  return output === null || looksLikeJson(output) ? undefined : 'the output is not JSON'
}
