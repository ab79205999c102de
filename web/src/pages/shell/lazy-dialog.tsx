import { type ComponentType, lazy, Suspense } from 'react'
import { loadPart } from '../../api/server-connection.ts'

/** A dialog whose file loads when it is opened. Not for what is on the page: that would move what is below it. */
export function lazyDialog<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Dialog = lazy(async () => ({ default: await loadPart(load) }))
  return (props) => (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  )
}
