export interface Shortcut {
  /** As tinykeys writes them: keys in sequence are separated by a space, `$mod` is Command on a Mac and Control elsewhere. */
  keys: string
  label: string
  group:
    | 'Everywhere'
    | 'Go to'
    | 'Component'
    | 'First trace'
    | 'Traces'
    | 'Trace'
    | 'Rate'
    | 'Disagreements'
    | 'Evaluation'
    | 'Compare'
    | 'Dataset'
    | 'Prompts'
    | 'Prompt'
    | 'Trial'
    | 'Experiments'
    | 'Experiment'
    | 'Deploy'
    | 'Playground'
  /** Whether it runs again and again while the keys are held down. Ratings must not: each press rates another trace. */
  isRepeated?: true
}

/** All keyboard shortcuts. This table drives the handlers, the badges on buttons and the list that `?` opens. */
export const shortcutList = {
  palette: { keys: '$mod+k', label: 'Find or jump to', group: 'Everywhere' },
  help: { keys: '[Shift]+?', label: 'Show the keyboard shortcuts', group: 'Everywhere' },
  goToOverview: { keys: 'g o', label: 'Overview', group: 'Go to' },
  goToWork: { keys: 'g w', label: 'My work', group: 'Go to' },
  goToTraces: { keys: 'g t', label: 'Traces', group: 'Go to' },
  goToComponents: { keys: 'g c', label: 'Components', group: 'Go to' },
  goToSettings: { keys: 'g s', label: 'Settings', group: 'Go to' },
  evaluateRun: { keys: 'v', label: 'Evaluate the newest run', group: 'Component' },
  rateRun: { keys: 'a', label: 'Rate answers', group: 'Component' },
  compareRuns: { keys: 'c', label: 'Compare the selected runs', group: 'Component' },
  nextCase: { keys: 'j', label: 'Next case', group: 'Component', isRepeated: true },
  previousCase: { keys: 'k', label: 'Previous case', group: 'Component', isRepeated: true },
  startEvaluation: { keys: '$mod+Enter', label: 'Start the evaluation', group: 'Evaluation' },
  focusQuery: { keys: '/', label: 'Search traces', group: 'Traces' },
  addToDataset: { keys: 'd', label: 'Add to a dataset', group: 'Traces' },
  compareTraces: { keys: 'c', label: 'Compare the two selected traces', group: 'Traces' },
  searchItems: { keys: '/', label: 'Search items', group: 'Dataset' },
  nextSpan: { keys: 'j', label: 'Next span', group: 'Trace', isRepeated: true },
  previousSpan: { keys: 'k', label: 'Previous span', group: 'Trace', isRepeated: true },
  nextFailedSpan: { keys: 'e', label: 'Next failed span', group: 'Trace' },
  zoomIn: { keys: 'z', label: 'Zoom into the timeline', group: 'Trace', isRepeated: true },
  zoomOut: { keys: 'Shift+Z', label: 'Zoom out', group: 'Trace', isRepeated: true },
  zoomAll: { keys: '0', label: 'Show the whole timeline', group: 'Trace' },
  nextListedTrace: { keys: 'Shift+J', label: 'Next trace of the list', group: 'Trace' },
  previousListedTrace: { keys: 'Shift+K', label: 'Previous trace of the list', group: 'Trace' },
  findSpan: { keys: 'f', label: 'Find in the spans', group: 'Trace' },
  copyLink: { keys: 'y', label: 'Copy a link to this page', group: 'Trace' },
  swapTraces: { keys: 'x', label: 'Swap the compared traces', group: 'Trace' },
  comment: { keys: 'm', label: 'Write a comment', group: 'Trace' },
  rate1: { keys: '1', label: 'Give rating 1', group: 'Rate' },
  rate2: { keys: '2', label: 'Give rating 2', group: 'Rate' },
  rate3: { keys: '3', label: 'Give rating 3', group: 'Rate' },
  rate4: { keys: '4', label: 'Give rating 4', group: 'Rate' },
  rate5: { keys: '5', label: 'Give rating 5', group: 'Rate' },
  rate6: { keys: '6', label: 'Give rating 6', group: 'Rate' },
  rate7: { keys: '7', label: 'Give rating 7', group: 'Rate' },
  rate8: { keys: '8', label: 'Give rating 8', group: 'Rate' },
  rate9: { keys: '9', label: 'Give rating 9', group: 'Rate' },
  writeComment: { keys: 'c', label: 'Write a comment', group: 'Rate' },
  correctAnswer: { keys: 'w', label: 'Write a better answer', group: 'Rate' },
  showExpected: { keys: 'x', label: 'Show or hide the expected answer', group: 'Rate' },
  skipTrace: { keys: 's', label: 'Skip, to rate it last', group: 'Rate' },
  undoRating: { keys: 'u', label: 'Undo', group: 'Rate' },
  previousTrace: { keys: 'ArrowLeft', label: 'Previous trace', group: 'Rate' },
  nextTrace: { keys: 'ArrowRight', label: 'Next trace', group: 'Rate' },
  openTrace: { keys: 'o', label: 'Open the whole trace', group: 'Rate' },
  leaveAnnotation: { keys: 'Escape', label: 'Close', group: 'Rate' },
  nextDisagreement: { keys: 'j', label: 'Next disagreement', group: 'Disagreements', isRepeated: true },
  previousDisagreement: { keys: 'k', label: 'Previous disagreement', group: 'Disagreements', isRepeated: true },
  resolve1: { keys: '1', label: 'Resolve with the word of key 1', group: 'Disagreements' },
  resolve2: { keys: '2', label: 'Resolve with the word of key 2', group: 'Disagreements' },
  resolve3: { keys: '3', label: 'Resolve with the word of key 3', group: 'Disagreements' },
  resolve4: { keys: '4', label: 'Resolve with the word of key 4', group: 'Disagreements' },
  resolve5: { keys: '5', label: 'Resolve with the word of key 5', group: 'Disagreements' },
  resolve6: { keys: '6', label: 'Resolve with the word of key 6', group: 'Disagreements' },
  resolve7: { keys: '7', label: 'Resolve with the word of key 7', group: 'Disagreements' },
  resolve8: { keys: '8', label: 'Resolve with the word of key 8', group: 'Disagreements' },
  resolve9: { keys: '9', label: 'Resolve with the word of key 9', group: 'Disagreements' },
  undoResolution: { keys: 'u', label: 'Undo the last resolution', group: 'Disagreements' },
  retryFailed: { keys: 'r', label: 'Retry failed scores', group: 'Evaluation' },
  nextItem: { keys: 'j', label: 'Next item', group: 'Compare', isRepeated: true },
  previousItem: { keys: 'k', label: 'Previous item', group: 'Compare', isRepeated: true },
  toggleDiff: { keys: 'd', label: 'Show or hide what differs', group: 'Compare' },
  preferFirst: { keys: 'a', label: 'Prefer answer A', group: 'Compare' },
  preferSecond: { keys: 'b', label: 'Prefer answer B', group: 'Compare' },
  preferNeither: { keys: 'e', label: 'Both are the same', group: 'Compare' },
  findPrompt: { keys: '/', label: 'Find a prompt', group: 'Prompts' },
  newPrompt: { keys: 'n', label: 'New prompt', group: 'Prompts' },
  nextPrompt: { keys: 'j', label: 'Next prompt', group: 'Prompts', isRepeated: true },
  previousPrompt: { keys: 'k', label: 'Previous prompt', group: 'Prompts', isRepeated: true },
  openVersions: { keys: 'ArrowRight', label: 'Show the versions', group: 'Prompts' },
  closeVersions: { keys: 'ArrowLeft', label: 'Hide the versions', group: 'Prompts' },
  openPlayground: { keys: 'p', label: 'Try in the playground', group: 'Prompts' },
  toggleVersionDiff: { keys: 'd', label: 'Show or hide what differs', group: 'Prompt' },
  olderVersion: { keys: '[', label: 'Older version', group: 'Prompt' },
  newerVersion: { keys: ']', label: 'Newer version', group: 'Prompt' },
  deployVersion: { keys: 'm', label: 'Deploy a version', group: 'Prompt' },
  moveLabel: { keys: '$mod+Enter', label: 'Move the label', group: 'Deploy' },
  leaveDeploy: { keys: 'Escape', label: 'Close', group: 'Deploy' },
  savePrompt: { keys: '$mod+s', label: 'Save as a version', group: 'Prompt' },
  retryTrial: { keys: 'r', label: 'Retry the calls that can succeed', group: 'Trial' },
  compareTrial: { keys: 'c', label: 'Compare the variants', group: 'Trial' },
  nextTrialItem: { keys: 'j', label: 'Next item', group: 'Trial', isRepeated: true },
  previousTrialItem: { keys: 'k', label: 'Previous item', group: 'Trial', isRepeated: true },
  previousTrialVariant: { keys: 'h', label: 'Previous variant', group: 'Trial', isRepeated: true },
  nextTrialVariant: { keys: 'l', label: 'Next variant', group: 'Trial', isRepeated: true },
  repetition1: { keys: '1', label: 'Repetition 1', group: 'Trial' },
  repetition2: { keys: '2', label: 'Repetition 2', group: 'Trial' },
  repetition3: { keys: '3', label: 'Repetition 3', group: 'Trial' },
  repetition4: { keys: '4', label: 'Repetition 4', group: 'Trial' },
  repetition5: { keys: '5', label: 'Repetition 5', group: 'Trial' },
  repetition6: { keys: '6', label: 'Repetition 6', group: 'Trial' },
  repetition7: { keys: '7', label: 'Repetition 7', group: 'Trial' },
  repetition8: { keys: '8', label: 'Repetition 8', group: 'Trial' },
  repetition9: { keys: '9', label: 'Repetition 9', group: 'Trial' },
  openCallTrace: { keys: 'Enter', label: 'Open the trace of the call', group: 'Trial' },
  startTrial: { keys: '$mod+Enter', label: 'Start the trial', group: 'Trial' },
  newExperiment: { keys: 'n', label: 'New experiment', group: 'Experiments' },
  nextExperiment: { keys: 'j', label: 'Next experiment', group: 'Experiments', isRepeated: true },
  findExperiment: { keys: '/', label: 'Find an experiment', group: 'Experiments' },
  experimentNumbers: { keys: 't', label: 'Table of numbers, or marks', group: 'Experiments' },
  previousExperiment: { keys: 'k', label: 'Previous experiment', group: 'Experiments', isRepeated: true },
  startExperiment: { keys: '$mod+Enter', label: 'Start the experiment', group: 'Experiment' },
  experimentJson: { keys: '$mod+j', label: 'Form or JSON', group: 'Experiment' },
  saveProposal: { keys: 's', label: 'Save or open the version', group: 'Experiment' },
  stopExperiment: { keys: 'o', label: 'Stop and open the test', group: 'Experiment' },
  nextProposal: { keys: 'j', label: 'Next proposal', group: 'Experiment', isRepeated: true },
  previousProposal: { keys: 'k', label: 'Previous proposal', group: 'Experiment', isRepeated: true },
  parentProposal: { keys: 'h', label: 'The prompt that it improves on', group: 'Experiment', isRepeated: true },
  childProposal: { keys: 'l', label: 'First proposal that improves on it', group: 'Experiment', isRepeated: true },
  proposalTable: { keys: 't', label: 'Proposals as a table, or as a tree', group: 'Experiment' },
  toggleAgainst: { keys: 'd', label: 'Against the start or its parent', group: 'Experiment' },
  runAll: { keys: '$mod+Enter', label: 'Run all', group: 'Playground' },
  runColumn: { keys: '$mod+Shift+Enter', label: 'Run the column', group: 'Playground' },
  retryTry: { keys: 'r', label: 'Retry what failed', group: 'Playground' },
  showDifferences: { keys: 'd', label: 'Show or hide what differs', group: 'Playground' },
  stopWriting: { keys: 'Escape', label: 'Stop writing', group: 'Playground' },
  sendTestTrace: { keys: 'n', label: 'Send a test trace', group: 'First trace' },
} as const satisfies Record<string, Shortcut>

export type ShortcutId = keyof typeof shortcutList

export const shortcutIds = Object.keys(shortcutList).filter(isShortcutId)

/** The caps to draw for a shortcut, such as `['g', 'c']` or `['⌘', 'K']`. */
export function shortcutCaps(id: ShortcutId): string[] {
  return shortcutList[id].keys
    .replace('[Shift]+', '')
    .replace(/\((.)\|.*\)/, '$1')
    .split(/[ +]/)
    .map((key) => {
      if (key === '$mod') return isMac() ? '⌘' : 'Ctrl'
      const name = namedCaps[key]
      if (name !== undefined) return name
      return key.length === 1 && shortcutList[id].keys.includes('$mod') ? key.toUpperCase() : key
    })
}

const namedCaps: Record<string, string> = { Enter: '↵', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' }

function isShortcutId(text: string): text is ShortcutId {
  return text in shortcutList
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform)
}
