import { Link, useRouter } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'

export interface NotFoundPageProps {
  /** What `notFound` was called with; an address that no page has comes without it. */
  data?: unknown
}

export function NotFoundPage({ data }: NotFoundPageProps) {
  const router = useRouter()
  const requestId = readRequestId(data)
  return (
    <section className="mx-auto flex max-w-md flex-col items-center px-6 py-24 text-center">
      <title>Not found · Touchstone</title>
      <p aria-hidden className="font-display text-7xl font-semibold text-gold-ink">
        404
      </p>
      <h1 className="mt-4 font-display text-title font-semibold tracking-tight">Nothing is here</h1>
      <p className="mt-2 text-soft text-balance">
        The address is wrong, the thing was deleted, or it belongs to an application that you are not a member of.
      </p>
      {requestId && (
        <p className="mt-2 text-data break-all text-soft">
          Request <code className="font-mono text-[12px]">{requestId}</code>
        </p>
      )}
      <div className="mt-6 flex flex-wrap justify-center gap-2">
        <Link to={pagePaths.home()} className={buttonClass('primary')}>
          Go to your applications
        </Link>
        {requestId && (
          // It may be about to arrive.
          <Button onClick={() => void router.invalidate()}>
            <RotateCcw aria-hidden className="size-3.5" />
            Retry
          </Button>
        )}
      </div>
    </section>
  )
}

function readRequestId(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('requestId' in data)) return undefined
  return typeof data.requestId === 'string' ? data.requestId : undefined
}
