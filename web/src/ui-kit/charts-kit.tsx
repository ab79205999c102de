import { useState } from 'react'
import { Histogram, TinyHistogram } from '../ui/charts/histogram.tsx'
import { IntervalGlyph } from '../ui/charts/interval-glyph.tsx'
import { IntervalMark } from '../ui/charts/interval-mark.tsx'
import { IntervalPlot } from '../ui/charts/interval-plot.tsx'
import { SeriesIcon } from '../ui/charts/series-mark.tsx'
import { SparkBars } from '../ui/charts/spark-bars.tsx'
import type { TimeRange } from '../ui/charts/time-buckets.ts'
import { TimeStrip } from '../ui/charts/time-strip.tsx'
import { TrendPlot } from '../ui/charts/trend-plot.tsx'
import { formatDifference, formatPercent } from '../ui/format-number.ts'
import * as sample from './kit-estimates.ts'
import { Card, KitSection, Specimen } from './kit-section.tsx'

export function ChartsKit() {
  const [range, setRange] = useState<TimeRange | undefined>({
    from: sample.DAY.from + 34 * sample.BUCKET_MS,
    to: sample.DAY.from + 42 * sample.BUCKET_MS,
  })
  return (
    <KitSection title="Charts">
      <Specimen name="IntervalMark: mean, interval and n; a summary below the minimum">
        <IntervalMark estimate={sample.GROUNDED_V6} domain={[0.5, 1]} series="baseline" />
        <IntervalMark estimate={sample.GROUNDED_V7} domain={[0.5, 1]} series="candidate" />
        <IntervalMark estimate={sample.GROUNDED_CORRECTED} domain={[0.5, 1]} series="corrected" />
        <IntervalMark estimate={sample.ERROR_RATE} domain={[0, 0.05]} format={formatPercent} />
        <IntervalMark estimate={sample.ERROR_RATE} domain={[0, 0.05]} format={formatPercent} layout="stack" />
        <IntervalMark
          estimate={sample.GROUNDED_DIFFERENCE}
          domain={[-0.2, 0.2]}
          series="candidate"
          change="difference"
          margin={-0.03}
          format={formatDifference}
        />
        <IntervalMark
          estimate={sample.CITES_DIFFERENCE}
          domain={[-0.2, 0.2]}
          series="candidate"
          change="difference"
          format={formatDifference}
        />
        <IntervalMark estimate={sample.TOO_FEW} domain={[0, 1]} />
      </Specimen>
      <Specimen name="Legend; two runs on one track; SparkBars; TinyHistogram">
        <span className="text-meta text-soft">
          <SeriesIcon series="baseline" />
          Prompt v6
        </span>
        <span className="text-meta text-soft">
          <SeriesIcon series="candidate" />
          Prompt v7
        </span>
        <span className="text-meta text-soft">
          <SeriesIcon series="corrected" />
          Prompt v7 as people would say
        </span>
        <span className="w-20">
          <IntervalGlyph
            domain={[0.5, 1]}
            marks={[
              { series: 'baseline', estimate: sample.GROUNDED_V6 },
              { series: 'candidate', estimate: sample.GROUNDED_V7 },
            ]}
          />
        </span>
        <SparkBars summary="6,214 traces in 7 days, 13 errors" values={sample.WEEK} />
        <TinyHistogram label="Duration" bins={sample.DURATION_BINS} />
      </Specimen>
      <div className="@container">
        <div className="grid items-start gap-4 @4xl:grid-cols-2">
          <Card>
            <IntervalPlot
              title="grounded"
              note="share of answers that pass"
              rows={[
                { label: 'Prompt v6', series: 'baseline', estimate: sample.GROUNDED_V6 },
                { label: 'Prompt v7', series: 'candidate', estimate: sample.GROUNDED_V7 },
              ]}
            />
          </Card>
          <Card>
            <IntervalPlot
              title="Difference, item by item"
              note="← worse · better →; dashed: margin −0.03"
              change="difference"
              margin={-0.03}
              format={formatDifference}
              rows={[
                { label: 'v7 − v6', series: 'candidate', estimate: sample.GROUNDED_DIFFERENCE },
                { label: 'tone', series: 'candidate', estimate: sample.TOO_FEW },
              ]}
            />
          </Card>
          <Card>
            <TrendPlot title="correct by version" note="Hard returns, 95 % intervals" points={sample.VERSIONS} />
          </Card>
          <Card>
            <Histogram title="helpful" note="judge, 1 to 5, passes from 4" bins={sample.HELPFUL_BINS} />
          </Card>
        </div>
      </div>
      <TimeStrip
        title="Traces and errors"
        range={sample.DAY}
        buckets={sample.BUCKETS}
        bucketMs={sample.BUCKET_MS}
        marks={[sample.RELEASE]}
        selection={range}
        onSelect={setRange}
      />
      <TimeStrip
        title="Nothing in this range"
        range={sample.DAY}
        buckets={[]}
        bucketMs={sample.BUCKET_MS}
        errorsScale={10}
      />
    </KitSection>
  )
}
