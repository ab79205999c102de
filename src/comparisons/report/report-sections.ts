import type { ComparedMetric } from '../verdicts/metric-verdicts.ts'
import type { Verdict } from '../verdicts/verdict.ts'
import { type Html, html } from './html-text.ts'
import type { Excerpt, Snapshot, WorseItem } from './read-snapshot.ts'
import { formatCount, formatP, formatValue } from './report-numbers.ts'
import { differenceGlyph, differencePlot, meansPlot, reachOf } from './report-plots.ts'

export type RunNames = { baseline: string; candidate: string }

function verdictWords(verdict: Verdict): Html {
  switch (verdict) {
    case 'improved':
      return html`<span class="good">▲ better</span>`
    case 'regressed':
      return html`<span class="bad">▼ worse</span>`
    case 'equivalent':
      return html`= equivalent`
    case 'noClearDifference':
      return html`≈ no clear difference`
    case 'tooFewCases':
      return html`too few cases`
  }
}

/** The metric that the report is about if it names one, else the first that got worse, else the first. */
export function headlineMetric({ metrics, metric }: Snapshot): ComparedMetric | undefined {
  return metrics.find(({ name }) => name === metric) ?? sortedByVerdict(metrics)[0]
}

export function headlinePlots(metric: ComparedMetric, names: RunNames, margin: number | null): Html {
  const { name, items, summary, higherIsBetter, ratio } = metric
  const what = ratio === null ? 'candidate − baseline; solid: no difference' : 'candidate / baseline; solid: no change'
  const marginText = margin === null ? '' : `; dashed: the margin of ${margin}, shaded: worse by more than it`
  return html`<section class="card"><div class="plots"><figure><figcaption><h3>${name}</h3><span class="meta">mean with its 95 % interval, ${formatCount(items)} items in both runs; ${higherIsBetter ? 'more is better' : 'less is better'}</span></figcaption>${meansPlot(metric, names)}</figure><figure><figcaption><h3>Difference, item by item</h3><span class="meta">${what}${marginText}</span></figcaption>${differencePlot(metric, margin)}</figure></div><p>${summary}</p></section>`
}

const ORDER: readonly Verdict[] = ['regressed', 'improved', 'equivalent', 'noClearDifference', 'tooFewCases']

/** What counts for the verdict first, and of that what got worse first. */
function sortedByVerdict(metrics: readonly ComparedMetric[]): ComparedMetric[] {
  const rank = ({ role, verdict }: ComparedMetric) => (role === 'quality' ? 0 : 10) + ORDER.indexOf(verdict)
  return metrics.toSorted((a, b) => rank(a) - rank(b))
}

export function metricTable(metrics: readonly ComparedMetric[]): Html {
  const reach = reachOf(metrics)
  const row = (metric: ComparedMetric) => {
    const { name, role, kind, verdict, baseline, candidate, items, wins, ties, losses } = metric
    const about = role === 'reported' ? 'reported, not part of the verdict' : kind === 'binary' ? 'yes or no' : 'score'
    return html`<tr><td>${name}<br><span class="meta">${about}</span></td><td>${verdictWords(verdict)}</td><td class="number">${meanText(baseline.mean)} → ${meanText(candidate.mean)}</td><td class="number">${changeText(metric)}</td><td>${differenceGlyph(metric, reach)}</td><td class="number">${formatCount(items)}</td><td class="number">▲ ${formatCount(wins)} = ${formatCount(ties)} ▼ ${formatCount(losses)}</td></tr>`
  }
  return html`<div class="scroll" role="region" aria-label="Every metric" tabindex="0"><table><thead><tr><th>Metric</th><th>Verdict</th><th class="number">Mean before → after</th><th class="number">Difference, 95 % CI</th><th>← worse · better →</th><th class="number">n</th><th class="number">better, same, worse</th></tr></thead><tbody>${sortedByVerdict(metrics).map(row)}</tbody></table></div>`
}

/** `+0.06` or `1.40 ×`, with the interval that decides, and what it would be alone. */
function changeText({ difference, ci, ratio, ratioCi, alone, correction }: ComparedMetric): Html {
  const change =
    ratio !== null ? `${formatValue(ratio)} ×` : difference === null ? '–' : formatValue(difference, 'signed')
  const aloneText = alone === null ? '' : `; alone ${intervalText(alone.ci)}`
  return html`${change}<br><span class="meta">${intervalText(ratioCi ?? ci)}${correction === null ? '' : `, ${correction}`}${aloneText}</span>`
}

/** The numbers behind the table: how each was computed, tested and corrected, and what is missing. */
export function evidenceTable(metrics: readonly ComparedMetric[]): Html {
  const row = (metric: ComparedMetric) => {
    const {
      name,
      items,
      values,
      groups,
      missing,
      failed,
      missingItems,
      method,
      test,
      baseline,
      candidate,
      power,
      warning,
    } = metric
    const groupText = groups === null ? '' : ` in ${formatCount(groups)} groups`
    return html`<tr><td>${name}${warning === null ? null : html`<br><span class="meta">${warning}</span>`}</td><td>${formatCount(items)} items${groupText}, ${formatCount(values.baseline)} and ${formatCount(values.candidate)} values<br><span class="meta">${formatCount(missing)} missing, ${formatCount(failed)} failed${missingItems.summary === null ? '' : `; ${missingItems.summary}`}</span></td><td>${method}<br><span class="meta">baseline ${meanText(baseline.mean)} (${intervalText(baseline.ci)}), candidate ${meanText(candidate.mean)} (${intervalText(candidate.ci)}): ${candidate.method}</span></td><td>${test === null ? 'no test' : test.method}</td><td class="number">${test === null ? '–' : formatP(test.p)}</td><td class="number">${test === null ? '–' : formatP(test.pAdjusted)}</td><td class="number">${power.detectableDifference === null ? '–' : formatValue(power.detectableDifference)}</td></tr>`
  }
  return html`<div class="scroll" role="region" aria-label="Evidence" tabindex="0"><table class="wide"><thead><tr><th>Metric</th><th>Data</th><th>Interval</th><th>Test</th><th class="number">p</th><th class="number">p corrected</th><th class="number">detectable in 80 of 100</th></tr></thead><tbody>${sortedByVerdict(metrics).map(row)}</tbody></table></div>`
}

/** Which fields of the metadata and which prompts differ; what is equal is named last. */
export function changesTable({ baseline, candidate }: Snapshot): Html {
  const fields = [...new Set([...Object.keys(baseline.metadata), ...Object.keys(candidate.metadata)])].sort()
  const prompts = { before: promptsText(baseline.prompts), after: promptsText(candidate.prompts) }
  const hasPrompts = prompts.before !== NOTHING || prompts.after !== NOTHING
  if (fields.length === 0 && !hasPrompts)
    return html`<p class="faint">Neither run has metadata such as model, prompt or commit.</p>`
  const shown = (value: unknown) => (value === undefined ? NOTHING : String(value))
  const ofMetadata = fields.map((field) => ({
    field,
    before: shown(baseline.metadata[field]),
    after: shown(candidate.metadata[field]),
  }))
  const rows = hasPrompts ? [{ field: 'prompts of the traces', ...prompts }, ...ofMetadata] : ofMetadata
  const isSame = ({ before, after }: { before: string; after: string }) => before === after
  return html`<table><thead><tr><th>Field</th><th>Baseline</th><th>Candidate</th></tr></thead><tbody>${rows
    .toSorted((a, b) => Number(isSame(a)) - Number(isSame(b)))
    .map(
      (row) => html`<tr><td>${row.field}</td><td>${row.before}</td><td>${isSame(row) ? 'same' : row.after}</td></tr>`,
    )}</tbody></table>`
}

const NOTHING = '–'

function promptsText(prompts: Snapshot['baseline']['prompts'] = []): string {
  return prompts.map(({ name, traces }) => `${name} (${formatCount(traces)})`).join(', ') || NOTHING
}

export function worseItemCard(item: WorseItem, names: RunNames): Html {
  const { input, expected, baselineOutput, candidateOutput, scores } = item
  const changed = scores.filter(({ delta }) => delta !== null && delta !== 0)
  const shown = (value: number | string | null) => (typeof value === 'number' ? formatValue(value) : (value ?? '–'))
  return html`<article class="card"><h3>Input</h3>${excerpt(input)}${expected && html`<h3>Expected</h3>${excerpt(expected)}`}<p class="meta">${changed.map(({ name, baseline, candidate }, place) => html`${place === 0 ? '' : ' · '}${name} ${shown(baseline)} → ${shown(candidate)}`)}</p><div class="sides"><div><h3>${names.baseline}</h3>${excerpt(baselineOutput)}</div><div><h3>${names.candidate}</h3>${excerpt(candidateOutput)}</div></div></article>`
}

function excerpt(one: Excerpt | null): Html {
  if (one === null) return html`<p class="faint">No text</p>`
  return html`<pre>${one.text}${one.isCut ? '… (cut)' : ''}</pre>`
}

function meanText(mean: number | null): string {
  return mean === null ? '–' : formatValue(mean)
}

function intervalText(ci: readonly [number, number] | null): string {
  return ci === null ? 'no interval' : `${formatValue(ci[0])} to ${formatValue(ci[1])}`
}
