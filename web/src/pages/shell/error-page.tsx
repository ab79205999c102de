import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { ErrorReport } from './error-report.tsx'

/** Replaces a page that failed to render. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <section className="mx-auto max-w-lg px-6 py-24">
      <title>Error · Touchstone</title>
      <h1 className="mb-4 font-display text-title font-semibold tracking-tight">This page could not be shown</h1>
      <ErrorReport error={error} />
      <Button look="primary" className="mt-5" onClick={retry}>
        Try again
      </Button>
    </section>
  )
}
