import type { ComparedMetric } from '../../api/generated/api.ts'

type Verdict = ComparedMetric['verdict']

/** Shape and word first, color second. */
const looks: Record<Verdict, { mark: string; word: string; className: string }> = {
  improved: { mark: '▲', word: 'better', className: 'text-good' },
  regressed: { mark: '▼', word: 'worse', className: 'text-danger' },
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

/** The summary of the comparison, with the arrow of its verdict at the word "better" or "worse". */
export function MarkedSummary({ text }: { text: string }) {
  const [, before, word = '', after] = /^(.*?\bis )(better|worse)( on .*)$/s.exec(text) ?? []
  if (before === undefined) return <>{text}</>
  const { mark, className } = looks[word === 'better' ? 'improved' : 'regressed']
  return (
    <>
      {before}
      <span className={className}>
        <span aria-hidden className="text-[0.7em]">
          {mark}
        </span>{' '}
        {word}
      </span>
      {after}
    </>
  )
}

export function verdictRank(verdict: Verdict): number {
  return ['regressed', 'improved', 'noClearDifference', 'tooFewCases'].indexOf(verdict)
}
