interface JobKind {
  title: string
  onFailure: string
}

const jobKinds: Record<string, JobKind> = {
  evaluation: {
    title: 'Evaluations',
    onFailure: 'Open the evaluation: it has the reason, and can be retried.',
  },
  trial: {
    title: 'Trials',
    onFailure: 'Open the trial: it has the reason, and can be retried.',
  },
  purge: {
    title: 'Deletion of data',
    onFailure: 'The data is invisible, but still uses space. The log of the server has the reason.',
  },
  'delete-trace': {
    title: 'Deletion of traces',
    onFailure: 'The trace is invisible, but still uses space. The log of the server has the reason.',
  },
  reprice: {
    title: 'Applying prices',
    onFailure: 'Some traces have their old cost. Apply the prices again under Settings → Prices.',
  },
  retention: {
    title: 'Retention',
    onFailure: 'Old traces are still stored. The log of the server has the reason.',
  },
}

/** The words for a kind of job; the name of a kind that this page does not know. */
export function jobKindOf(kind: string): JobKind {
  return jobKinds[kind] ?? { title: kind, onFailure: 'The log of the server has the reason.' }
}
