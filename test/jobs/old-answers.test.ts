// @module-tag sql
import { expect, it } from 'vitest'
import { timestamp } from '../../src/base/clock.ts'
import { deleteOldAnswers, insertAnswers } from '../../src/spending/cached-answer-queries.ts'
import { DAY } from '../conformance/movable-clock.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine(
  'cached answers of models',
  (app) => {
    it('are deleted after a month, for any number, and newer ones stay', async () => {
      const { storage } = app()
      const { workspaceId } = await app().newWorkspace()
      const store = (name: string, count: number, ageMs: number) => {
        const answers = Array.from({ length: count }, (_, place) => {
          return { hash: `${name}-${place}`, answer: '{}', inputTokens: 1, outputTokens: null, costUsd: null }
        })
        const now = timestamp(app().clock.now() - ageMs)
        return storage.transaction((tx) => insertAnswers(tx, workspaceId, { answers, now }))
      }
      await store('old', 450, 31 * DAY)
      await store('young', 3, 29 * DAY)
      await deleteOldAnswers(storage, app().clock)
      const left = await storage.read
        .selectFrom('model_answers')
        .select('hash')
        .where('workspace_id', '=', workspaceId)
        .orderBy('hash')
        .execute()
      expect(left.map(({ hash }) => hash)).toEqual(['young-0', 'young-1', 'young-2'])
    })
  },
  { works: false },
)
