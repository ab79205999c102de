import { AgreementMatrix, type RaterPair } from '../ui/charts/agreement-matrix.tsx'
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

export function MatrixKit() {
  return (
    <KitSection title="Agreement">
      <div className="max-w-3xl">
        <Card>
          <AgreementMatrix
            title="Every two raters"
            note="Cohen’s κ, weighted by distance · 0 chance, 1 perfect"
            raters={RATERS}
            pairs={PAIRS}
          />
        </Card>
      </div>
    </KitSection>
  )
}
