/**
 * A comparison as one HTML file: no script, no request, every text escaped. It is a pure function of a snapshot, so that a
 * decision shows the same numbers as long as it exists.
 */
import type { Verdict } from '../verdicts/verdict.ts'
import { type Html, html } from './html-text.ts'
import type { Snapshot } from './read-snapshot.ts'
import { methodsOf } from './report-methods.ts'
import { formatCount, formatTime } from './report-numbers.ts'
import {
  changesTable,
  evidenceTable,
  headlineMetric,
  headlinePlots,
  metricTable,
  type RunNames,
  worseItemCard,
} from './report-sections.ts'
import { REPORT_STYLE } from './report-style.ts'
import { inWords } from './report-words.ts'

export type ReportedDecision = {
  decision: 'release' | 'hold' | 'undecided'
  note: string
  author: string
  decidedAt: string
  isSuperseded: boolean
}

export function comparisonReport(stored: Snapshot, decision: ReportedDecision | null): string {
  const snapshot = inWords(stored)
  const names: RunNames = {
    baseline: snapshot.baseline.name ?? 'The baseline run',
    candidate: snapshot.candidate.name ?? 'The candidate run',
  }
  const { component, dataset, summary, metrics, labels, notCompared, worseItems, warnings, testSet } = snapshot
  const headline = headlineMetric(snapshot)
  const notices = [...(testSet ? [testSet.summary] : []), ...warnings]
  const title = `${names.candidate} against ${names.baseline}`
  const body = html`<main>
<p class="meta">${component} · ${dataset} · comparison of two runs</p>
<h1>${verdictLine(snapshot.verdict, names)}</h1>
<p class="lead">${summary}</p>
${decision && decisionCard(decision, names)}
${headline && headlinePlots(headline, names, headline.name === snapshot.metric || metrics.length === 1 ? snapshot.margin : null)}
${notices.map((notice) => html`<p class="warning">${notice}</p>`)}
<h2>What was compared</h2>${countsList(snapshot, names)}
<h2>What changed</h2>${changesTable(snapshot)}
<h2>Every metric</h2>${metricTable(metrics)}
<p class="meta">The plots show the difference as a share of each metric’s own scale.</p>
<h2>Evidence</h2>${evidenceTable(metrics)}
${labels.length === 0 ? null : labelsSection(snapshot)}
${notCompared.length === 0 ? null : html`<h2>Not compared</h2><ul>${notCompared.map(({ name, reason }) => html`<li>${name}: ${reason}</li>`)}</ul>`}
<h2>Items that got worse</h2><p class="meta">${worseCount(worseItems)}</p>${worseItems.data.map((item) => worseItemCard(item, names))}
<h2>Methods</h2><dl>${methodsOf(methodNames(snapshot)).map(({ name, text }) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
<footer class="meta">Compared ${formatTime(snapshot.comparedAt)} by Touchstone ${snapshot.serverVersion}. Runs ${snapshot.baseline.runId} and ${snapshot.candidate.runId}.</footer>
</main>`
  return page(title, body)
}

/** One page for every link that leads nowhere, for any reason. */
export function missingReport(): string {
  return page(
    'Not available',
    html`<main><h1>This report is not available</h1><p class="lead">The link is wrong, has expired, or was withdrawn. Ask the person who sent it for a new one.</p></main>`,
  )
}

function page(title: string, body: Html): string {
  // The style contains no text of users and nothing to escape; escaping it would change its hash.
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title} – Touchstone</title>`
  return `<!doctype html>\n<html lang="en"><head>${head.text}<style>${REPORT_STYLE}</style></head><body>${body.text}</body></html>\n`
}

function verdictLine(verdict: Verdict, { baseline, candidate }: RunNames): Html {
  switch (verdict) {
    case 'improved':
      return html`${candidate} is <span class="good">▲ better</span> than ${baseline}`
    case 'regressed':
      return html`${candidate} is <span class="bad">▼ worse</span> than ${baseline}`
    case 'equivalent':
      return html`= ${candidate} is equivalent to ${baseline} within the margin`
    case 'noClearDifference':
      return html`≈ No clear difference between ${candidate} and ${baseline}`
    case 'tooFewCases':
      return html`Too few cases to compare ${candidate} with ${baseline}`
  }
}

function decisionCard({ decision, note, author, decidedAt, isSuperseded }: ReportedDecision, names: RunNames): Html {
  const words = {
    release: html`Decision: release ${names.candidate}`,
    hold: html`Decision: do not release ${names.candidate}`,
    undecided: html`Decision: cannot tell yet`,
  }
  return html`<section class="card"><h3>${words[decision]}</h3>${note === '' ? null : html`<p class="note">${note}</p>`}<p class="meta">${author}, ${formatTime(decidedAt)}${isSuperseded ? '. A later decision on these runs replaces it.' : ''}</p></section>`
}

function countsList(snapshot: Snapshot, names: RunNames): Html {
  const { baseline, candidate, pairs, onlyBaseline, onlyCandidate, failed, split, groupBy, margin, looks, looking } =
    snapshot
  const rows: [string, string][] = [
    ['Baseline', `${names.baseline}, ${formatCount(baseline.traceCount)} traces`],
    ['Candidate', `${names.candidate}, ${formatCount(candidate.traceCount)} traces`],
    ['Pairs of traces', formatCount(pairs)],
    ['Only in the baseline', formatCount(onlyBaseline)],
    ['Only in the candidate', formatCount(onlyCandidate)],
    ['Rows with a failed evaluator', formatCount(failed)],
    ['Split', split ?? 'all items'],
    ...(groupBy === null ? [] : [['Groups by', groupBy] satisfies [string, string]]),
    ['Margin', margin === null ? 'none' : String(margin)],
    ['Looks with different results', formatCount(looks)],
    ['Rule for looks', looking.summary],
  ]
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

function labelsSection({ labels }: Snapshot): Html {
  const rows = labels.map(({ name, n, same, changes }) => {
    const changed = changes.map(({ from, to, count }) => `${from} → ${to} (${count})`).join(', ')
    const share = same.mean === null ? '–' : `${(100 * same.mean).toFixed(0)} %`
    return html`<tr><td>${name}</td><td class="number">${formatCount(n)}</td><td class="number">${share}</td><td>${changed}</td></tr>`
  })
  return html`<h2>Labels</h2><table><thead><tr><th>Evaluator</th><th class="number">n</th><th class="number">same</th><th>changed</th></tr></thead><tbody>${rows}</tbody></table>`
}

function worseCount({ count, isCountCut, data }: Snapshot['worseItems']): string {
  if (count === 0) return 'No item got worse on a metric that counts.'
  const total = `${formatCount(count)}${isCountCut ? ' or more' : ''}`
  const shown = data.length < count ? `; the ${data.length} worst are listed` : ''
  return `${total} ${count === 1 ? 'item' : 'items'}${shown}. Worse on at least one metric that counts.`
}

function methodNames({ metrics, groupBy, looking }: Snapshot): string[] {
  const names = metrics.flatMap(({ method, test, baseline, candidate }) => [
    method,
    test?.method ?? '',
    baseline.method,
    candidate.method,
  ])
  return [...names, ...(groupBy === null ? [] : ['group']), `${looking.rule} look`]
}
