import { Link } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import type { PromptChange } from '../../api/generated/api.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { withMetricTitles } from '../../ui/metric-words.ts'
import { formatTime } from '../runs/run-title.ts'
import { useMe } from '../shell/use-application.ts'
import { authorName } from './author-name.ts'
import { describeMove } from './describe-move.ts'

interface ChangeEntryProps {
  component: ComponentKey
  change: PromptChange
}

export function ChangeEntry({ component, change }: ChangeEntryProps) {
  const { at, user, note, evidence, change: number } = change
  const name = authorName(user, useMe().userId)
  return (
    <li className="grid grid-cols-[22px_minmax(0,1fr)] gap-x-2.5 py-3 text-data first:pt-0 last:pb-0">
      <Avatar name={user.name ?? '?'} />
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <b className="font-semibold first-letter:uppercase">{name === 'you' ? 'You' : name}</b>{' '}
          <What component={component} change={change} />
        </p>
        {note && <p className="text-soft text-pretty wrap-anywhere">“{note}”</p>}
        {evidence.map((one) => (
          <p key={one.candidate.version} className="flex gap-1.5 text-meta text-soft">
            <Scale aria-hidden className="mt-0.5 size-3.5 shrink-0 text-faint" />
            <span>{one.summary === null ? 'A verdict that you may not see yet' : withMetricTitles(one.summary)}</span>
          </p>
        ))}
        <p className="text-meta text-faint">
          {formatTime(at)}
          {number !== null && ` · change ${number}`}
        </p>
      </div>
    </li>
  )
}

function What({ component, change }: ChangeEntryProps) {
  const { applicationId, componentId } = component
  const path = pagePaths.prompt(applicationId, componentId, change.prompt.id)
  const prompt = (
    <Link to={path} className="touch-link rounded-sm font-mono text-code underline decoration-edge underline-offset-4">
      {change.prompt.name}
    </Link>
  )
  if (change.version !== null) {
    return (
      <>
        saved {prompt}{' '}
        {change.isDeleted ? (
          <span className="text-faint">v{change.version}, deleted since</span>
        ) : (
          <Link to={path} search={{ version: change.version }} className="touch-link underline underline-offset-4">
            v{change.version}
          </Link>
        )}
      </>
    )
  }
  const [before, after] = describeMove(change)
  return (
    <>
      {before} {prompt} {after}
    </>
  )
}
