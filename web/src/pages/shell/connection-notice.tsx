import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { dismissNewVersion, useServerState } from '../../api/server-connection.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToastHost } from '../../ui/toast-store.ts'

/** At the top of every page: the server does not respond, or has a new version of the interface. */
export function ConnectionNotice() {
  const state = useServerState()
  const host = useToastHost()
  useEffect(() => {
    if (state !== 'away') return undefined
    document.addEventListener('click', stayHere)
    return () => document.removeEventListener('click', stayHere)
  }, [state])
  const notice = (
    <div role="status" className="pointer-events-none fixed inset-x-4 top-3 z-50 flex justify-center print:hidden">
      {state !== 'connected' && (
        <div className="pointer-events-auto flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border border-edge bg-raised px-4 py-2 text-data shadow-float">
          {state === 'away' ? <Away /> : <NewVersion />}
        </div>
      )}
    </div>
  )
  return host ? createPortal(notice, host) : notice
}

function Away() {
  return (
    <>
      <Spinner />
      <span>
        <strong className="font-medium">The server is unreachable.</strong> Trying again; nothing that you typed is
        lost.
      </span>
    </>
  )
}

function NewVersion() {
  return (
    <>
      <span>
        <strong className="font-medium">A new version of Touchstone is ready.</strong> Save what you are typing first.
      </span>
      <span className="flex gap-1">
        <Button size="small" onClick={() => window.location.reload()}>
          Load it
        </Button>
        <Button size="small" look="quiet" onClick={dismissNewVersion}>
          Later
        </Button>
      </span>
    </>
  )
}

/** Links outside of the router, such as those to the guide, would leave the page for the error page of the browser. */
function stayHere(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  const isHere = link instanceof HTMLAnchorElement && link.origin === window.location.origin
  if (isHere && link.target !== '_blank' && !event.ctrlKey && !event.metaKey && !link.hash) event.preventDefault()
}
