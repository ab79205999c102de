import type { ReactNode } from 'react'

/** Keeps the panel at the right edge while the page scrolls. Below 900 px the panel covers the page by itself. */
export function PeekDock({ children }: { children: ReactNode }) {
  return <div className="fixed top-12 right-0 bottom-0 z-10 w-[400px] max-[899px]:w-0 wide:w-[440px]">{children}</div>
}

/** The room for the panel, for the page around it. */
export const peekRoomClass = 'min-[900px]:pr-[400px] wide:pr-[440px]'
