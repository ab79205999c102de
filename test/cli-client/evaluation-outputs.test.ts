import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseGate } from '../../packages/cli/src/commands/plan-evaluation.ts'
import {
  buildReport,
  type EvaluationReport,
  type ReportCase,
  type ReportMetric,
} from '../../packages/cli/src/evaluation-report/evaluation-report.ts'
import { metricCells, metricLine } from '../../packages/cli/src/evaluation-report/format-metric.ts'
import { githubAnnotations } from '../../packages/cli/src/evaluation-report/github-annotations.ts'
import { junitXml } from '../../packages/cli/src/evaluation-report/junit-xml.ts'
import { markdownComment, markdownText } from '../../packages/cli/src/evaluation-report/markdown-report.ts'
import { toCase } from '../../packages/cli/src/evaluation-report/read-cases.ts'
import { escapeLine, printableJson } from '../../packages/cli/src/output/escape-text.ts'

const HOSTILE = ']]> <b>"&\u0000\u001b[31m\n::error::x\r\ud800 | `@all` <!-- --> [x](javascript:1)'

function caseOf(state: ReportCase['state'], text: string = HOSTILE): ReportCase {
  const texts = { input: text, expected: text, baselineOutput: text, candidateOutput: text, reason: text }
  return { itemId: null, name: text, state, turnedOn: state === 'turned' ? ['correct'] : [], ...texts }
}

function reportOf(outcome: EvaluationReport['outcome'], turned: ReportCase[] = []): EvaluationReport {
  const passed = outcome === 'passed'
  return {
    outcome,
    summary: HOSTILE,
    gate: outcome === 'noGate' ? null : { metric: 'correct', margin: 0.02, passed, summary: HOSTILE },
    verdict: 'regressed',
    evaluation: { id: 'e', name: HOSTILE, componentId: 'c', url: 'http://localhost/a' },
    progress: { total: 2, done: 2, failed: 0, skipped: 0 },
    baselineRunId: 'b',
    runId: 'r',
    metrics: [],
    turned,
    warnings: [HOSTILE],
  }
}

/** Throws unless the text is well-formed: tags that close in order, and only characters that XML 1.0 allows. */
function checkWellFormed(xml: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
  expect(xml.isWellFormed()).toBe(true)
  const names: string[] = []
  const open: string[] = []
  const rest = xml.replace(
    /<\?xml [^>]*\?>|<(\/?)(\w+)((?: \w+="[^"<>]*")*)(\/?)>/g,
    (_, end, name, _attributes, empty) => {
      if (name === undefined) return ''
      if (end) expect(open.pop()).toBe(name)
      else {
        names.push(name)
        if (!empty) open.push(name)
      }
      return ''
    },
  )
  expect(open).toEqual([])
  expect(rest).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|#\d+);)/)
  return names
}

describe('JUnit XML', () => {
  it('fails only the cases that turned from pass to fail, and the gate as a case of its own', () => {
    const xml = junitXml(reportOf('worse'), [caseOf('turned'), caseOf('unchanged'), caseOf('missing')])
    const names = checkWellFormed(xml)
    expect(names.filter((name) => name === 'testcase')).toHaveLength(4)
    expect(names.filter((name) => name === 'failure')).toHaveLength(2)
    expect(names.filter((name) => name === 'skipped')).toHaveLength(1)
    expect(xml).toContain('<testsuites name="touchstone" tests="4" failures="2" errors="0" skipped="1">')
    expect(junitXml(reportOf('passed'), [caseOf('unchanged')])).not.toContain('<failure')
  })

  it('is well-formed for any contents of a dataset', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(HOSTILE, ']]>', '\ufffe', '\udc00'))
    fc.assert(
      fc.property(text, fc.constantFrom('turned' as const, 'unchanged' as const), (given, state) => {
        checkWellFormed(junitXml(reportOf('cannotDecide'), [caseOf(state, given)]))
      }),
    )
  })
})

describe('GitHub', () => {
  it('gets at most ten annotations, none of which text of a dataset can end', () => {
    const lines = githubAnnotations(
      reportOf(
        'worse',
        Array.from({ length: 30 }, () => caseOf('turned')),
      ),
    )
    expect(lines).toHaveLength(10)
    expect(lines[0]).toMatch(/^::error title=Gate shut%3A worse::/)
    for (const line of lines) expect(line).not.toMatch(/[\r\n]/)
    expect(githubAnnotations(reportOf('passed'))).toEqual([])
  })

  it('gets a comment that stored text cannot change the meaning of', () => {
    const comment = markdownComment(reportOf('worse', [caseOf('turned')]), 'Bot/Questions')
    expect(comment).toMatch(/^<!-- touchstone:[\w-]+ -->\n### /)
    expect(comment.split('<!--')).toHaveLength(2)
    expect(comment).not.toMatch(/@all|\]\(javascript|<b>/)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>[\]`|@\n\r]/.test(markdownText(text))))
  })
})

describe('the outcome of a gate', () => {
  const metric = {
    name: 'correct',
    role: 'quality',
    items: 60,
    baseline: { mean: 1 },
    candidate: { mean: 0.5 },
    flips: null,
  }
  const evaluate = (gate: { passed: boolean; summary: string }, verdict: string) => {
    const comparison = { metrics: [{ ...metric, verdict }], baseline: { runId: 'b' }, warnings: [] }
    const evaluation = { config: { gate: { metric: 'correct' } }, results: { gate, comparison }, progress: {} }
    // Only the fields that a report is built from.
    return buildReport({ evaluation: evaluation as never, url: '', turned: [] }).outcome
  }

  it('is worse only if a loss is shown; no proof in either direction is not', () => {
    expect(evaluate({ passed: true, summary: 'Passed: …' }, 'noClearDifference')).toBe('passed')
    expect(evaluate({ passed: false, summary: 'Not passed: …' }, 'regressed')).toBe('worse')
    expect(evaluate({ passed: false, summary: 'Not passed: …' }, 'noClearDifference')).toBe('cannotDecide')
    expect(evaluate({ passed: false, summary: 'Cannot decide: …' }, 'regressed')).toBe('cannotDecide')
    expect(evaluate({ passed: true, summary: 'Passed: …' }, 'equivalent')).toBe('passed')
  })

  it('names the planned look if no gate does', () => {
    const looking = { rule: 'planned', summary: 'Look 3 of 5 planned, …' }
    const results = { comparison: { metrics: [], baseline: { runId: 'b' }, looking } }
    const warningsOf = (more: object) => {
      const evaluation = { config: {}, results: { ...results, ...more }, progress: {} }
      return buildReport({ evaluation: evaluation as never, url: '', turned: [] }).warnings
    }
    expect(warningsOf({})).toEqual([looking.summary])
    expect(warningsOf({ gate: { passed: true, summary: `Passed: … ${looking.summary}` } })).toEqual([])
  })

  it('reads a margin after the last colon, and rejects what is none', () => {
    expect(parseGate('correct:0.02')).toEqual({ metric: 'correct', margin: 0.02 })
    expect(parseGate('correct')).toEqual({ metric: 'correct' })
    expect(parseGate('judge:tone:0.1')).toEqual({ metric: 'judge:tone', margin: 0.1 })
    for (const wrong of ['correct:', 'correct:x', 'correct:-1', '']) expect(() => parseGate(wrong)).toThrow(RangeError)
  })
})

describe('a metric', () => {
  const none = {
    role: 'quality',
    ci: null,
    ratio: null,
    ratioCi: null,
    correction: null,
    toFail: null,
    toPass: null,
  } as const
  const correct: ReportMetric = {
    ...none,
    name: 'correct',
    items: 60,
    baseline: 1,
    candidate: 0.98,
    difference: -0.02,
    ci: [-0.04, -0.001],
    toFail: 2,
    toPass: 1,
    verdict: 'equivalent',
  }
  const tokens: ReportMetric = {
    ...none,
    name: 'totalTokens',
    role: 'reported',
    items: 12,
    baseline: 100,
    candidate: 140,
    difference: 40,
    ratio: 1.4,
    ratioCi: [1.36, 1.47],
    verdict: 'regressed',
  }

  it('that is equivalent is called so', () => {
    expect(metricLine(correct)).toBe(
      'correct  1 → 0.98, -0.02 (95 % CI -0.04 to -0.001), 60 items, 2 turned to fail and 1 to pass: equivalent',
    )
    expect(metricCells(correct).at(-1)).toBe('equivalent')
  })

  it('that is compared by its ratio is shown as a factor, on the terminal and in Markdown', () => {
    expect(metricLine(tokens)).toBe('totalTokens  100 → 140, 1.40 × (95 % CI 1.36 to 1.47), 12 items: regressed')
    const comment = markdownComment({ ...reportOf('noGate'), metrics: [tokens] }, 'Bot/Questions')
    expect(comment).toContain('| totalTokens | 100 | 140 | 1.40 × (1.36 to 1.47) | 12 |  |  | regressed |')
    // 1.00 would contradict the verdict.
    expect(metricLine({ ...tokens, ratio: 1.02, ratioCi: [1.004, 1.04] })).toContain('1.020 × (95 % CI 1.004 to 1.040)')
  })

  it('says what its interval is corrected for', () => {
    const correction = 'corrected for 4 metrics'
    expect(metricLine({ ...correct, correction })).toContain('-0.02 (95 % CI -0.04 to -0.001, corrected for 4 metrics)')
    expect(metricCells({ ...tokens, correction })).toContain('1.40 × (1.36 to 1.47, corrected for 4 metrics)')
  })

  it('that is compared by its ratio has a factor as the margin of its gate', () => {
    const gate = { metric: 'totalTokens', margin: 1.1, passed: true, summary: '' }
    expect(junitXml({ ...reportOf('passed'), gate, metrics: [tokens] }, [])).toContain(
      'name="totalTokens is not worse by more than the margin of 1.1 ×"',
    )
  })

  it('of a server without ratios is shown by its difference', () => {
    const older = { ...correct, baseline: { mean: 1 }, candidate: { mean: 0.98 }, flips: null }
    const { ratio: _, ratioCi: __, ...stored } = older
    const comparison = { metrics: [stored], baseline: { runId: 'b' }, warnings: [] }
    const evaluation = { config: {}, results: { comparison }, progress: {} }
    // Only the fields that a report is built from.
    const { metrics } = buildReport({ evaluation: evaluation as never, url: '', turned: [] })
    expect(metrics.map(metricLine)[0]).toContain('1 → 0.98, -0.02 (95 % CI -0.04 to -0.001)')
  })
})

describe('a case', () => {
  const result = (run: 'baseline' | 'candidate', passed: boolean) => ({
    run,
    name: 'correct',
    repetition: 1,
    passed,
    reason: null,
    error: null,
  })
  const row = (results: unknown[], scores: unknown[] = []) => {
    const texts = { repetition: 1, number: 3, split: null, input: { text: 'a\nb', isCut: false }, results, ratings: [] }
    return { itemId: 'i', baselineTraceId: 'x', candidateTraceId: 'y', failed: [], scores, texts }
  }
  const metrics = [{ name: 'correct', kind: 'binary', role: 'quality', higherIsBetter: true }] as const
  // Only the fields that a case is built from.
  const stateOf = (results: unknown[], scores?: unknown[]) => toCase(row(results, scores) as never, metrics).state

  it('has turned if it passed before and fails now, by the majority of its judgments', () => {
    expect(stateOf([result('baseline', true), result('candidate', false)])).toBe('turned')
    expect(stateOf([result('baseline', false), result('candidate', false)])).toBe('unchanged')
    expect(
      stateOf([
        result('baseline', true),
        result('candidate', true),
        result('candidate', true),
        result('candidate', false),
      ]),
    ).toBe('unchanged')
    expect(stateOf([], [{ name: 'correct', repetition: 1, baseline: 1, candidate: 0, delta: -1 }])).toBe('turned')
  })

  it('has turned if it passed or has no pass mark, and its answer is an error now', () => {
    const error = { name: 'error', repetition: 1, baseline: 0, candidate: 1, delta: 1 }
    const turned = toCase(row([result('baseline', true)], [error]) as never, metrics)
    expect(turned).toMatchObject({ state: 'turned', turnedOn: ['correct'], reason: expect.stringContaining('error') })
    expect(toCase(row([], [error]) as never, metrics)).toMatchObject({ state: 'turned', turnedOn: ['error'] })
    expect(stateOf([], [{ ...error, baseline: 1, delta: 0 }])).toBe('unchanged')
  })
})

describe('text on a terminal', () => {
  it('contains no control character of what is stored, and JSON stays the same value', () => {
    expect(escapeLine('a\u001b]0;title\u0007\u009b31m\nb\u202e')).toBe('a\\u001b]0;title\\u0007\\u009b31m\\nb\\u202e')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
        expect(escapeLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
        expect(JSON.parse(printableJson({ text }))).toEqual({ text })
      }),
    )
  })
})
