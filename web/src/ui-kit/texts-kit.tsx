import { useState } from 'react'
import { SeriesIcon } from '../ui/charts/series-mark.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { DiffText } from '../ui/diff-text/diff-text.tsx'
import { JsonView } from '../ui/json-view/json-view.tsx'
import { Card, KitSection } from './kit-section.tsx'

const BASELINE =
  'Yes. The Harbor battery warranty covers 24 months or 500 full charges, whichever comes first, and a battery below 70 % health within that time is replaced free of charge [Warranty §3]. Please have it measured at a service point first; the reading of the app is not enough. Bring your order number.'
const CANDIDATE =
  'Yes, this is covered. The Harbor battery warranty covers 24 months and a battery below 70 % health within that time is replaced free of charge [Warranty §3]. We will ship a new battery within 5 working days, no inspection needed.'

const SPAN = {
  model: 'gpt-5-mini',
  temperature: 0.2,
  stream: false,
  usage: { input_tokens: 1204, output_tokens: 311, cached: null },
  messages: [
    { role: 'system', content: 'You answer customers of Harbor & Pine.' },
    { role: 'user', content: '<img src=x onerror=alert(1)> https://example.com/?steal=me' },
  ],
  'odd name': ['javascript:alert(1)', ''],
}

const LARGE = Object.fromEntries(
  Array.from({ length: 40 }, (_, group) => [
    `group ${group}`,
    Array.from({ length: 50 }, (__, index) => ({ id: `${group}-${index}`, score: index / 50 })),
  ]),
)

const SNIPPETS = [
  {
    value: 'curl',
    title: 'curl',
    code: 'curl -X POST $TOUCHSTONE_URL/api/v1/traces \\\n  -H "Authorization: Bearer $TOUCHSTONE_KEY" \\\n  -d @trace.json',
  },
  {
    value: 'python',
    title: 'Python',
    code: 'from opentelemetry import trace\ntracer = trace.get_tracer("support-agent")',
  },
  {
    value: 'ts',
    title: 'TypeScript',
    code: "import { trace } from '@opentelemetry/api'\nconst tracer = trace.getTracer('support-agent')",
  },
]

export function TextsKit() {
  const [language, setLanguage] = useState('curl')
  return (
    <KitSection title="Texts">
      <Card>
        <DiffText
          baseline={BASELINE}
          candidate={CANDIDATE}
          baselineTitle={
            <>
              <SeriesIcon series="baseline" />
              Prompt v6
            </>
          }
          candidateTitle={
            <>
              <SeriesIcon series="candidate" />
              Prompt v7
            </>
          }
        />
      </Card>
      <Card>
        <DiffText
          baseline={BASELINE.repeat(8)}
          candidate={`${BASELINE.repeat(4)} And more. ${BASELINE.repeat(4)}`}
          baselineTitle="A long text, compared in a worker"
          candidateTitle="The other long text"
        />
      </Card>
      <JsonView label="Attributes" value={SPAN} />
      <JsonView label="A large value" value={LARGE} />
      <CodeTabs label="Send a trace" tabs={SNIPPETS} value={language} onChange={setLanguage} />
      <CodeBlock code="npx touchstone start" copyLabel="Copy command" />
    </KitSection>
  )
}
