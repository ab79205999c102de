import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter, useRouterState } from '@tanstack/react-router'
import { describeError } from '../../api/api-error.ts'
import { useServerReturn } from '../../api/server-connection.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'

/** Replaces a page that could not be loaded, or failed to render. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const isRetrying = useRouterState({ select: ({ isLoading }) => isLoading })
  const { reset } = useQueryErrorResetBoundary()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  useServerReturn(retry)
  return (
    <section className="mx-auto max-w-lg px-6 py-24">
      <title>Error · Touchstone</title>
      <h1 className="mb-4 font-display text-title font-semibold tracking-tight">This page could not be shown</h1>
      <ErrorNotice {...describeError(error)} isRetrying={isRetrying} onRetry={retry} />
    </section>
  )
}
