export interface Shortcut {
  /** As tinykeys writes them: keys in sequence are separated by a space, `$mod` is Command on a Mac and Control elsewhere. */
  keys: string
  label: string
  group: 'Everywhere' | 'Go to' | 'Component' | 'First trace' | 'Traces' | 'Trace'
}

/** All keyboard shortcuts. This table drives the handlers, the badges on buttons and the list that `?` opens. */
export const shortcutList = {
  palette: { keys: '$mod+k', label: 'Find or jump to', group: 'Everywhere' },
  help: { keys: '[Shift]+?', label: 'Show the keyboard shortcuts', group: 'Everywhere' },
  goToOverview: { keys: 'g o', label: 'Overview', group: 'Go to' },
  goToTraces: { keys: 'g t', label: 'Traces', group: 'Go to' },
  goToComponents: { keys: 'g c', label: 'Components', group: 'Go to' },
  goToSettings: { keys: 'g s', label: 'Settings', group: 'Go to' },
  evaluateRun: { keys: 'v', label: 'Evaluate the newest run', group: 'Component' },
  rateRun: { keys: 'a', label: 'Rate answers', group: 'Component' },
  focusQuery: { keys: '/', label: 'Search traces', group: 'Traces' },
  nextSpan: { keys: 'j', label: 'Next span', group: 'Trace' },
  previousSpan: { keys: 'k', label: 'Previous span', group: 'Trace' },
  nextFailedSpan: { keys: 'e', label: 'Next failed span', group: 'Trace' },
  findSpan: { keys: 'f', label: 'Find in the spans', group: 'Trace' },
  copyLink: { keys: 'y', label: 'Copy a link to this page', group: 'Trace' },
  sendTestTrace: { keys: 'n', label: 'Send a test trace', group: 'First trace' },
} as const satisfies Record<string, Shortcut>

export type ShortcutId = keyof typeof shortcutList

export const shortcutIds = Object.keys(shortcutList).filter(isShortcutId)

/** The caps to draw for a shortcut, such as `['g', 'c']` or `['⌘', 'K']`. */
export function shortcutCaps(id: ShortcutId): string[] {
  return shortcutList[id].keys
    .replace('[Shift]+', '')
    .split(/[ +]/)
    .map((key) => {
      if (key === '$mod') return isMac() ? '⌘' : 'Ctrl'
      return key.length === 1 && shortcutList[id].keys.includes('$mod') ? key.toUpperCase() : key
    })
}

function isShortcutId(text: string): text is ShortcutId {
  return text in shortcutList
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform)
}
