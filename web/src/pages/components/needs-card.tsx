import { Link } from '@tanstack/react-router'
import { CircleX, ClipboardCheck, type LucideIcon, Play, TriangleAlert, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ComponentOverview } from '../../api/generated/api.ts'
import { componentTraces, pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { countOf } from '../../ui/format-number.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { QuestionCard } from './card.tsx'
import { nextEvaluation } from './next-evaluation.ts'

interface NeedsCardProps {
  applicationId: string
  overview: ComponentOverview
}

interface Need {
  key: string
  icon: LucideIcon
  title: string
  text: string
  to: string
  search?: Record<string, string>
  keys?: ReactNode
}

export function NeedsCard({ applicationId, overview }: NeedsCardProps) {
  const canRate = hasRole(useMe().role, 'annotator')
  const needs = listNeeds(applicationId, overview, canRate)
  return (
    <QuestionCard
      question="What needs me?"
      width="whole row"
      answer={needs.length === 0 ? 'Nothing' : `${numberWord(needs.length)} ${needs.length === 1 ? 'thing' : 'things'}`}
    >
      {needs.length === 0 ? (
        <p className="text-data text-soft">No answer waits for your rating, and nothing has failed.</p>
      ) : (
        <ul className="border-b border-line">
          {needs.map(({ key, icon: Icon, title, text, to, search, keys }) => (
            <li
              key={key}
              className="relative grid grid-cols-[18px_minmax(0,1fr)_auto] items-start gap-x-3 border-t border-line py-2 text-data"
            >
              <Icon aria-hidden className="mt-0.5 size-4 text-gold-ink" />
              <span className="min-w-0">
                <Link
                  to={to}
                  {...(search && { search })}
                  className="rounded-sm font-semibold break-words underline-offset-4 after:absolute after:inset-0 hover:underline"
                >
                  {title}
                </Link>
                <span className="line-clamp-2 text-meta text-soft break-words">{text}</span>
              </span>
              {keys}
            </li>
          ))}
        </ul>
      )}
    </QuestionCard>
  )
}

function listNeeds(applicationId: string, overview: ComponentOverview, canRate: boolean) {
  const { component, needs, newestRun, counts } = overview
  const { id } = component
  const rate = needs.runs.filter(({ remaining }) => remaining > 0)
  const settle = needs.runs.filter(({ openDisagreements }) => openDisagreements > 0)
  const list: Need[] = []
  if (canRate) {
    for (const [index, run] of rate.entries()) {
      list.push({
        key: `rate ${run.id}`,
        icon: ClipboardCheck,
        title: `Rate ${countOf(run.remaining, 'answer')} of ${runTitle(run)}`,
        text:
          run.rated === 0
            ? `${run.datasetName}; you have not begun`
            : `You have rated ${run.rated} of ${run.traceCount}`,
        to: pagePaths.annotate(applicationId, id, run.id),
        keys: index === 0 && <ShortcutKeys id="rateRun" />,
      })
    }
  }
  for (const run of settle) {
    list.push({
      key: `settle ${run.id}`,
      icon: Users,
      title: `Settle ${countOf(run.openDisagreements, 'disagreement')}`,
      text: `Different ratings of the same answers of ${runTitle(run)}`,
      to: pagePaths.run(applicationId, id, run.id),
      search: { tab: 'agreement' },
    })
  }
  for (const evaluation of needs.failedEvaluations) {
    list.push({
      key: `failed ${evaluation.id}`,
      icon: CircleX,
      title:
        evaluation.status === 'failed'
          ? `${evaluationTitle(evaluation)} failed`
          : `${countOf(evaluation.scores.failed, 'score')} failed in ${evaluationTitle(evaluation)}`,
      text: evaluation.error ? settingsInWords(evaluation.error) : `Of ${countOf(evaluation.scores.total, 'score')}`,
      to: pagePaths.evaluation(applicationId, id, evaluation.id),
    })
  }
  const evaluation = nextEvaluation(applicationId, overview)
  if (evaluation && newestRun && !newestRun.isEvaluated) {
    list.push({
      key: 'evaluate',
      icon: Play,
      title: `Evaluate ${runTitle(newestRun)}`,
      text: `${countOf(newestRun.traceCount, 'trace')} of ${newestRun.datasetName}, not evaluated yet`,
      ...evaluation,
      keys: <ShortcutKeys id="evaluateRun" />,
    })
  }
  if (needs.failingTraces > 0) {
    list.push({
      key: 'failing',
      icon: TriangleAlert,
      title: `${countOf(needs.failingTraces, 'trace')} failed`,
      text: 'In this period',
      to: pagePaths.traces(applicationId),
      search: { q: componentTraces(component, 'failed') },
    })
  }
  if (list.length === 0 && counts.runs === 0) {
    list.push({
      key: 'dataset',
      icon: Play,
      title: counts.datasets === 0 ? 'Create a dataset' : 'Add a run',
      text: 'Then the answers of two versions can be compared on the same questions',
      to: pagePaths.componentPart(applicationId, id, counts.datasets === 0 ? 'datasets' : 'runs'),
    })
  }
  return list
}

function numberWord(count: number): string {
  return ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'][count] ?? String(count)
}
