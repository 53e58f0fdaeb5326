import { expect, test } from 'vitest'
import {
  canCancel,
  HISTORY_STATES,
  isFinal,
  isLegalChange,
  nextStates,
  previousStates,
} from './history-state.ts'
import type { HistoryState } from './history-state.ts'

const LEGAL: Record<HistoryState, HistoryState[]> = {
  queued: ['sent', 'accepted', 'running', 'done', 'failed', 'expired', 'cancelled'],
  sent: ['queued', 'accepted', 'running', 'done', 'failed', 'expired', 'cancelled'],
  accepted: ['running', 'done', 'failed', 'cancelled'],
  running: ['done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  expired: [],
  cancelled: [],
}

const pairs = HISTORY_STATES.flatMap((from) =>
  HISTORY_STATES.map((to): [HistoryState, HistoryState] => [from, to]),
)

test.each(pairs)('from %s to %s', (from, to) => {
  const legal = LEGAL[from].includes(to)
  expect(isLegalChange(from, to)).toBe(legal)
  expect(nextStates(from).includes(to)).toBe(legal)
  expect(previousStates(to).includes(from)).toBe(legal)
})

test.each<[HistoryState, boolean, boolean]>([
  ['queued', false, true],
  ['sent', false, true],
  ['accepted', false, true],
  ['running', false, true],
  ['done', true, false],
  ['failed', true, false],
  ['expired', true, false],
  ['cancelled', true, false],
])('%s is final %j, can be cancelled %j', (state, final, cancel) => {
  expect(isFinal(state)).toBe(final)
  expect(canCancel({ state, type: 'cmd_run' })).toBe(cancel)
})

test('an accepted run neither expires nor returns to the queue', () => {
  for (const state of ['accepted', 'running'] as const) {
    expect(isLegalChange(state, 'expired')).toBe(false)
    expect(isLegalChange(state, 'queued')).toBe(false)
  }
})

test('an installation can be cancelled only until the machine has it', () => {
  expect(canCancel({ state: 'queued', type: 'patch_install' })).toBe(true)
  expect(canCancel({ state: 'running', type: 'patch_install' })).toBe(false)
  expect(canCancel({ state: 'sent', type: 'package_install' })).toBe(false)
})
