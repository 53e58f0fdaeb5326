import { describe, expect, test } from 'vitest'
import { ageRows, dropRows, nextAgeingAt, patchRows, replacedSince, shareRows } from './machine-rows.ts'
import { testMachine, testMachines } from './test-machines.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()

describe('a frame of changes', () => {
  test('replaces the rows that it names and leaves the others the same objects', () => {
    const rows = testMachines(3)
    const next = patchRows(rows, [{ agent_id: rows[1]!.agent_id, hostname: 'renamed' }])
    expect(next[1]).toEqual({ ...rows[1], hostname: 'renamed' })
    expect(next[0]).toBe(rows[0])
    expect(next[2]).toBe(rows[2])
    expect(rows[1]!.hostname).not.toBe('renamed')
    expect([...(replacedSince(next, rows) ?? [])]).toEqual([[rows[1], next[1]]])
  })

  test('that says nothing new, or speaks of other machines, leaves the list the same object', () => {
    const rows = testMachines(3)
    expect(patchRows(rows, [{ agent_id: rows[0]!.agent_id }])).toBe(rows)
    expect(patchRows(rows, [{ agent_id: rows[0]!.agent_id, checks: { ...rows[0]!.checks } }])).toBe(rows)
    expect(patchRows(rows, [{ agent_id: 'other0000000', hostname: 'x' }])).toBe(rows)
    expect(dropRows(rows, ['other0000000'])).toBe(rows)
  })

  test('may name one machine twice', () => {
    const rows = testMachines(1)
    const { agent_id } = rows[0]!
    const next = patchRows(rows, [
      { agent_id, hostname: 'a' },
      { agent_id, description: 'b' },
    ])
    expect(next[0]).toMatchObject({ hostname: 'a', description: 'b' })
    expect([...(replacedSince(next, rows) ?? [])]).toEqual([[rows[0], next[0]]])
  })

  test('on a list that was changed before says only what it changed itself', () => {
    const rows = testMachines(2)
    const first = patchRows(rows, [{ agent_id: rows[0]!.agent_id, hostname: 'a' }])
    const second = patchRows(first, [{ agent_id: rows[1]!.agent_id, hostname: 'b' }])
    expect([...(replacedSince(second, first) ?? [])]).toEqual([[rows[1], second[1]]])
    expect(replacedSince(second, rows)).toBeUndefined()
  })
})

test('fetching the same list again keeps every row, though a connected machine was read later', () => {
  const rows = testMachines(3)
  const fetched = structuredClone(rows).map((row) => ({ ...row, last_seen: '2026-11-21T11:00:00.000Z' }))
  fetched[2]!.description = 'new'
  const shared = shareRows(rows, fetched)
  expect(shared[0]).toBe(rows[0])
  expect(shared[1]).toBe(rows[1])
  expect(shared[2]).toBe(fetched[2])
})

describe('time alone', () => {
  const away = testMachine({ agent_id: 'away00000000', connected: false, last_seen: ago(3) })
  const rows = [testMachine(), away]

  test('makes a machine that is away offline, then overdue, by its own minutes', () => {
    expect(ageRows(rows, NOW)).toBe(rows)
    expect(ageRows(rows, NOW + 2 * 60_000)[1]).toMatchObject({ status: 'offline' })
    expect(ageRows(rows, NOW + 40 * 60_000)[1]).toMatchObject({ status: 'overdue' })
  })

  test('has a next moment, or none where nothing can change', () => {
    expect(nextAgeingAt(rows, NOW)).toBe(Date.parse(ago(3)) + 4 * 60_000 + 1)
    expect(nextAgeingAt([testMachine()], NOW)).toBeUndefined()
    expect(
      nextAgeingAt([testMachine({ connected: false, status: 'overdue', last_seen: ago(60) })], NOW),
    ).toBeUndefined()
  })
})
