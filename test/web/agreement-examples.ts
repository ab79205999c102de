import type {
  CountedAgreement,
  Dataset,
  RatingScheme,
  ResolvableDisagreement,
  Run,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { ASSISTANT, idOf } from './open-page.ts'

export const GOLDEN: Dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(4), name: 'golden answers', itemCount: 30 }

export const RUN: Run = {
  ...exampleOf<Run>('Run'),
  id: idOf(5),
  name: 'Prompt v7',
  datasetId: GOLDEN.id,
  aiComponentId: ASSISTANT.id,
  traceCount: 30,
}

export const SCHEME: RatingScheme = {
  ratings: [
    { value: 'wrong', score: 0, label: 'Wrong', color: 'red', key: '1' },
    { value: 'partly', score: 1, label: 'Partly', color: 'orange', key: '2' },
    { value: 'right', score: 2, label: 'Right', color: 'green', key: '3' },
  ],
  ordered: true,
}

export const [INGRID, DAN, MEI] = [idOf(11), idOf(12), idOf(13)]

/** Three raters. Ingrid and Dan share enough traces for an estimate, Ingrid and Mei do not. */
export const AGREEMENT: CountedAgreement = {
  raters: [
    { userId: INGRID, name: 'Ingrid Solberg', count: 25, ratings: counts({ wrong: 10, right: 15 }) },
    { userId: DAN, name: 'Dan Okafor', count: 22, ratings: counts({ wrong: 10, partly: 2, right: 10 }) },
    { userId: MEI, name: null, count: 3, ratings: counts({ wrong: 1, right: 2 }) },
  ],
  categories: ['wrong', 'partly', 'right'],
  items: 25,
  excluded: 0,
  pairs: [
    {
      a: INGRID,
      b: DAN,
      shared: 22,
      kappa: 0.82,
      ci: [0.6, 0.95],
      method: 'Cohen’s kappa',
      summary: 'κ 0.82 (95 % CI 0.60 to 0.95); 22 traces',
      ratings: [
        { a: 'right', b: 'partly', count: 2 },
        { a: 'right', b: 'right', count: 10 },
        { a: 'wrong', b: 'wrong', count: 10 },
      ],
    },
    {
      a: INGRID,
      b: MEI,
      shared: 3,
      kappa: null,
      ci: null,
      method: 'Cohen’s kappa',
      summary: 'too few shared traces: 3 of at least 20',
      ratings: [
        { a: 'right', b: 'right', count: 2 },
        { a: 'right', b: 'wrong', count: 1 },
      ],
    },
  ],
  alpha: { value: 0.8, ci: [0.7, 0.9], level: 'ordinal', units: 25, method: 'Krippendorff’s alpha' },
  disagreements: [],
  disagreementsTotal: 3,
  judges: [],
  summary: '3 people have rated 25 traces, 25 of them by two or more: α 0.80 (ordinal, 95 % CI 0.70 to 0.90).',
}

export function disagreementOf(number: number, changes: Partial<ResolvableDisagreement> = {}): ResolvableDisagreement {
  const trace = exampleOf<NonNullable<ResolvableDisagreement['trace']>>('AnnotatedTrace')
  const texts = { input: `question ${number}`, output: `answer ${number}`, expected: null }
  return {
    traceDbId: idOf(number),
    steps: 1,
    ratings: [
      { userId: INGRID, name: 'Ingrid Solberg', rating: 'right', comment: `good ${number}` },
      { userId: DAN, name: 'Dan Okafor', rating: 'partly', comment: null },
    ],
    resolution: null,
    trace: { ...trace, traceDbId: idOf(number), ...texts },
    ...changes,
  }
}

function counts(byRating: Record<string, number>): { rating: string; count: number }[] {
  return Object.entries(byRating).map(([rating, count]) => ({ rating, count }))
}
