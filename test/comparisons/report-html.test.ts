import fc from 'fast-check'
import { Window } from 'happy-dom'
import { describe, expect, it } from 'vitest'
import { readStoredSnapshot, type Snapshot } from '../../src/comparisons/report/read-snapshot.ts'
import { comparisonReport, missingReport } from '../../src/comparisons/report/report-html.ts'
import { formatValue } from '../../src/comparisons/report/report-numbers.ts'
import { REPORT_POLICY, REPORT_STYLE } from '../../src/comparisons/report/report-style.ts'
import { SINGLE_LOOK } from '../../src/comparisons/verdicts/look-rule.ts'
import type { ComparedMetric } from '../../src/comparisons/verdicts/metric-verdicts.ts'
import { runs } from '../harness/stage.ts'

const ELEMENTS = new Set(
  (
    'html head meta title style body main p h1 h2 h3 span section article div figure figcaption svg line circle path rect text ' +
    'table thead tbody tr th td dl dt dd ul li pre br footer'
  ).split(' '),
)
const ATTRIBUTES =
  /^(class|charset|name|content|lang|viewbox|role|aria-(label|hidden)|[xy][12]?|c[xy]|r|d|width|height|text-anchor|tabindex)$/i

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</style><script>alert(1)</script>',
  '</title></textarea></svg><svg onload=alert(1)>',
  '<!--',
  ']]>',
  '&lt;script&gt;',
  'javascript:alert(1)',
  '\u0000<\u0000script>',
  '\u202Egnp.exe',
  '\uD800',
  '<a href="https://evil.example/x">',
  '@import url(https://evil.example/x)',
]

describe('a report', () => {
  it('has no element, attribute or URL from the text of a user', { tags: 'sized' }, () => {
    const text = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc
        .array(fc.constantFrom(...HOSTILE, '<', '>', '"', "'", '&', '-', ' '), { maxLength: 6 })
        .map((all) => all.join('')),
    )
    fc.assert(
      fc.property(fc.infiniteStream(text), fc.constantFrom('release', 'hold', 'undecided'), (texts, decision) => {
        const next = () => String(texts.next().value)
        const decided = { decision, note: next(), author: next(), decidedAt: TIME, isSuperseded: true } as const
        expectHarmless(comparisonReport(snapshotOf(next), decided))
      }),
      { numRuns: runs(60) },
    )
    expectHarmless(missingReport())
  })

  it('shows each text unchanged', () => {
    for (const hostile of HOSTILE.filter((one) => one.isWellFormed() && !one.includes('\u0000'))) {
      const page = parse(
        comparisonReport(
          snapshotOf(() => hostile),
          null,
        ),
      )
      expect(page.querySelector('main')?.textContent).toContain(hostile)
    }
  })

  it('shows every number of each metric: n, means, intervals, p raw and corrected, wins, ties and losses', () => {
    const cells =
      parse(
        comparisonReport(
          snapshotOf(() => 'grounded'),
          null,
        ),
      ).body.textContent ?? ''
    for (const number of [
      '0.88',
      '0.78',
      '−0.10',
      '−0.16',
      '187',
      'alone −0.15',
      '0.012',
      '0.003',
      '▲ 8 = 153 ▼ 26',
      '0.090',
    ])
      expect(cells).toContain(number)
  })

  it('says "equivalent" in its headline and in the row of the metric', () => {
    const snapshot = snapshotOf(() => 'any')
    const metrics = [{ ...METRIC, verdict: 'equivalent' as const }]
    const page = parse(comparisonReport({ ...snapshot, metrics, verdict: 'equivalent' }, null))
    expect(page.querySelector('h1')?.textContent).toBe('= any is equivalent to any within the margin')
    expect(Array.from(page.querySelectorAll('td'), (cell) => cell.textContent)).toContain('= equivalent')
  })

  it('names durations, costs and tokens in words, with their units', () => {
    const snapshot = snapshotOf(() => 'any')
    const metrics = ['durationMs', 'costUsd', 'totalTokens'].map((name) => ({
      ...METRIC,
      name,
      summary: `No clear difference on ${name}.`,
    }))
    const notCompared = [{ name: 'humanRating', reason: 'no item has a humanRating in both runs', evaluate: null }]
    const summary = 'B is worse than A on durationMs.'
    const shown =
      parse(comparisonReport({ ...snapshot, metrics, notCompared, summary, metric: 'durationMs' }, null)).body
        .textContent ?? ''
    for (const words of [
      'duration in ms',
      'cost in $',
      'worse than A on duration.',
      'No clear difference on duration.',
    ])
      expect(shown).toContain(words)
    expect(shown).not.toMatch(/durationMs|costUsd|totalTokens|humanRating/)
  })

  it('is readable of a stored comparison that did not name added items', () => {
    const { itemChanges, ...stored } = snapshotOf(() => 'any')
    const { added, ...older } = itemChanges
    expect(added.count).toBe(0)
    expect(readStoredSnapshot(JSON.stringify({ ...stored, itemChanges: older })).itemChanges).toEqual(itemChanges)
  })

  it('draws the margin on the plot of its metric only', () => {
    const snapshot = snapshotOf(() => 'any')
    const drawn = (metric: string | null) =>
      comparisonReport({ ...snapshot, metrics: [METRIC, { ...METRIC, name: 'b' }], metric }, null).includes(
        'class="margin"',
      )
    expect([drawn('grounded'), drawn(null)]).toEqual([true, false])
  })

  it('names its style by the hash of what is in the file', () => {
    const style = /<style>([\s\S]*)<\/style>/.exec(missingReport())?.[1]
    expect(style).toBe(REPORT_STYLE)
    expect(REPORT_STYLE).not.toMatch(/url\(|@import|https?:/)
    expect(REPORT_POLICY).not.toContain('unsafe')
  })

  it('is the same for the same data', () => {
    const snapshot = snapshotOf(() => 'same')
    expect(comparisonReport(snapshot, null)).toBe(comparisonReport(structuredClone(snapshot), null))
  })
})

describe('formatValue', () => {
  it.each([
    [0, '0'],
    [-0.1, '−0.10'],
    [4820.4, '4,820'],
    [1234567, '1,234,567'],
    [0.0041, '0.0041'],
    [12.34, '12.3'],
    [-1e-9, '−0.0000000010'],
  ])('writes %s as %s', (value, text) => expect(formatValue(value)).toBe(text))
})

function parse(page: string) {
  return new new Window().DOMParser().parseFromString(page, 'text/html')
}

function expectHarmless(page: string): void {
  for (const element of parse(page).querySelectorAll('*')) {
    const name = element.tagName.toLowerCase()
    if (!ELEMENTS.has(name)) expect.fail(`<${name}> in ${page}`)
    for (const attribute of element.attributes)
      if (!ATTRIBUTES.test(attribute.name)) expect.fail(`${attribute.name} of <${name}> in ${page}`)
  }
}

const TIME = '2026-11-17T01:42:00.000Z'

const METRIC: ComparedMetric = {
  name: 'grounded',
  kind: 'binary',
  role: 'quality',
  higherIsBetter: true,
  scale: [0, 1],
  evaluations: null,
  n: 187,
  items: 187,
  values: { baseline: 187, candidate: 190 },
  groups: null,
  designEffect: null,
  missing: 11,
  failed: 0,
  baseline: { mean: 0.88, ci: [0.82, 0.92], method: 'Wilson score interval, 95 % (Wilson 1927)' },
  candidate: { mean: 0.78, ci: [0.72, 0.83], method: 'Wilson score interval, 95 % (Wilson 1927)' },
  difference: -0.1,
  ci: [-0.16, -0.04],
  confidence: 0.9875,
  method: 'inverted mid-p McNemar test (Fagerland et al. 2013)',
  ratio: null,
  ratioCi: null,
  totalRatio: null,
  test: { method: 'mid-p McNemar test', statistic: 8, p: 0.003, pAdjusted: 0.012 },
  correction: 'corrected for 4 metrics',
  alone: { ci: [-0.15, -0.05], p: 0.003 },
  marginCi: [-0.15, -0.05],
  wins: 8,
  ties: 153,
  losses: 26,
  flips: null,
  orderFlips: null,
  verdict: 'regressed',
  notWorseThanMargin: false,
  summary: 'Prompt v7 is worse than Prompt v6 on grounded by 0.10.',
  warning: null,
  power: { detectableDifference: 0.09, casesFor: null },
  measuredAs: null,
  missingItems: { items: 198, incomplete: 11, baseline: 4, candidate: 7, failed: 0, neither: 0, summary: null },
  corrected: null,
}

/** Every text of it is the next one. */
function snapshotOf(next: () => string): Snapshot {
  const excerpt = () => ({ text: next(), isCut: true })
  const side = () => ({
    runId: next(),
    name: next(),
    traceCount: 200,
    evaluationId: null,
    metadata: { [next()]: next() },
  })
  return {
    component: next(),
    dataset: next(),
    baseline: side(),
    candidate: side(),
    pairs: 198,
    onlyBaseline: 0,
    onlyCandidate: 2,
    failed: 0,
    groupBy: next(),
    split: 'test',
    metric: METRIC.name,
    margin: 0.03,
    testSet: { openings: 3, summary: next() },
    verdict: 'regressed',
    summary: next(),
    metrics: [
      { ...METRIC, summary: next(), warning: next() },
      { ...METRIC, name: next(), role: 'reported', scale: null, ci: null, ratio: 1.4, ratioCi: [1.36, 1.47] },
    ],
    labels: [
      {
        name: next(),
        n: 3,
        missing: 0,
        failed: 0,
        same: { mean: 0.5, ci: null, method: next() },
        changes: [{ from: next(), to: next(), count: 1, items: [] }],
      },
    ],
    notCompared: [{ name: next(), reason: next(), evaluate: null }],
    itemChanges: {
      changed: { count: 1, items: [next()] },
      removed: { count: 0, items: [] },
      added: { count: 0, items: [] },
      unverified: 0,
      duplicates: 0,
      summary: next(),
    },
    looking: SINGLE_LOOK.looking,
    looks: 3,
    warnings: [next()],
    worseItems: {
      count: 1,
      isCountCut: false,
      data: [
        {
          itemId: null,
          input: excerpt(),
          expected: excerpt(),
          baselineOutput: excerpt(),
          candidateOutput: null,
          scores: [{ name: next(), repetition: 1, baseline: next(), candidate: 0, delta: -1 }],
        },
      ],
    },
    serverVersion: next(),
    comparedAt: TIME,
  }
}
