import { type ComponentType, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toaster } from '../ui/toaster.tsx'

export interface RenderedPart<Props> {
  update: (props: Props) => void
  unmount: () => void
}

/** Shows one part outside of the application, for the kit and for tests. */
export function renderPart<Props extends object>(
  element: HTMLElement,
  Part: ComponentType<Props>,
  props: Props,
): RenderedPart<Props> {
  const root = createRoot(element)
  const update = (next: Props) =>
    root.render(
      <StrictMode>
        <Part {...next} />
        <Toaster />
      </StrictMode>,
    )
  update(props)
  return { update, unmount: () => root.unmount() }
}
