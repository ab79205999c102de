import { Users } from 'lucide-react'
import type { DeploymentCheck } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { splitsText } from '../prompts/version-mark.tsx'

interface MovedMeanwhileProps {
  /** What is known now. */
  check: DeploymentCheck
  /** The change that the user has looked at. */
  seen: number
  nameOf: (userId: string) => string
  onLookAgain: () => void
}

/** Someone else was faster: the numbers of the page are of an older change. */
export function MovedMeanwhile({ check, seen, nameOf, onLookAgain }: MovedMeanwhileProps) {
  const { label, current, change } = check
  return (
    <div
      role="alert"
      className="mx-6 my-5 flex gap-3 rounded-control border border-line border-l-4 border-l-gold bg-raised px-4 py-3 text-data max-sm:mx-4"
    >
      <Users aria-hidden className="mt-0.5 size-[18px] shrink-0 text-gold-ink" />
      <div className="min-w-0">
        <p className="font-semibold">
          {current ? (
            <>
              <bdi>{nameOf(current.changedBy)}</bdi> moved {label} <RelativeTime time={current.changedAt} />
            </>
          ) : (
            `The label ${label} was removed`
          )}
        </p>
        <p className="mb-2 text-pretty text-soft">
          It serves {splitsText(current?.splits ?? null)} now (change {change}). Your numbers were for change {seen}.
        </p>
        <Button size="small" onClick={onLookAgain}>
          Look again
        </Button>
      </div>
    </div>
  )
}
