import type { ComparedMetric } from '../../api/generated/api.ts'

type Verdict = ComparedMetric['verdict']

/** Shape and word first, color second. */
const looks: Record<Verdict, { mark: string; word: string; className: string }> = {
  improved: { mark: '▲', word: 'better', className: 'text-good' },
  regressed: { mark: '▼', word: 'worse', className: 'text-danger' },
  equivalent: { mark: '=', word: 'equivalent', className: 'text-ink' },
  noClearDifference: { mark: '≈', word: 'no clear difference', className: 'text-soft' },
  tooFewCases: { mark: '…', word: 'too few cases', className: 'text-soft' },
}

export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const { mark, word, className } = looks[verdict]
  return (
    <span className={`font-semibold ${className}`}>
      <span aria-hidden>{mark}</span> {word}
    </span>
  )
}

/**
 * The summary of the comparison, with the mark of its verdict at the word "better", "worse" or "equivalent". "Worse by
 * less than the margin" is equivalent, and has no arrow.
 */
export function MarkedSummary({ text, verdict }: { text: string; verdict: Verdict }) {
  const { mark, word, className } = looks[verdict]
  const preposition = verdict === 'equivalent' ? 'to' : 'than'
  const [before, after] = splitAt(text, ` is ${word} ${preposition} `)
  if (after === undefined) return <>{text}</>
  return (
    <>
      {before} is{' '}
      <span className={className}>
        <span aria-hidden className="text-[0.7em]">
          {mark}
        </span>{' '}
        {word}
      </span>{' '}
      {preposition} {after}
    </>
  )
}

function splitAt(text: string, words: string): [string, string | undefined] {
  const at = text.indexOf(words)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + words.length)]
}

export function verdictRank(verdict: Verdict): number {
  return ['regressed', 'improved', 'noClearDifference', 'equivalent', 'tooFewCases'].indexOf(verdict)
}
