import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useState } from 'react'

export type Scroll = 'page' | 'own'

interface RowWindowOptions {
  scroll: Scroll
  count: number
  /** Exact for table rows; a first guess for cards, which are measured. */
  rowHeight: number
  scroller: RefObject<HTMLElement | null>
  /** The element whose children are the rows. */
  list: RefObject<HTMLElement | null>
  /** What covers the top of the scrolled area: the header of the table, or of the page. */
  coveredTop: number
}

export interface RowWindow {
  indexes: number[]
  /** Empty space before and after the rendered rows, in pixels. */
  before: number
  after: number
  scrollTo: (index: number) => void
  measure: (element: Element | null) => void
}

/** Rendered in addition at each side, so that a quick scroll shows rows and not blank space. */
const overscan = 6

/** Renders only the rows in view: of 100,000 rows some forty are in the document. */
export function useRowWindow({ scroll, count, rowHeight, scroller, list, coveredTop }: RowWindowOptions): RowWindow {
  const [listTop, setListTop] = useState(0)
  const options = { count, estimateSize: () => rowHeight, overscan, scrollPaddingStart: coveredTop }
  const own = useVirtualizer({
    ...options,
    enabled: scroll === 'own',
    getScrollElement: () => scroller.current,
    scrollMargin: coveredTop,
  })
  const page = useWindowVirtualizer({ ...options, enabled: scroll === 'page', scrollMargin: listTop })
  const virtualizer = scroll === 'own' ? own : page
  useLayoutEffect(() => {
    if (scroll === 'own') return
    const locate = () => {
      const element = list.current
      if (element) setListTop(element.getBoundingClientRect().top + window.scrollY)
    }
    locate()
    // What is above the list may grow or shrink, which changes the height of the page.
    const observer = new ResizeObserver(locate)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [scroll, list])
  const items = virtualizer.getVirtualItems()
  const margin = virtualizer.options.scrollMargin
  const first = items[0]
  const last = items.at(-1)
  return {
    indexes: items.map(({ index }) => index),
    before: first ? first.start - margin : 0,
    after: last ? virtualizer.getTotalSize() - (last.end - margin) : 0,
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    measure: virtualizer.measureElement,
  }
}
