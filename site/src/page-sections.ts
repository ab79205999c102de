/** The sections of a page: what the search finds, and the list at its side. */
import { headingAnchors } from './heading-anchors.ts'

export type Section = {
  /** 1 for what is above the first heading. */
  level: number
  heading: string
  anchor: string
  /** Without the marks of Markdown. */
  text: string
}

const HEADING = /^(#{2,4}) (.+)$/
const FENCE = /^ *(```|~~~)/

export function pageSections(title: string, text: string): Section[] {
  const anchorOf = headingAnchors()
  let lines: string[] = []
  let isCode = false
  const sections: (Section & { lines: string[] })[] = [{ level: 1, heading: title, anchor: '', text: '', lines }]
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) {
      isCode = !isCode
      continue
    }
    const [, marks, title = ''] = (!isCode && HEADING.exec(line)) || []
    if (marks === undefined) {
      lines.push(isCode ? line : withoutMarks(line))
      continue
    }
    const heading = withoutMarks(title)
    lines = []
    sections.push({ level: marks.length, heading, anchor: anchorOf(heading), text: '', lines })
  }
  return sections.map(({ lines: own, ...section }) => ({ ...section, text: own.join(' ').replace(/\s+/g, ' ').trim() }))
}

function withoutMarks(line: string): string {
  return line
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^ *(?:[-*>]|\d+\.) /, '')
    .replace(/^\|[-| :]+\|$/, '')
    .replace(/(?<!\\)\||`|\*\*/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}
