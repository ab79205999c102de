import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { ApiError, hasStatus } from '../../api/api-error.ts'
import { useSessionRestored } from '../../api/session-end.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { sendChange } from './annotation-change.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { OutboxEntry } from './outbox-contents.ts'

const OutboxContext = createContext<Outbox | undefined>(undefined)

/** A connection that hangs must not keep the others from being sent. */
const TIMEOUT_MS = 20_000

/** Sends the changes of the user that wait in this browser, on every page: also those that were made before a reload. */
export function OutboxProvider({ children }: { children: ReactNode }) {
  const { data: session } = useQuery(sessionQuery)
  const queryClient = useQueryClient()
  const userId = session?.user.id
  const [outbox, setOutbox] = useState<Outbox>()
  useEffect(() => {
    if (userId === undefined) return undefined
    const created = createOutbox({
      userId,
      send: async (entry) => {
        await requireAccount(queryClient, userId)
        return send(queryClient, entry)
      },
    })
    setOutbox(created)
    return () => created.stop()
  }, [queryClient, userId])
  useSessionRestored(() => outbox?.retry())
  return <OutboxContext value={outbox}>{children}</OutboxContext>
}

/** Undefined for a moment after the page was opened. */
export function useOutbox(): Outbox | undefined {
  return useContext(OutboxContext)
}

/**
 * Tabs share the session: if someone else has signed in with this browser, the changes of this user must not be sent as theirs. They stay
 * in the browser until the user is back, and the page shows the other account from now on.
 */
async function requireAccount(queryClient: QueryClient, userId: string): Promise<void> {
  const session = await readSession(queryClient)
  // Without a session, the response to the change says so.
  if (!session || session.user.id === userId) return
  window.location.reload()
  throw new ApiError('Another account has signed in with this browser.', { status: 401 })
}

function readSession(queryClient: QueryClient) {
  return queryClient.fetchQuery({ ...sessionQuery, queryKey: ['session-check'], staleTime: 0 })
}

/** As a mutation, so that an expired session leads to the sign-in page. */
async function send(queryClient: QueryClient, { id, run, change }: OutboxEntry) {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const mutationFn = () => sendChange({ run, change, idempotencyKey: id, signal })
  const mutation = queryClient.getMutationCache().build(queryClient, { mutationFn, networkMode: 'always' })
  try {
    return await mutation.execute(undefined)
  } catch (error) {
    if (!hasStatus(error, 401)) throw error
    if (!(await readSession(queryClient))) throw error
    // The server does not distinguish users who are not members from anonymous ones.
    throw new ApiError('You are no longer a member of this application.', { status: 403, requestId: error.requestId })
  }
}
