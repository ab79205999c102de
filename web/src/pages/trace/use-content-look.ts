import { useState } from 'react'

export const contentLooks = ['rendered', 'raw', 'json'] as const

/** `rendered`: as people read it. `raw`: every character of the text. `json`: all fields of the span. */
export type ContentLook = (typeof contentLooks)[number]

const KEY = 'touchstone.content-look'

/** How content is shown; remembered for the next trace. */
export function useContentLook(): [ContentLook, (look: ContentLook) => void] {
  const [look, setLook] = useState<ContentLook>(readLook)
  return [
    look,
    (next) => {
      setLook(next)
      try {
        localStorage.setItem(KEY, next)
      } catch {
        // Storage is blocked: the choice lasts until the page is left.
      }
    },
  ]
}

function readLook(): ContentLook {
  try {
    const stored = localStorage.getItem(KEY)
    return contentLooks.find((look) => look === stored) ?? 'rendered'
  } catch {
    return 'rendered'
  }
}
