/** The alignment of the spans of two traces. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { alignSteps, defaultStep, type Step } from '../../web/src/pages/compare-traces/align-steps.ts'
import { matchSequences } from '../../web/src/pages/compare-traces/match-sequences.ts'
import { buildOutline, type OutlineSpan, type SpanKind, visibleSpans } from '../../web/src/pages/trace/outline-model.ts'
import { runs } from '../harness/stage.ts'

interface Node {
  label: string
  failed?: boolean
  children?: Node[]
}

/** The label of a node is its kind and its name. */
function traceOf(...roots: Node[]) {
  const nodes: Listed[] = []
  const add = ({ label, failed = false, children = [] }: Node, parent: number | null) => {
    const position = nodes.push({ label, failed, parent }) - 1
    for (const child of children) add(child, position)
  }
  for (const root of roots) add(root, null)
  return outlineOf(nodes)
}

interface Listed {
  label: string
  failed?: boolean
  /** Its position in the list. */
  parent: number | null
}

function outlineOf(nodes: Listed[]) {
  return buildOutline({
    startTime: '2026-11-15T09:30:00.000Z',
    total: nodes.length,
    labels: nodes.map(({ label }) => readLabel(label)),
    spanIds: nodes.map((_, index) => `s${index}`),
    parents: nodes.map(({ parent }) => parent),
    labelOf: nodes.map((_, index) => index),
    startGapsMs: nodes.map(() => 1),
    durationsMs: nodes.map(() => 1),
    errors: nodes.flatMap(({ failed }, index) => (failed ? index : [])),
    totalTokens: nodes.map(() => null),
    costsUsd: nodes.map(() => null),
  })
}

function readLabel(label: string): { kind: SpanKind; name: string } {
  const [kind = '', ...name] = label.split(' ')
  const kinds: SpanKind[] = ['agent', 'chain', 'llm', 'tool', 'span']
  return { kind: kinds.find((known) => known === kind) ?? 'span', name: name.join(' ') }
}

const node = (label: string, ...children: Node[]): Node => ({ label, children })
const many = (count: number, label: (index: number) => string) =>
  node('agent turn', ...Array.from({ length: count }, (_, index) => node(label(index))))

const textOf = ({ left, right }: Step) => `${left?.name ?? '–'} | ${right?.name ?? '–'}`
const inOrder = (roots: readonly OutlineSpan[]) => visibleSpans(roots, new Set())

describe('the steps of two traces', () => {
  it('have calls of the same kind and name next to each other, and a call that only one trace has by itself', () => {
    const before = traceOf(node('agent turn', node('llm plan'), node('tool search'), node('llm answer')))
    const after = traceOf(node('agent turn', node('llm plan'), node('tool lookup'), node('llm answer')))
    expect(alignSteps(before, after).map(textOf)).toEqual([
      'turn | turn',
      'plan | plan',
      'search | –',
      '– | lookup',
      'answer | answer',
    ])
  })

  it('align a model call with the call of another model, whose name has the model', () => {
    const before = traceOf(node('chain run', node('llm chat gpt-4o', node('span POST')), node('tool search')))
    const after = traceOf(node('chain start', node('llm chat gpt-5', node('span POST')), node('tool search')))
    expect(alignSteps(before, after).map(textOf)).toEqual([
      'run | start',
      'chat gpt-4o | chat gpt-5',
      'POST | POST',
      'search | search',
    ])
  })

  it('align the same calls also if a version has wrapped them in one span more', () => {
    const before = traceOf(node('agent turn', node('tool search'), node('llm answer')))
    const after = traceOf(node('agent turn', node('chain graph', node('tool search'), node('llm answer'))))
    expect(alignSteps(before, after).map(textOf)).toEqual([
      'turn | turn',
      '– | graph',
      'search | search',
      'answer | answer',
    ])
  })

  it('keep the children of a repeated call with their own call', () => {
    const attempt = (...names: string[]) => node('agent attempt', ...names.map((name) => node(`tool ${name}`)))
    const before = traceOf(node('agent turn', attempt('read', 'write'), attempt('read', 'check')))
    const after = traceOf(node('agent turn', attempt('read', 'write')))
    expect(alignSteps(before, after).map(textOf)).toEqual([
      'turn | turn',
      'attempt | attempt',
      'read | read',
      'write | write',
      'attempt | –',
      'read | –',
      'check | –',
    ])
  })

  it('begin at the cause of a failure that only one trace has', () => {
    const good = node('agent turn', node('tool pay', node('span POST')), node('llm answer'))
    const bad = node(
      'agent turn',
      { ...node('tool pay', { label: 'span POST', failed: true }), failed: true },
      node('llm answer'),
    )
    const failedOf = (one: Node, other: Node) => defaultStep(alignSteps(traceOf(one), traceOf(other)))?.left?.name
    expect(failedOf(good, { ...bad, failed: true })).toBe('POST')
    expect(failedOf(bad, bad)).toBe('turn')
  })

  const label = fc.constantFrom('llm a', 'llm b', 'tool a', 'tool b', 'span a', 'chain a')
  /** Each span has one of those before it as its parent, or none. */
  const nodes = fc
    .array(fc.tuple(label, fc.nat(20)), { maxLength: 20 })
    .map((list) => list.map(([one, seed], index) => ({ label: one, parent: seed < index ? seed : null })))
  const trace = nodes.map(outlineOf)

  it('are all spans of both traces exactly once, in the order of both', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(trace, trace, (left, right) => {
        const steps = alignSteps(left, right)
        expect(steps.flatMap((step) => step.left ?? [])).toEqual(inOrder(left.roots))
        expect(steps.flatMap((step) => step.right ?? [])).toEqual(inOrder(right.roots))
        for (const step of steps) expect(step.left ?? step.right).toBeDefined()
      }),
      { numRuns: runs(100) },
    )
  })

  it('pair spans of the same kind only, by name unless they call models or are whole traces', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(trace, trace, (left, right) => {
        for (const step of alignSteps(left, right)) {
          if (!step.left || !step.right) continue
          expect(step.left.kind).toBe(step.right.kind)
          if (step.left.kind !== 'llm' && step.left.parent) expect(step.left.name).toBe(step.right.name)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  it('are all in both traces if the traces are alike', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(nodes, (list) => {
        for (const { left, right } of alignSteps(outlineOf(list), outlineOf(list)))
          expect(left?.spanId).toBe(right?.spanId)
      }),
      { numRuns: runs(100) },
    )
  })

  it('are as many pairs as possible', { tags: 'sized' }, () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 })
    const longest = ([a, ...left]: string[], [b, ...right]: string[]): number => {
      if (a === undefined || b === undefined) return 0
      if (a === b) return 1 + longest(left, right)
      return Math.max(longest([a, ...left], right), longest(left, [b, ...right]))
    }
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        expect(matchSequences(left, right)).toHaveLength(longest(left, right))
      }),
      { numRuns: runs(100) },
    )
  })

  it('of 10,000 spans each need work that grows with their number, not with its square', () => {
    const cells = countCells()
    const left = traceOf(many(10_000, (index) => `tool ${(index * 7919) % 13}`))
    const right = traceOf(many(10_000, (index) => `tool ${(index * 104_729) % 11}`))
    const steps = alignSteps(left, right)
    expect(steps.flatMap((step) => step.left ?? [])).toHaveLength(10_001)
    expect(steps.flatMap((step) => step.right ?? [])).toHaveLength(10_001)
    expect(cells()).toBeLessThan(20_000_000)
    // What both have is found, although a part of the one is missing in the other.
    const shifted = alignSteps(
      traceOf(many(10_000, (index) => `tool ${index}`)),
      traceOf(many(9_900, (index) => `tool ${index < 5000 ? index : index + 100}`)),
    )
    expect(shifted.filter((step) => step.left && step.right)).toHaveLength(9_901)
  })

  it('of a trace that is 10,000 spans deep are found, too', () => {
    const outline = outlineOf(
      Array.from({ length: 10_000 }, (_, index) => ({ label: 'chain step', parent: index === 0 ? null : index - 1 })),
    )
    expect(alignSteps(outline, outline).every(({ left, right }) => left === right)).toBe(true)
  })
})

/** Counts the comparisons of entries by the size of the tables for them. */
function countCells(): () => number {
  let count = 0
  class CountedArray extends Uint16Array {
    constructor(length: number) {
      super(length)
      count += length
    }
  }
  vi.stubGlobal('Uint16Array', CountedArray)
  return () => count
}
