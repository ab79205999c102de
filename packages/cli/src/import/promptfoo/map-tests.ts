/** Tests of promptfoo as items of a dataset. */
import type { ImportRecord, ItemRecord } from '../import-record.ts'
import { type Fields, fieldsOf, isFields, present, stableId, textOf } from '../source-values.ts'
import { assertionsOf, evaluatorFor, expectedOf, fillIn, isReference } from './map-assertions.ts'

/** A test with the settings of `defaultTest`. */
export interface Test {
  description: string | undefined
  vars: Fields
  assertions: Fields[]
  metadata: Fields
}

/** A variable with several values is several tests, as promptfoo runs it. */
export function readTests(tests: unknown[], defaultTest: unknown): Test[] {
  const defaults = fieldsOf(defaultTest)
  return tests.filter(isFields).flatMap((test) => {
    const vars = { ...fieldsOf(defaults['vars']), ...fieldsOf(test['vars']) }
    const keepsLists = fieldsOf(test['options'])['disableVarExpansion'] === true
    const { disableDefaultAsserts } = fieldsOf(test['options'])
    const inherited = disableDefaultAsserts === true ? [] : assertionsOf(defaults['assert'])
    const rest = {
      description: textOf(test['description']),
      assertions: [...inherited, ...assertionsOf(test['assert'])],
      metadata: { ...fieldsOf(defaults['metadata']), ...fieldsOf(test['metadata']) },
    }
    return (keepsLists ? [vars] : combinations(vars)).map((one) => ({ ...rest, vars: one }))
  })
}

function combinations(vars: Fields): Fields[] {
  return Object.entries(vars).reduce<Fields[]>(
    (all, [name, value]) =>
      all.flatMap((one) => (Array.isArray(value) ? value : [value]).map((single) => ({ ...one, [name]: single }))),
    [{}],
  )
}

/** One variable is the input itself; several are an object. */
export function itemOf(test: Test, dataset: string): ItemRecord {
  const values = Object.values(test.vars)
  const expected = expectedOf(test.assertions, test.vars)
  return present({
    kind: 'item',
    dataset,
    key: itemKey(test),
    input: values.length === 1 ? values[0] : test.vars,
    expected,
    metadata: present({ ...test.metadata, description: test.description }),
  })
}

/** The same for a config and for its results, so that both can be imported into one dataset. */
export function itemKey({ vars, assertions, description }: Test): string {
  return stableId('promptfoo', vars, expectedOf(assertions, vars), description)
}

/** A variable whose value is only known when promptfoo runs. */
export function unreadVariable({ vars }: Test): string | undefined {
  return Object.entries(vars).find(([, value]) => isReference(value))?.[0]
}

/** The evaluators that replace the assertions of these tests, and the assertions that none replaces. */
export function* mapAssertions(tests: Test[]): Generator<ImportRecord> {
  const counts = new Map<string, number>()
  for (const { assertions } of tests) {
    for (const key of new Set(assertions.map(stableAssertion))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const names = new Map<string, string>()
  for (const { assertions, vars } of tests) {
    const expected = expectedOf(assertions, vars)
    for (const assertion of assertions) {
      const isShared = counts.get(stableAssertion(assertion)) === tests.length
      const filled = { ...assertion, value: fillIn(assertion['value'], vars) }
      const { evaluator, reason } = evaluatorFor(filled, { expected, isShared })
      if (evaluator) yield { kind: 'suggestedEvaluator', evaluator: withOwnName(evaluator, names) }
      else yield { kind: 'notTaken', of: 'other', what: `assertion ${assertion['type']}`, reason: reason ?? '' }
    }
  }
}

function stableAssertion(assertion: Fields): string {
  return stableId(assertion)
}

/** Evaluators of one evaluation have different names; the default is their type. */
function withOwnName(evaluator: { type: string } & Fields, names: Map<string, string>) {
  const content = stableId(evaluator)
  const wanted = textOf(evaluator['name']) ?? evaluator.type
  let name = wanted
  for (let number = 2; names.has(name) && names.get(name) !== content; number++) name = `${wanted} ${number}`
  names.set(name, content)
  return name === evaluator.type ? evaluator : { ...evaluator, name }
}
