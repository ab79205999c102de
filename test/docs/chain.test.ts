/**
 * The comparison of the tutorial and of the README, run word for word: two runs, three annotators, a rule and a model as judges, agreement,
 * the corrected rate, the comparison and the gate. Every number is checked against one that was worked out by hand from the counts below,
 * with the formula of the paper; where a paper has printed the same counts, against what it printed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, ENGINES, type Engine } from '../harness/each-engine.ts'
import { type AskedRequest, type ModelServer, startModelServer } from '../harness/model-server.ts'
import { paste, SHELLS, type Shell } from '../harness/shell.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { blocksOf, filledIn, sectionOf, textBetween } from './documents.ts'

const guide = readFileSync(new URL('../../docs/guide/evaluations.md', import.meta.url), 'utf8')

/** What is shown of the responses, after the commands. */
const shown = textBetween('tutorial', '### Results')
const shownInReadme = sectionOf('readme', 'comparison')

/**
 * The judge of this test, in place of a model: the questions whose answers it finds helpful. Chosen for round numbers; see the tables at
 * the tests. Of the first version 15 of 50 pass, of the second 27.
 */
const HELPFUL: Record<string, (question: number) => boolean> = {
  v1: (n) => n <= 11 || [22, 23, 31, 32].includes(n),
  v2: (n) => n <= 21 || [25, 26, 27, 40, 41, 42].includes(n),
}

function judge({ user }: AskedRequest): Record<string, unknown> {
  const { input = '', output = '' }: { input?: string; output?: string } = JSON.parse(user)
  const question = Number(/What is (\d+) times/.exec(input)?.[1])
  const version = /^(\d+|I do not know\.)$/.test(output) ? 'v1' : 'v2'
  return { reason: 'Because it says so.', score: HELPFUL[version]?.(question) ? 5 : 2 }
}

type Interval = [number, number]
type Rate = { value: number; ci: Interval; n: number }
type Metric = {
  name: string
  n: number
  missing: number
  failed: number
  mean: number
  ci: Interval
  passed: { n: number; mean: number; ci: Interval }
  corrected: {
    rate: number
    ci: Interval
    labels: number
    sensitivity: Rate
    specificity: Rate
    ppv: Rate
    npv: Rate
  } | null
}
type Compared = {
  name: string
  n: number
  baseline: { mean: number; ci: Interval }
  candidate: { mean: number; ci: Interval }
  difference: number
  ci: Interval
  test: { method: string; statistic: number; p: number; pAdjusted: number } | null
  wins: number
  ties: number
  losses: number
  verdict: string
  notWorseThanMargin: boolean
  summary: string
}
type Comparison = {
  verdict: string
  summary: string
  pairs: number
  onlyBaseline: number
  onlyCandidate: number
  metrics: Compared[]
}
type Evaluation = {
  status: string
  progress: { total: number; done: number; failed: number; skipped: number }
  results: {
    metrics: Metric[]
    comparison: Comparison
    gate: { passed: boolean; summary: string }
    cost: { calls: number }
  }
}
type Agreement = {
  raters: { userId: string; count: number }[]
  pairs: { a: string; b: string; shared: number; kappa: number; ci: Interval }[]
  alpha: { value: number; ci: Interval; units: number }
  judges: { evaluator: string; shared: number; kappa: number; kappaCi: Interval; agreement: number }[]
}
type Answers = {
  imported: { imported: number }
  agreement: Agreement
  evaluation: Evaluation
  comparison: Comparison
  /** By the command of the README. */
  comparisonOfReadme: Comparison
  /** Read again, now that there are judges. */
  judged: Agreement
  people: string[]
}

/** Every engine and every shell; not each with each, because the chain takes ten seconds. The first is what most readers have. */
for (const engine of ENGINES) describeChain(engine, 'bash', engine === 'sqlite' ? [] : ['deep'])
for (const shell of SHELLS) if (shell !== 'bash') describeChain('sqlite', shell, ['deep'])

function describeChain(engine: Engine, shell: Shell, tags: 'deep'[]): void {
  describe(`the comparison of the tutorial (${engine}, ${shell})`, { tags }, () => testChain(engine, shell))
}

function testChain(engine: Engine, shell: Shell): void {
  let folder: string
  let app: TestApp
  let models: ModelServer
  let answers: Answers

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-chain-'))
    models = await startModelServer({ answer: judge })
    const environment = { OPENAI_BASE_URL: models.baseUrl, TOUCHSTONE_DEFAULT_MODEL: 'judge-1' }
    app = await startTestApp((await createTestDatabase(engine)).url, { environment })
    answers = await pasteAll(shell, app, folder)
  })
  afterAll(async () => {
    await app.close()
    await models.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const metric = (name: string) => byName(answers.evaluation.results.metrics, name)
  const compared = (name: string) => byName(answers.evaluation.results.comparison.metrics, name)
  const pairOf = (a: number, b: number) => {
    const wanted = [answers.people[a], answers.people[b]].sort().join()
    return answers.agreement.pairs.find((pair) => [pair.a, pair.b].sort().join() === wanted)
  }

  it('ends with a score for every case and question, and calls the model once for each answer', () => {
    const { status, progress, results } = answers.evaluation
    expect(answers.imported.imported).toBe(50)
    expect({ status, progress }).toEqual({
      status: 'completed',
      progress: { total: 100, done: 100, failed: 0, skipped: 0 },
    })
    expect(results.cost.calls).toBe(50)
    expect(models.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(100)
  })

  it('gives rates with the interval of Wilson', () => {
    // 30 of 50. With z = 1.959964: (0.6 + z²/100 ± z √(0.24/50 + z²/10,000)) / (1 + z²/50), as R's prop.test(30, 50, correct = FALSE).
    expect(metric('correct')).toMatchObject({ n: 50, missing: 0, failed: 0, mean: 0.6 })
    expectEnds(metric('correct').ci, [0.461814, 0.723916])
    // 27 of 50, likewise.
    expect(metric('helpful').passed).toMatchObject({ n: 50, mean: 0.54 })
    expectEnds(metric('helpful').passed.ci, [0.403989, 0.670303])
    // (27 × 5 + 23 × 2) / 50; the interval is drawn at random around it, about ± z · 1.5 / √50 = 0.42.
    expect(metric('helpful').mean).toBeCloseTo(3.62, 12)
    expect(Math.abs(metric('helpful').ci[0] - 3.2)).toBeLessThan(0.1)
    expect(Math.abs(metric('helpful').ci[1] - 4.04)).toBeLessThan(0.1)
  })

  it('gives the κ of every two people, with an interval', () => {
    // 22 2 / 4 11: observed 33/39, by chance (24·26 + 15·13)/39² = 21/39, so κ = (33 − 21)/(39 − 21) = 2/3 (Cohen 1960).
    const adaAndBen = pairOf(0, 1)
    expect(adaAndBen?.shared).toBe(39)
    expect(adaAndBen?.kappa).toBeCloseTo(2 / 3, 12)
    // A Dirichlet posterior of the four cells, computed separately with 60,000 draws, has 0.383 to 0.853.
    expect(Math.abs((adaAndBen?.ci[0] ?? NaN) - 0.383)).toBeLessThan(0.025)
    expect(Math.abs((adaAndBen?.ci[1] ?? NaN) - 0.853)).toBeLessThan(0.025)
    // 9 1 / 1 9: (18/20 − 1/2) / (1/2). 7 5 / 3 5: (12/20 − 1/2) / (1/2).
    expect(pairOf(0, 2)).toMatchObject({ shared: 20, kappa: expect.closeTo(0.8, 12) })
    expect(pairOf(1, 2)).toMatchObject({ shared: 20, kappa: expect.closeTo(0.2, 12) })
  })

  it('gives Krippendorff’s α of all three raters, although none of them rated all items', () => {
    // Pairs within traces, each weighted 1/(ratings − 1): ++ 28 + 21 + 3 = 52, −− 10 + 15 + 5 = 30, +− 8 in each order; so 98 ratings,
    // 60 positive and 38 negative. α = 1 − (98 − 1) · 8 / (60 · 38) = 188/285 (Krippendorff 2011, binary data).
    expect(answers.agreement.raters.map(({ count }) => count)).toEqual([39, 39, 31])
    expect(answers.agreement.alpha.units).toBe(39)
    expect(answers.agreement.alpha.value).toBeCloseTo(188 / 285, 12)
    const [low, high] = answers.agreement.alpha.ci
    expect(low).toBeGreaterThan(0.3)
    expect(high).toBeLessThan(0.95)
  })

  it('reports how far each judge agrees with the majority rating', () => {
    // Most people find 24 of 50 good. The model: 21 6 / 3 20, κ = (41·50 − (27·24 + 23·26)) / (50² − (27·24 + 23·26)) = 804/1254.
    const model = byEvaluator(answers.judged, 'helpful')
    expect(model).toMatchObject({
      shared: 50,
      agreement: expect.closeTo(41 / 50, 12),
      kappa: expect.closeTo(804 / 1254, 12),
    })
    expect(model?.kappaCi[0]).toBeGreaterThan(0.35)
    expect(model?.kappaCi[1]).toBeLessThan(0.85)
    // The rule: 24 6 / 0 20, κ = (44·50 − (30·24 + 20·26)) / (50² − (30·24 + 20·26)) = 960/1260.
    expect(byEvaluator(answers.judged, 'correct')).toMatchObject({ shared: 50, kappa: expect.closeTo(960 / 1260, 12) })
  })

  it('corrects the rate of each judge by how often it errs: all answers are rated, so that it is the share itself', () => {
    const { corrected } = metric('helpful')
    expect(corrected?.labels).toBe(50)
    // Of 27 answers that pass 21 are good, of 23 that fail 20 are bad.
    expect(corrected?.ppv).toMatchObject({ value: expect.closeTo(21 / 27, 12), n: 27 })
    expect(corrected?.npv).toMatchObject({ value: expect.closeTo(20 / 23, 12), n: 23 })
    expect(corrected?.rate).toBeCloseTo(24 / 50, 12)
    expect(corrected?.sensitivity.value).toBeCloseTo(21 / 24, 12)
    expect(corrected?.specificity.value).toBeCloseTo(20 / 26, 12)
    // The score interval of 24 in 50, by the closed formula of Wilson (1927).
    expectEnds(corrected?.ci, [0.347971, 0.614883])
    expect(metric('correct').corrected?.rate).toBeCloseTo(24 / 50, 12)
  })

  it('gives the difference of the runs with the mid-p McNemar test and the interval that inverts it', () => {
    // 18 pass in both, 12 in the second only, 2 in the first only, 18 in none.
    const correct = compared('correct')
    expect(correct).toMatchObject({ n: 50, wins: 12, losses: 2, ties: 36, difference: expect.closeTo(0.2, 12) })
    expectEnds(correct.baseline.ci, [0.276084, 0.538186])
    expectEnds(correct.candidate.ci, [0.461814, 0.723916])
    // 2 · (1 + 14 + 91 / 2) / 2¹⁴.
    expect(correct.test).toMatchObject({ method: 'mid-p McNemar test', p: expect.closeTo(121 / 16_384, 10) })
  })

  it('corrects p and interval of every metric for the others that were tested', () => {
    // 16 items gain 3, 4 lose 3.
    const [correct, helpful] = [compared('correct'), compared('helpful')]
    expect(helpful).toMatchObject({ n: 50, wins: 16, losses: 4, ties: 30, difference: expect.closeTo(0.72, 12) })
    // Holm: two were tested. No trace failed, so that nothing about it could have been shown, and what is merely reported is not
    // corrected for.
    const smaller = Math.min(correct.test?.p ?? NaN, helpful.test?.p ?? NaN)
    for (const { test } of [correct, helpful]) expect(test?.pAdjusted).toBeCloseTo(2 * smaller, 10)
    expect(compared('error').test?.pAdjusted).toBe(1)
  })

  it('passes the gate with a summary that gives the reason, and the comparison returns the same verdict', () => {
    const { comparison, gate } = answers.evaluation.results
    expect(comparison).toMatchObject({ verdict: 'improved', pairs: 50, onlyBaseline: 0, onlyCandidate: 0 })
    expect(compared('correct')).toMatchObject({ verdict: 'improved', notWorseThanMargin: true })
    expect(gate.passed).toBe(true)
    expect(gate.summary).toMatch(/^Passed: /)
    expect(gate.summary).toContain(
      'v2 is better than v1 on correct by 0.20 (95 % CI 0.03 to 0.36, corrected for 2 metrics, 50 items).',
    )
    expect(answers.comparison.verdict).toBe('improved')
    expect(byName(answers.comparison.metrics, 'correct').ci).toEqual(compared('correct').ci)
    expect(byName(answers.comparison.metrics, 'helpful').ci).toEqual(compared('helpful').ci)
  })

  it('has no field in its results that the guide does not explain', () => {
    const { metrics, cost } = answers.evaluation.results
    const fields = [answers.evaluation.results, ...metrics, ...metrics.map(({ corrected }) => corrected ?? {}), cost]
    const names = new Set(fields.flatMap((one) => Object.keys(one)))
    expect(names.size).toBeGreaterThan(25)
    expect([...names].filter((name) => !guide.includes(`\`${name}\``) && !guide.includes(`"${name}":`))).toEqual([])
  })

  it('returns the gate to a pipeline as in the guide', () => {
    const pattern = /grep -q '([^']+)'/.exec(guide)?.[1] ?? 'a pattern'
    expect(JSON.stringify(answers.evaluation)).toContain(pattern)
  })

  it('is shown in the tutorial with its own numbers', () => {
    const [correct, helpful] = [metric('correct'), metric('helpful')]
    const rounded = (ends: Interval) => `[${ends.map((end) => end.toFixed(3)).join(', ')}]`
    expect(shown).toContain(`"name": "correct", "n": 50, "mean": ${correct.mean}, "ci": ${rounded(correct.ci)}`)
    expect(shown).toContain(`"mean": ${helpful.mean}, "passed": {"mean": 0.54, "ci": ${rounded(helpful.passed.ci)}`)
    expect(shown).toContain(`"rate": ${helpful.corrected?.rate.toFixed(3)},`)
    expect(shown).toContain(`"difference": ${compared('correct').difference}, "ci": ${rounded(compared('correct').ci)}`)
    const { p = 0, pAdjusted = 0 } = compared('correct').test ?? {}
    expect(shown).toContain(`"p": ${p.toFixed(4)}, "pAdjusted": ${pAdjusted.toFixed(4)}`)
    const [, message] = /"summary": "Passed: … (.*) …"/.exec(shown) ?? []
    expect(answers.evaluation.results.gate.summary).toContain(message ?? 'a message that is shown')
    const [low = 0, high = 0] = pairOf(0, 1)?.ci ?? []
    expect(sectionOf('tutorial', 'chain')).toContain(
      `κ ${pairOf(0, 1)?.kappa.toFixed(2)}, ${low.toFixed(2)} to ${high.toFixed(2)}`,
    )
  })

  it('is read with the command of the README, which shows its own verdict', () => {
    const { verdict, summary, pairs } = answers.comparisonOfReadme
    expect(answers.comparisonOfReadme).toEqual(answers.comparison)
    const [, beginning = 'a summary'] = /"summary": "(.*) …"/.exec(shownInReadme) ?? []
    expect(summary.startsWith(beginning)).toBe(true)
    expect(shownInReadme).toContain(`{"pairs": ${pairs}, "verdict": "${verdict}", "summary": "${beginning} …"`)
  })
}

/** As three people paste it: each with a key of their own. */
async function pasteAll(shell: Shell, app: TestApp, folder: string): Promise<Answers> {
  const { workspaceId, owner, key } = await app.newWorkspace()
  const others = [
    await app.newPerson([{ workspaceId, role: 'annotator' }]),
    await app.newPerson([{ workspaceId, role: 'annotator' }]),
  ]
  const keys = [key]
  for (const person of others) {
    const { body } = await app.asPerson(person, workspaceId).post('/api-keys', { name: 'Rating' })
    keys.push(String(body.key))
  }
  // Ada uses the key of the server's first start.
  const commands = [
    ...blocksOf('tutorial', 'setup'),
    ...blocksOf('tutorial', 'chain'),
    ...blocksOf('readme', 'comparison'),
  ]
  const blocks = filledIn(commands, app.url, keys)
  const { output, errors } = await paste(shell, blocks, { folder })
  expect(errors).toBe('')
  const [imported, agreement, evaluation, comparison, comparisonOfReadme] = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const componentId = evaluation.aiComponentId
  const { body: judged } = await app.withKey(key).get(`/components/${componentId}/runs/${evaluation.runId}/agreement`)
  const people = [owner, ...others].map(({ userId }) => userId)
  return { imported, agreement, evaluation, comparison, comparisonOfReadme, judged: agreementIn(judged), people }
}

function agreementIn(body: Record<string, unknown>): Agreement {
  return JSON.parse(JSON.stringify(body))
}

function byName<Named extends { name: string }>(metrics: readonly Named[], name: string): Named {
  const found = metrics.find((one) => one.name === name)
  if (!found) throw new Error(`there is no metric ${name}`)
  return found
}

function byEvaluator({ judges }: Agreement, evaluator: string) {
  return judges.find((one) => one.evaluator === evaluator)
}

/** To five digits behind the point, as far as they were worked out. */
function expectEnds(ends: Interval | undefined, wanted: Interval): void {
  expect(ends?.[0]).toBeCloseTo(wanted[0], 5)
  expect(ends?.[1]).toBeCloseTo(wanted[1], 5)
}
