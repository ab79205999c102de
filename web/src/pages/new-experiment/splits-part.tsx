import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Copy, Lock, type LucideIcon, Target, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { testSplitQuery, useDrawTestSplit } from '../../api/experiments-query.ts'
import type { Dataset, ExperimentEstimate } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { countOf, formatCount, formatScore } from '../../ui/format-number.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import type { ExperimentDraft } from './experiment-draft.ts'
import { isTooFewItems } from './experiment-problem.ts'

interface SplitsPartProps {
  applicationId: string
  componentId: string
  draft: ExperimentDraft
  dataset: Dataset | undefined
  estimate: ExperimentEstimate | undefined
  /** Of the estimate. */
  error: unknown
  onChange: (changes: Partial<ExperimentDraft>) => void
}

type Split = keyof ExperimentDraft['shares']

const parts: { split: Split; title: string; text: string; icon: LucideIcon; className: string }[] = [
  { split: 'train', title: 'Train', text: 'proposals learn from these', icon: BookOpen, className: 'bg-series-3/15' },
  { split: 'validation', title: 'Validation', text: 'chooses the best', icon: Target, className: 'bg-series-4/12' },
  { split: 'test', title: 'Test, sealed', text: 'opened once, decides', icon: Lock, className: 'hatched-sealed' },
]

const OPENINGS_MANY = 3

/** The three splits as one bar, and what was found about the items. */
export function SplitsPart(props: SplitsPartProps) {
  const { draft, dataset, estimate, error, onChange } = props
  const [isChanging, setIsChanging] = useState(false)
  const { shares } = draft
  const sum = shares.train + shares.validation + shares.test
  const counts = estimate?.items
  const widths = counts ?? shares
  return (
    <FormSection
      title="Splits"
      aside={
        <>
          {dataset && countOf(dataset.itemCount, 'item')} · seed {draft.seed ?? 0} · groups of near-duplicates stay
          together
        </>
      }
    >
      <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
        <div
          className="grid gap-1 max-sm:grid-cols-1! sm:[grid-template-columns:var(--parts)]"
          style={{
            ['--parts' as string]: parts
              .map(({ split }) => `minmax(8.5rem, ${Math.max(1, widths[split])}fr)`)
              .join(' '),
          }}
        >
          {parts.map(({ split, title, text, icon: Icon, className }) => (
            <div key={split} className={`rounded-control px-3 py-2 text-data ${className}`}>
              <p className="flex items-center gap-2 font-semibold">
                <Icon aria-hidden className="size-4 shrink-0" />
                {title}
                <span className="ml-auto tabular-nums">
                  {counts ? formatCount(counts[split]) : `${shares[split]} %`}
                </span>
              </p>
              {split === 'test' && estimate && estimate.openings >= OPENINGS_MANY ? (
                <p className="flex items-start gap-1.5 font-medium text-warn">
                  <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
                  worn: has decided {estimate.openings} times
                </p>
              ) : (
                <p className="text-ink/80">{text}</p>
              )}
            </div>
          ))}
        </div>
        <div className="mt-2 flex flex-wrap justify-between gap-x-4 gap-y-1 text-meta text-soft">
          <span>
            {parts.map(({ split }) => shares[split]).join(' · ')} % of the items without a split.{' '}
            <button
              type="button"
              aria-expanded={isChanging}
              onClick={() => setIsChanging(!isChanging)}
              className="touch-link rounded-sm underline decoration-edge underline-offset-3 hover:text-ink"
            >
              Change shares
            </button>
          </span>
          {estimate && (
            <span>
              Test split:{' '}
              {estimate.openings >= OPENINGS_MANY ? (
                <b className="font-semibold text-warn">opened {estimate.openings} times before</b>
              ) : estimate.openings === 0 ? (
                <b className="font-semibold">not opened yet</b>
              ) : (
                `opened ${estimate.openings === 1 ? 'once' : `${estimate.openings} times`} before`
              )}
            </span>
          )}
        </div>
        {isChanging && (
          <div className="mt-3 grid items-start gap-3 sm:grid-cols-4">
            {parts.map(({ split, title }) => (
              <NumberField
                key={split}
                label={`${title}, %`}
                error={sum === 100 || split !== 'test' ? undefined : `The three add up to ${sum}, and must to 100.`}
                value={shares[split]}
                onChange={(value) => onChange({ shares: { ...shares, [split]: value ?? 0 } })}
              />
            ))}
            <NumberField
              label="Seed"
              placeholder="0"
              hint="The same seed draws the same items."
              value={draft.seed}
              onChange={(seed) => onChange({ seed })}
            />
          </div>
        )}
        <Findings {...props} />
        {isTooFewItems(error) && error instanceof Error && (
          <Finding icon={TriangleAlert} tone="warn" title={error.message.split(';')[0] ?? ''}>
            The verdict would be “too few cases”. Add items, or{' '}
            <Button size="small" onClick={() => onChange({ allowTooFew: true })}>
              Start anyway
            </Button>
          </Finding>
        )}
      </div>
    </FormSection>
  )
}

/** What could make the result too good. */
function Findings({ applicationId, componentId, draft, estimate }: SplitsPartProps) {
  if (!estimate) return null
  const { together, leaks, openings, drawn, items } = estimate
  const key = { applicationId, componentId, datasetId: draft.datasetId }
  const toItems = (
    <Link
      to={pagePaths.dataset(applicationId, componentId, draft.datasetId)}
      className="touch-link underline decoration-edge underline-offset-3 hover:text-ink"
    >
      Open the dataset
    </Link>
  )
  return (
    <>
      {leaks.map(({ splits, pairs, examples }) => (
        <Finding
          key={splits.join()}
          icon={TriangleAlert}
          tone="warn"
          title={`${countOf(pairs, 'pair')} of nearly the same items: one in ${splits[0]}, one in ${splits[1]}.`}
        >
          The {splits[1]} items would ask what the {splits[0]} items have answered. Put both into one split. {toItems}
          <Pairs examples={examples} />
        </Finding>
      ))}
      {together.pairs > 0 && (
        <Finding
          icon={Copy}
          title={`${countOf(together.pairs, 'pair')} of nearly the same items could have been torn apart.`}
        >
          They stay in one split. Otherwise the test would ask what training has answered.
          <Pairs examples={together.examples} />
        </Finding>
      )}
      {openings >= OPENINGS_MANY && (
        <Finding icon={TriangleAlert} tone="warn" title={`This test split has decided ${openings} times.`}>
          Its numbers become too good, because winners fit it. <DrawTestSplit {...key} /> {toItems}
        </Finding>
      )}
      {drawn > 0 && drawn < items.train + items.validation + items.test && (
        <Finding
          icon={Copy}
          title={`${countOf(drawn, 'item')} without a split ${drawn === 1 ? 'gets' : 'get'} one now.`}
        >
          The others keep theirs, so that no experiment trains on what another one has tested on.
        </Finding>
      )}
    </>
  )
}

/** Only from items that nothing has learned from: the server says if there are too few of them. */
function DrawTestSplit(key: { applicationId: string; componentId: string; datasetId: string }) {
  const query = useQuery(testSplitQuery(key))
  const draw = useDrawTestSplit(key)
  const [isAsked, setIsAsked] = useState(false)
  if (!query.data) return null
  const { fresh, items, mayDraw, summary } = query.data
  return (
    <>
      <Button size="small" disabledReason={mayDraw ? undefined : summary} onClick={() => setIsAsked(true)}>
        Draw a new test split
      </Button>{' '}
      {!mayDraw && summary}
      {isAsked && (
        <ConfirmDialog
          title="Draw a new test split"
          confirmLabel="Draw a new test split"
          isBusy={draw.isPending}
          error={<ErrorReport error={draw.error} />}
          onConfirm={() => draw.mutate(undefined, { onSuccess: () => setIsAsked(false) })}
          onClose={() => setIsAsked(false)}
        >
          {countOf(items, 'test item')} become training items, and new ones are drawn from {countOf(fresh, 'item')} that
          nothing was learned from. The openings of the new split are counted from zero, and those of the old one are
          kept. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  )
}

interface FindingProps {
  icon: LucideIcon
  tone?: 'warn'
  title: string
  children: ReactNode
}

function Finding({ icon: Icon, tone, title, children }: FindingProps) {
  return (
    <div className="mt-3 flex gap-3 border-t border-line pt-3 text-data">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${tone ? 'text-warn' : 'text-faint'}`} />
      <div className="min-w-0 flex-1 text-soft">
        <p className="font-semibold text-ink">{title}</p>
        {children}
      </div>
    </div>
  )
}

type Examples = ExperimentEstimate['together']['examples']

/** The first pair as text, the others on demand. */
function Pairs({ examples }: { examples: Examples }) {
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? examples : examples.slice(0, 1)
  return (
    <>
      {shown.map(({ items, similarity }) => (
        <div
          key={items.map(({ id }) => id).join()}
          className="mt-2 grid divide-line rounded-control border border-line max-sm:divide-y sm:grid-cols-2 sm:divide-x"
        >
          {items.map(({ id, question, split }, place) => (
            <div key={id} className="min-w-0 px-3 py-2">
              <p className="text-meta text-soft">
                {split ?? 'no split'}
                {place === 0 && ` · similarity ${formatScore(similarity)}`}
              </p>
              <p className="text-ink wrap-anywhere">
                <bdi>{question ?? 'no text'}</bdi>
              </p>
            </div>
          ))}
        </div>
      ))}
      {examples.length > 1 && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="touch-link mt-1 rounded-sm underline decoration-edge underline-offset-3 hover:text-ink"
        >
          {isWhole ? 'Show one' : `Show all ${examples.length}`}
        </button>
      )}
    </>
  )
}
