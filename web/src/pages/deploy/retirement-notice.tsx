import { TriangleAlert } from 'lucide-react'
import type { RetiredModel } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The move is allowed, but will not last: the provider ends the model. */
export function RetirementNotice({ retirement, version }: { retirement: RetiredModel; version: number }) {
  const { provider, model, on, daysLeft } = retirement
  return (
    <p className="mx-6 mb-5 flex gap-2.5 text-data text-warn max-sm:mx-4">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 text-pretty wrap-anywhere">
        v{version} asks {model} of {provider}, {whenText(days.format(new Date(on)), daysLeft)}.
      </span>
    </p>
  )
}

function whenText(day: string, daysLeft: number): string {
  if (daysLeft < 0) return `which ended on ${day}`
  if (daysLeft === 0) return 'which ends today'
  return `which ends on ${day}, in ${countOf(daysLeft, 'day')}`
}
