import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { allowedTargetsQuery, useDisallowTarget } from '../../api/allowed-targets-query.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'

/** Addresses in networks of the operator that models may have. Only for users who may change them, and only if there are any. */
export function AllowedTargetsSection({ applicationId }: { applicationId: string }) {
  const allowed = useQuery(allowedTargetsQuery(applicationId))
  const disallow = useDisallowTarget(applicationId)
  if (allowed.error) return <QueryError query={allowed} />
  if (!allowed.data || allowed.data.targets.length === 0) return null
  const remove = (target: string) =>
    disallow.mutate(target, {
      onSuccess: () => showToast({ tone: 'good', message: `${target} is not allowed any longer.` }),
    })
  return (
    <section aria-labelledby="allowed-targets" className="mt-10 max-w-xl rounded-card border border-line p-5">
      <h2 id="allowed-targets" className="font-display text-section font-semibold">
        Allowed addresses
      </h2>
      <p className="mt-1 mb-3 text-soft">
        Outside of the public internet, models and endpoints of all applications may be at these addresses only.
      </p>
      <ul className="divide-y divide-line">
        {allowed.data.targets.map((target) => (
          <li key={target} className="flex items-center justify-between gap-3 py-1">
            <code className="font-mono text-code wrap-anywhere">{target}</code>
            <IconButton
              label={`Do not allow ${target} any longer`}
              disabledReason={disallow.isPending ? 'Saving' : undefined}
              onClick={() => remove(target)}
            >
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </li>
        ))}
      </ul>
      <ErrorReport error={disallow.error} />
    </section>
  )
}
