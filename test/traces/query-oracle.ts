/** A second implementation of queries, in plain JavaScript over objects: SQL must find the same. */
import type {
  Condition,
  NanosecondRange,
  NumberRange,
  Term,
  Test,
  TextPattern,
} from '../../src/traces/query/condition.ts'
import type { TraceFilter } from '../../src/traces/trace-filter.ts'
import type { World, WorldSpan, WorldTrace } from './query-world.ts'

/** Ids in order of start times; those that started together in order of ids. */
export function latestFirst(world: Pick<World, 'traces'>, ids: readonly string[]): string[] {
  const starts = new Map(world.traces.map(({ id, startNs }) => [id, startNs]))
  const startOf = (id: string) => starts.get(id) ?? 0n
  return ids.toSorted((a, b) => (startOf(a) === startOf(b) ? (a < b ? 1 : -1) : startOf(a) < startOf(b) ? 1 : -1))
}

/** The ids of the traces that a list should show, newest first. */
export function expectedIds(world: World, filter: TraceFilter): string[] {
  return world.traces
    .filter((trace) => !trace.isDeleted && passes(world, trace, filter))
    .map(({ id }) => id)
    .sort()
    .reverse()
}

function passes(world: World, trace: WorldTrace, filter: TraceFilter): boolean {
  const component = componentOf(world, trace)
  return (
    (filter.status === undefined || trace.status === filter.status) &&
    (filter.startAfter === undefined || trace.startNs >= filter.startAfter) &&
    (filter.startBefore === undefined || trace.startNs < filter.startBefore) &&
    (filter.componentId === undefined || component?.id === filter.componentId) &&
    (filter.service === undefined || trace.service === filter.service) &&
    (filter.environment === undefined || trace.environment === filter.environment) &&
    (filter.sessionId === undefined || trace.sessionId === filter.sessionId) &&
    (filter.userId === undefined || trace.userId === filter.userId) &&
    (filter.condition === undefined || holds(world, trace, filter.condition))
  )
}

function componentOf({ components }: World, { component }: WorldTrace) {
  const found = component === null ? undefined : components[component]
  return found?.isDeleted ? undefined : found
}

function holds(world: World, trace: WorldTrace, condition: Condition): boolean {
  if (condition.type === 'not') return !holds(world, trace, condition.part)
  if (condition.type === 'term') return fits(world, trace, condition.term)
  const partHolds = (part: Condition) => holds(world, trace, part)
  return condition.type === 'and' ? condition.parts.every(partHolds) : condition.parts.some(partHolds)
}

function fits(world: World, trace: WorldTrace, { field, key, test }: Term): boolean {
  const { spans } = trace
  const anySpan = (texts: (span: WorldSpan) => (string | null)[]) =>
    spans.some((span) => texts(span).some((text) => contains(text, test)))
  switch (field) {
    case 'text':
      return anySpan(({ name, input, output }) => [name, input, output])
    case 'input':
      return anySpan(({ input }) => [input])
    case 'output':
      return anySpan(({ output }) => [output])
    case 'status':
      return test.is === 'present' || (test.is === 'word' && test.word === trace.status)
    case 'kind':
    case 'name':
    case 'model':
    case 'provider':
      return spans.some((span) => facetFits(span[field], test))
    case 'tag':
      return trace.tags.some((tag) => facetFits(tag, test))
    case 'prompt':
      return trace.prompts.some((name) => facetFits(name, test))
    case 'source':
      return test.is === 'present' || (test.is === 'word' && test.word === trace.source)
    case 'user':
      return facetFits(trace.userId, test)
    case 'session':
      return facetFits(trace.sessionId, test)
    case 'service':
    case 'environment':
      return facetFits(trace[field], test)
    case 'latency':
      return amountFits(trace.durationNs, test)
    case 'start':
      return amountFits(trace.startNs, test)
    case 'cost':
    case 'tokens':
      return amountFits(trace[field], test)
    case 'component': {
      const component = componentOf(world, trace)
      if (!component) return false
      return (
        textFits(component.name, test) || (test.is === 'text' && textOf(test.pattern).toLowerCase() === component.id)
      )
    }
    case 'rating':
      return trace.annotations.some((one) => (one.isActive || one.isOutside) && textFits(one.rating, test))
    case 'score':
      return trace.scores.some(
        ({ evaluator, score, isActive }) => isActive && evaluator === key && amountFits(score, test),
      )
    case 'metadata':
      return spans.some((span) => attributesOf(span).some(([name, value]) => name === key && valueFits(value, test)))
    case 'has':
      return test.is === 'present' || (test.is === 'word' && owns(trace, test.word))
    default:
      return test.is === 'present' || textFits(trace.id, test) || textFits(trace.traceId, test)
  }
}

function attributesOf({ attributes, resource, input, inputFrom }: WorldSpan): [string, unknown][] {
  const moved: [string, unknown][] = inputFrom !== null && input !== null ? [[inputFrom, input]] : []
  return [...attributes, ...resource, ...moved]
}

function owns(trace: WorldTrace, word: string): boolean {
  if (word === 'annotation') return trace.annotations.some(({ isActive, isOutside }) => isActive || isOutside)
  if (word === 'error') return trace.errorCount > 0
  if (word === 'cost') return trace.cost !== null
  return trace.spans.some(({ input, output }) => (word === 'input' ? input : output) !== null)
}

/** A whole value as it is written; a pattern without regard to case. Both see only its first 300 characters. */
function facetFits(whole: string | null, test: Test): boolean {
  const value = whole?.slice(0, 300) ?? null
  if (test.is === 'word') return value === test.word
  if (test.is !== 'text' || test.pattern.some((piece) => 'any' in piece)) return textFits(value, test)
  return value === textOf(test.pattern).slice(0, 300)
}

function textFits(value: string | null, test: Test): boolean {
  if (value === null) return false
  return test.is !== 'text' || expressionOf(test.pattern, 'whole').test(lowered(value))
}

function contains(value: string | null, test: Test): boolean {
  if (value === null) return false
  return test.is !== 'text' || expressionOf(test.pattern, 'part').test(lowered(value))
}

function valueFits(value: unknown, test: Test): boolean {
  if (value === null) return false
  if (test.is === 'present') return true
  if (typeof value === 'number') {
    return test.is === 'text' ? value === test.number : amountFits(value, test)
  }
  return test.is === 'text' && textFits(typeof value === 'string' ? value : JSON.stringify(value), test)
}

function amountFits(amount: number | bigint | null, test: Test): boolean {
  if (amount === null) return false
  if (test.is === 'number' && typeof amount === 'number') return inNumbers(amount, test.range)
  if (test.is === 'nanoseconds' && typeof amount === 'bigint') return inNanoseconds(amount, test.range)
  return test.is === 'present'
}

function inNumbers(amount: number, { from, to }: NumberRange): boolean {
  if (from && (amount < from.value || (amount === from.value && !from.isIncluded))) return false
  return !to || amount < to.value || (amount === to.value && to.isIncluded)
}

function inNanoseconds(amount: bigint, { from, until }: NanosecondRange): boolean {
  return (from === undefined || amount >= from) && (until === undefined || amount < until)
}

function expressionOf(pattern: TextPattern, extent: 'whole' | 'part'): RegExp {
  const source = pattern.map((piece) => {
    if ('text' in piece) return lowered(piece.text).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return piece.any === 'one' ? '.' : '.*'
  })
  return new RegExp(extent === 'whole' ? `^${source.join('')}$` : source.join(''), 'su')
}

function textOf(pattern: TextPattern): string {
  return pattern.map((piece) => ('text' in piece ? piece.text : '')).join('')
}

function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
