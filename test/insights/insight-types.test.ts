import { describe, expect, it } from 'vitest'
import { insightsOf, step, toolStep, traceDbIdOf, traces } from './analysed-traces.ts'

const error = { isError: true }

describe('tool_error', () => {
  it('reports a tool that fails in more than a tenth of its calls, with numbers and the most frequent message', () => {
    const failed = { ...error, errorMessage: 'no route' }
    const all = traces(80, (place) => ({ steps: [toolStep('search_flights', place < 14 ? failed : {})] }))
    expect(insightsOf('tool_error', all)).toMatchObject([
      {
        severity: 'high',
        title: 'search_flights failed in 14 of 80 calls (18 %)',
        description: expect.stringContaining('no route'),
        frequency: 14 / 80,
        affectedRunIds: Array.from({ length: 14 }, (_, place) => traceDbIdOf(place)),
        details: { tool: 'search_flights', calls: 80, failures: 14, affectedTraces: 14 },
        suggestedFix: expect.stringContaining('search_flights'),
      },
    ])
  })

  it('reports a tool that failed three times, for any number of calls', () => {
    const all = traces(1_000, (place) => ({ steps: [toolStep('search', place < 3 ? error : {})] }))
    expect(insightsOf('tool_error', all)).toMatchObject([{ severity: 'low', frequency: 0.003 }])
  })

  it('reports a failure in one of nine calls, but not two in twenty: a tenth is not more than a tenth', () => {
    const once = traces(9, (place) => ({ steps: [toolStep('search', place < 1 ? error : {})] }))
    const tenth = traces(20, (place) => ({ steps: [toolStep('search', place < 2 ? error : {})] }))
    expect(insightsOf('tool_error', once)).toHaveLength(1)
    expect(insightsOf('tool_error', tenth)).toEqual([])
  })

  it('ignores failed model calls, and reports each failing tool once', () => {
    expect(insightsOf('tool_error', [...traces(9, () => ({ steps: [step(error)] }))])).toEqual([])
    const two = traces(2, () => ({ steps: [toolStep('a', error), toolStep('b', error)] }))
    expect(insightsOf('tool_error', two).map(({ details }) => details.tool)).toEqual(['a', 'b'])
  })
})

describe('tool_loop', () => {
  const call = (inputHash: string | null, name = 'search') => toolStep(name, { inputHash })

  it('reports a tool that is called three times with equal arguments in one trace', () => {
    const all = traces(10, (place) => ({ steps: place < 2 ? [call('x'), call('y'), call('x'), call('x')] : [] }))
    expect(insightsOf('tool_loop', all)).toMatchObject([
      {
        severity: 'high',
        title: 'search was called at least 3 times with equal arguments in 2 of 10 traces (20 %)',
        affectedRunIds: [traceDbIdOf(0), traceDbIdOf(1)],
        details: { tool: 'search', loops: 2, longestLoop: 3 },
      },
    ])
  })

  it.each([
    ['two equal calls', [call('x'), call('x'), call('y')]],
    ['equal arguments of three tools', [call('x', 'a'), call('x', 'b'), call('x', 'c')]],
    ['three calls with unknown arguments', [call(null), call(null), call(null)]],
  ])('does not take %s for a loop', (_, steps) => {
    expect(
      insightsOf(
        'tool_loop',
        traces(1, () => ({ steps })),
      ),
    ).toEqual([])
  })

  it('does not add up equal calls of different traces', () => {
    expect(
      insightsOf(
        'tool_loop',
        traces(9, () => ({ steps: [call('x')] })),
      ),
    ).toEqual([])
  })
})

describe('unused_tool', () => {
  it('reports a tool that is offered and never called', () => {
    const all = traces(10, (place) => ({
      offeredTools: place < 5 ? ['search', 'book'] : [],
      steps: [toolStep('search')],
    }))
    expect(insightsOf('unused_tool', all)).toMatchObject([
      { severity: 'low', title: 'book was offered in 5 of 10 traces (50 %) and never called', frequency: 0.5 },
    ])
  })

  it('is silent about a tool that was called in one trace only, by a span or by the word of a model', () => {
    const bySpan = traces(10, (place) => ({ offeredTools: ['book'], steps: place === 9 ? [toolStep('book')] : [] }))
    const byWord = traces(10, (place) => ({ offeredTools: ['book'], requestedTools: place === 9 ? ['book'] : [] }))
    expect(insightsOf('unused_tool', bySpan)).toEqual([])
    expect(insightsOf('unused_tool', byWord)).toEqual([])
  })
})

describe('redundant_call', () => {
  const call = (inputHash: string | null, sketch = {}) => step({ inputHash, tokens: 50, ...sketch })

  it('reports a model call that is repeated in one trace', () => {
    const all = traces(4, (place) => ({ steps: place === 0 ? [call('x'), call('x'), call('x')] : [call('x')] }))
    expect(insightsOf('redundant_call', all)).toMatchObject([
      {
        severity: 'medium',
        title: 'chat was repeated with the same input in 1 of 4 traces (25 %)',
        details: { step: 'chat', repeats: 2, tokens: 100 },
        affectedRunIds: [traceDbIdOf(0)],
      },
    ])
  })

  it.each([
    ['a retry after a failed call', [call('x', error), call('x')]],
    ['another question', [call('x'), call('y')]],
    ['a call with unknown input', [call(null), call(null)]],
    ['equal calls of a tool', [toolStep('chat', { inputHash: 'x' }), toolStep('chat', { inputHash: 'x' })]],
  ])('does not take %s for one', (_, steps) => {
    expect(
      insightsOf(
        'redundant_call',
        traces(1, () => ({ steps })),
      ),
    ).toEqual([])
  })
})

describe('error_rate', () => {
  it('reports how many traces failed, and the step that failed most often in them', () => {
    const all = traces(20, (place) => ({
      isError: place < 3,
      steps: [toolStep('search', place < 2 ? error : {}), toolStep('book', place === 2 ? error : {})],
    }))
    expect(insightsOf('error_rate', all)).toMatchObject([
      {
        severity: 'high',
        title: '3 of 20 traces (15 %) failed',
        description: expect.stringContaining('tool search: in 2 of 3 failed traces (67 %)'),
        details: { failingSteps: [{ step: 'tool search', failedTraces: 2 }, { step: 'tool book' }] },
      },
    ])
  })

  it('is silent at one in twenty', () => {
    expect(
      insightsOf(
        'error_rate',
        traces(20, (place) => ({ isError: place === 0 })),
      ),
    ).toEqual([])
    expect(
      insightsOf(
        'error_rate',
        traces(19, (place) => ({ isError: place === 0 })),
      ),
    ).toHaveLength(1)
  })
})

describe('latency_outlier', () => {
  /** 1 to 20 and the one in question: quartiles 6 and 16, so the fence is at 16 + 3 × 10. */
  const withSlowest = (durationMs: number) =>
    traces(21, (place) => ({ durationMs: place < 20 ? place + 1 : durationMs }))

  it('reports traces beyond the third quartile by more than three interquartile ranges', () => {
    expect(insightsOf('latency_outlier', withSlowest(46.1))).toMatchObject([
      {
        severity: 'low',
        title: '1 of 21 traces (4.8 %) took longer than 46 ms',
        affectedRunIds: [traceDbIdOf(20)],
        details: { q1Ms: 6, medianMs: 11, q3Ms: 16, fenceMs: 46, slowestMs: 46.1 },
      },
    ])
  })

  it('is silent at 2.9 distances and at exactly three', () => {
    expect(insightsOf('latency_outlier', withSlowest(45))).toEqual([])
    expect(insightsOf('latency_outlier', withSlowest(46))).toEqual([])
  })

  it('is silent about fewer than twenty traces that have ended', () => {
    const timed = (count: number) => traces(count, (place) => ({ durationMs: place === 0 ? 9_000 : place }))
    const unended = traces(9, () => ({ durationMs: null }))
    expect(insightsOf('latency_outlier', [...timed(19), ...unended])).toEqual([])
    expect(insightsOf('latency_outlier', timed(20))).toHaveLength(1)
  })
})

describe('cost_hotspot', () => {
  const costing = (chatUsd: number, rerankUsd: number) =>
    traces(10, () => ({
      steps: [step({ costUsd: chatUsd }), step({ kind: 'reranker', name: 'rank', costUsd: rerankUsd })],
    }))

  it('reports the step that causes half of the cost', () => {
    expect(insightsOf('cost_hotspot', costing(0.3, 0.1))).toMatchObject([
      {
        severity: 'medium',
        title: 'chat is 75 % of the cost',
        frequency: 1,
        details: { step: 'chat', kind: 'llm', costUsd: 3, totalCostUsd: 4, costShare: 0.75 },
      },
    ])
    expect(insightsOf('cost_hotspot', costing(0.1, 0.1))).toHaveLength(2)
  })

  it('reports nothing if three steps share the cost, or if only one step has a cost', () => {
    const three = traces(3, () => ({ steps: ['a', 'b', 'c'].map((name) => step({ name, costUsd: 0.2 })) }))
    expect(insightsOf('cost_hotspot', three)).toEqual([])
    expect(insightsOf('cost_hotspot', costing(0.3, 0))).toEqual([])
  })

  it('adds up the cost of a step over traces: a step that is expensive in only one trace is not reported', () => {
    const once = traces(10, (place) => ({
      steps:
        place === 0 ? [step({ name: 'big', costUsd: 0.4 })] : ['a', 'b'].map((name) => step({ name, costUsd: 0.05 })),
    }))
    expect(insightsOf('cost_hotspot', once)).toEqual([])
  })
})

describe('token_waste', () => {
  const wasting = (tokens: number) =>
    traces(10, (place) => ({ steps: [step({ tokens: 99 }), step({ tokens: place === 0 ? tokens : 0, ...error })] }))

  it('reports tokens of failed calls and of repeated ones', () => {
    const repeated = traces(1, () => ({
      steps: [
        step({ inputHash: 'x', tokens: 60 }),
        step({ inputHash: 'x', tokens: 30 }),
        step({ tokens: 10, ...error }),
      ],
    }))
    expect(insightsOf('token_waste', repeated)).toMatchObject([
      {
        severity: 'high',
        title: '40 of 100 tokens (40 %) were wasted',
        details: { failedTokens: 10, repeatedTokens: 30, totalTokens: 100 },
        suggestedFix: expect.stringContaining('repeated'),
      },
    ])
    expect(insightsOf('token_waste', wasting(110))).toMatchObject([{ affectedRunIds: [traceDbIdOf(0)] }])
  })

  it('is silent below a twentieth', () => {
    expect(insightsOf('token_waste', wasting(50))).toEqual([])
    expect(insightsOf('token_waste', wasting(53))).toHaveLength(1)
  })
})

describe('truncated_output', () => {
  it.each(['length', 'max_tokens', 'max_output_tokens'])('reports calls that ended with %s', (reason) => {
    const all = traces(10, (place) => ({ steps: [step({ finishReasons: [place < 1 ? reason : 'stop'] })] }))
    expect(insightsOf('truncated_output', all)).toMatchObject([
      { severity: 'medium', title: 'chat was cut off in 1 of 10 calls (10 %)', affectedRunIds: [traceDbIdOf(0)] },
    ])
  })

  it('ignores calls that were done, filtered, or ended with a tool call', () => {
    const reasons = ['stop', 'end_turn', 'content_filter', 'tool_calls', 'tool-calls', 'error']
    const all = reasons.flatMap((reason) => traces(1, () => ({ steps: [step({ finishReasons: [reason] })] })))
    expect(insightsOf('truncated_output', all)).toEqual([])
  })
})

describe('empty_output', () => {
  it('reports successful traces without an output, if others have one', () => {
    const all = traces(10, (place) => ({ answer: { form: place === 0 ? 'none' : place === 1 ? 'empty' : 'text' } }))
    expect(insightsOf('empty_output', all)).toMatchObject([
      {
        severity: 'high',
        title: '2 of 10 traces (20 %) have no output',
        frequency: 0.2,
        details: { empty: 2, ended: 10 },
      },
    ])
  })

  it('reports nothing if outputs are not recorded at all, the trace failed, or it is still running', () => {
    expect(
      insightsOf(
        'empty_output',
        traces(10, () => ({ answer: { form: 'none' } })),
      ),
    ).toEqual([])
    const failed = traces(10, (place) => (place === 0 ? { answer: { form: 'none' }, isError: true } : {}))
    const running = traces(10, (place) => (place === 0 ? { answer: { form: 'none' }, durationMs: null } : {}))
    expect(insightsOf('empty_output', failed)).toEqual([])
    expect(insightsOf('empty_output', running)).toEqual([])
  })
})

describe('schema_drift', () => {
  const answering = (count: number, keysAt: (place: number) => string[]) =>
    traces(count, (place) => ({ answer: { form: 'json', keys: keysAt(place) } }))

  it('reports answers in JSON that lack a key or have another one', () => {
    const all = answering(10, (place) =>
      place === 0 ? ['city'] : place === 1 ? ['city', 'day', 'note'] : ['city', 'day'],
    )
    expect(insightsOf('schema_drift', [...all, ...traces(5, () => ({}))])).toMatchObject([
      {
        severity: 'medium',
        title: '2 of 10 answers (20 %) in JSON do not have the most common keys',
        description: expect.stringContaining('day is in 9 of 10 answers (90 %), note is in 1 of 10 answers (10 %)'),
        affectedRunIds: [traceDbIdOf(0), traceDbIdOf(1)],
        details: {
          shapes: 3,
          varyingKeys: [
            { key: 'day', presentIn: 9 },
            { key: 'note', presentIn: 1 },
          ],
        },
      },
    ])
  })

  it('reports nothing if all have the same keys, fewer than a twentieth deviate, or there are fewer than five answers', () => {
    expect(
      insightsOf(
        'schema_drift',
        answering(10, () => ['a']),
      ),
    ).toEqual([])
    expect(
      insightsOf(
        'schema_drift',
        answering(21, (place) => (place === 0 ? ['b'] : ['a'])),
      ),
    ).toEqual([])
    expect(
      insightsOf(
        'schema_drift',
        answering(4, (place) => (place === 0 ? ['b'] : ['a'])),
      ),
    ).toEqual([])
  })

  it('reports nothing if keys are data: no set of them is common', () => {
    expect(
      insightsOf(
        'schema_drift',
        answering(20, (place) => [`user ${place}`]),
      ),
    ).toEqual([])
  })
})

describe('negative_feedback', () => {
  it('reports the traces with a negative rating, among those that were rated', () => {
    const ratings = [['negative', 'positive'], ['positive'], ['positive'], ['fine'], [], []]
    const all = traces(6, (place) => ({ ratings: ratings[place] ?? [] }))
    expect(insightsOf('negative_feedback', all)).toMatchObject([
      {
        severity: 'high',
        title: '1 of 4 rated traces (25 %) got a negative rating',
        description: expect.stringContaining('1 of 5 ratings (20 %)'),
        affectedRunIds: [traceDbIdOf(0)],
      },
    ])
  })

  it('reports nothing without ratings, and if all ratings are of another kind', () => {
    expect(
      insightsOf(
        'negative_feedback',
        traces(3, (place) => ({ ratings: place === 0 ? ['positive', 'not negative'] : [] })),
      ),
    ).toEqual([])
  })
})
