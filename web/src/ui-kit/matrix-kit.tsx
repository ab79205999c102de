import { AgreementMatrix, type RaterPair } from '../ui/charts/agreement-matrix.tsx'
import { RatingMatrix } from '../ui/charts/rating-matrix.tsx'
import { Card, KitSection } from './kit-section.tsx'

const RATERS = [
  { id: 'is', name: 'Ingrid Solberg', ratingCount: 96 },
  { id: 'th', name: 'Tomás Herrera', ratingCount: 77 },
  { id: 'mc', name: 'Mei-Ling Chou', ratingCount: 64 },
  { id: 'do', name: 'Dan Okafor', ratingCount: 39 },
]

const PAIRS: RaterPair[] = [
  { raterIds: ['is', 'th'], estimate: { mean: 0.83, low: 0.63, high: 0.94, n: 38 } },
  { raterIds: ['is', 'mc'], estimate: { mean: 0.9, low: 0.71, high: 0.99, n: 31 } },
  { raterIds: ['th', 'mc'], estimate: { mean: 0.88, low: 0.75, high: 0.95, n: 24 } },
  { raterIds: ['is', 'do'], estimate: { mean: 0.65, low: 0.31, high: 0.84, n: 22 } },
  { raterIds: ['th', 'do'], estimate: { summary: '11 of at least 20' } },
  { raterIds: ['mc', 'do'], estimate: { summary: '6 of at least 20' } },
]

const WORDS = [
  { value: 'wrong', label: 'Wrong', color: 'red' },
  { value: 'partly', label: 'Partly', color: 'orange' },
  { value: 'right', label: 'Right', color: 'green' },
] as const

const COUNTS = [
  { a: 'wrong', b: 'wrong', count: 4 },
  { a: 'wrong', b: 'partly', count: 1 },
  { a: 'partly', b: 'partly', count: 5 },
  { a: 'right', b: 'partly', count: 2 },
  { a: 'right', b: 'right', count: 10 },
]

export function MatrixKit() {
  return (
    <KitSection title="Agreement">
      <div className="flex max-w-3xl flex-col gap-4">
        <Card>
          <AgreementMatrix
            title="Every two raters"
            note="Cohen’s κ, weighted by distance · 0 chance, 1 perfect"
            raters={RATERS}
            pairs={PAIRS}
            selected={['is', 'do']}
            onSelect={() => undefined}
          />
        </Card>
        <Card>
          <RatingMatrix
            title="Two raters"
            raters={['Ingrid Solberg', 'Dan Okafor']}
            words={WORDS}
            counts={COUNTS}
            selected={['right', 'partly']}
            onSelect={() => undefined}
          />
        </Card>
      </div>
    </KitSection>
  )
}
