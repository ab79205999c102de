/** Assertions of promptfoo: the expected output that they imply, and the evaluators that do the same. */
import { type Fields, fieldsOf, isFields, listOf, numberOf, present, textOf } from '../source-values.ts'

/** Their value is the whole expected output, in this order of preference. */
const WHOLE = ['equals', 'is-json-equal', 'factuality', 'similar', 'rouge-n', 'bleu', 'levenshtein', 'meteor', 'gleu']

/** An `assert-set` groups assertions; only its members matter here. */
export function assertionsOf(value: unknown): Fields[] {
  return listOf(value)
    .filter(isFields)
    .flatMap((assertion) => (assertion['type'] === 'assert-set' ? assertionsOf(assertion['assert']) : [assertion]))
}

/**
 * The expected output of a test. What an answer must contain is only a part of it, unless it is a variable of the test: then it is meant as
 * what is expected.
 */
export function expectedOf(assertions: Fields[], vars: Fields): unknown {
  const given = assertions.filter(({ value }) => value !== undefined)
  const whole = WHOLE.map((type) => given.find((assertion) => assertion['type'] === type))
  const ofVariable = given.find(({ type, value }) => /^i?contains$/.test(String(type)) && isVariable(value, vars))
  for (const found of [...whole, ofVariable]) {
    const value = found && fillIn(found['value'], vars)
    if (value !== undefined && !isReference(value)) return value
  }
  return undefined
}

/** As a config has it, or as the results of promptfoo have it: filled in. */
function isVariable(value: unknown, vars: Fields): boolean {
  return /^\s*\{\{[^{}]+\}\}\s*$/.test(String(value)) || Object.values(vars).includes(value)
}

/** `{{name}}` and `{{item.name}}` with the values of the test. Other templates stay as they are. */
export function fillIn(value: unknown, vars: Fields): unknown {
  if (typeof value !== 'string') return value
  return value.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, path: string) => {
    let found: unknown = vars
    for (const name of path.split('.')) found = fieldsOf(found)[name]
    if (found === undefined) return whole
    return typeof found === 'string' ? found : JSON.stringify(found)
  })
}

export function isReference(value: unknown): boolean {
  return typeof value === 'string' && /^(file|https?|python|package):\/\//.test(value)
}

export interface Mapped {
  evaluator?: { type: string } & Fields
  /** Why there is no evaluator. */
  reason?: string
}

const ONLY_SOME =
  'it belongs to some tests only, and an evaluator scores all items: with its value in a variable, as {{expected}}, all tests can have it'
const OWN_CODE = 'it runs code of your own: deliver its results as external scores'
const NO_COUNTERPART = 'no evaluator does the same'

/**
 * The evaluator for an assertion. Evaluators score all items, so that a value of its own is only possible if all tests have the same
 * assertion; otherwise the value must be the expected output of its test.
 */
export function evaluatorFor(
  assertion: Fields,
  { expected, isShared }: { expected: unknown; isShared: boolean },
): Mapped {
  const written = textOf(assertion['type']) ?? ''
  const isNegated = written.startsWith('not-')
  const type = isNegated ? written.slice('not-'.length) : written
  const { value } = assertion
  const name = textOf(assertion['metric'])
  const passAt = numberOf(assertion['threshold'])
  const build = (evaluator: { type: string } & Fields): Mapped => ({ evaluator: present({ ...evaluator, name }) })
  const shared = (evaluator: { type: string } & Fields) => (isShared ? build(evaluator) : { reason: ONLY_SOME })
  const matches = !isNegated && value === expected
  if (/^(javascript|python|ruby|webhook)$/.test(type)) return { reason: OWN_CODE }
  if (isReference(value)) return { reason: `its value is in ${String(value)}, which is not read` }
  const not = isNegated ? true : undefined
  switch (type) {
    case 'equals':
      return matches ? build({ type: 'exactMatch' }) : { reason: isNegated ? NO_COUNTERPART : ONLY_SOME }
    case 'contains':
    case 'icontains': {
      const ignoreCase = type === 'icontains' ? true : undefined
      return matches ? build({ type: 'contains', ignoreCase }) : shared({ type: 'contains', value, ignoreCase, not })
    }
    case 'contains-any':
    case 'icontains-any':
      return shared({ type: 'containsAny', values: valuesOf(value), ignoreCase: type[0] === 'i' || undefined, not })
    case 'contains-all':
    case 'icontains-all':
      if (isNegated) return { reason: NO_COUNTERPART }
      return shared({ type: 'containsAll', values: valuesOf(value), ignoreCase: type[0] === 'i' || undefined })
    case 'regex':
      return shared({ type: 'regex', pattern: value, not })
  }
  if (isNegated) return { reason: NO_COUNTERPART }
  switch (type) {
    case 'is-json':
      return shared(isFields(value) ? { type: 'jsonSchema', schema: value } : { type: 'jsonValid' })
    case 'latency':
      return passAt === undefined ? { reason: NO_COUNTERPART } : shared({ type: 'latency', maxMs: passAt })
    case 'cost':
      return passAt === undefined ? { reason: NO_COUNTERPART } : shared({ type: 'cost', maxUsd: passAt })
    case 'similar':
      return matches ? build({ type: 'embeddingSimilarity', passAt: passAt ?? 0.75 }) : { reason: ONLY_SOME }
    case 'bleu':
      return matches ? build({ type: 'bleu', passAt: passAt ?? 0.5 }) : { reason: ONLY_SOME }
    case 'rouge-n':
      return matches ? build({ type: 'rougeN', n: 1, passAt: passAt ?? 0.75 }) : { reason: ONLY_SOME }
    case 'factuality':
      return matches ? build({ type: 'comparisonJudge' }) : { reason: ONLY_SOME }
    case 'llm-rubric':
    case 'model-graded-closedqa':
    case 'g-eval':
      return typeof value === 'string' ? shared({ type: 'llmJudge', instructions: value }) : { reason: NO_COUNTERPART }
    default:
      return { reason: NO_COUNTERPART }
  }
}

/** promptfoo accepts a list, or a text with commas. */
function valuesOf(value: unknown): unknown[] {
  return typeof value === 'string' ? value.split(',').map((one) => one.trim()) : listOf(value)
}
