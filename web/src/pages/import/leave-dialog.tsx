import { useBlocker } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

/** Asks before the user leaves a file that is not imported. The steps of the import are on the same page. */
export function LeaveDialog({ isUnfinished }: { isUnfinished: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnfinished && current.pathname !== next.pathname,
    enableBeforeUnload: isUnfinished,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Dialog title="Leave without importing?" isOpen onClose={reset}>
      <p className="text-soft">Nothing is stored yet. The file and the choice of its columns will be lost.</p>
      <DialogActions>
        <Button onClick={reset}>Stay</Button>
        <Button look="danger" onClick={proceed}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
